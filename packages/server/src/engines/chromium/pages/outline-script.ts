import type { RenderedOutline } from '../../../domain/shells/shell-rules.ts';
import {
  ALWAYS_EMPTY,
  BUSY,
  DEFERS,
  GOES_ON,
  LEAVES_LATER,
  LEAVING_TEXT,
  MAX_LEAVING_TEXT,
  MAX_PLACEHOLDER_TEXT,
  PLACEHOLDER_NAME,
  PLACEHOLDER_TEXT,
  ROOT_NAME,
} from '../../../domain/shells/shell-signs.ts';

export function isOutline(answer: unknown): answer is RenderedOutline {
  return typeof answer === 'object' && answer !== null && 'ownText' in answer;
}

/** Characters of own text after which the outline ends: no rule for waiting needs more. */
const ENOUGH_TEXT = 1500;

/**
 * Returns the `RenderedOutline` of the page, as `readOutline` reads it from markup, but of visible elements only, and with
 * frames of the same origin. Undefined
 * if a closed shadow root shows something unknown.
 */
export const OUTLINE_SCRIPT = `(() => {
  const ENOUGH = ${ENOUGH_TEXT}, MAX_WALKED = 20000, LITTLE = 60, MAX_SCRIPT = 65536, MAX_NODES = 60, MAX_ROOTS = 1000;
  const PLACEHOLDER = ${PLACEHOLDER_NAME.toString()}, TEXT = ${PLACEHOLDER_TEXT.toString()}, ROOT = ${ROOT_NAME.toString()};
  const LEAVES = ${LEAVES_LATER.toString()}, LEAVING = ${LEAVING_TEXT.toString()}, GOES_ON = ${GOES_ON.toString()}, DEFERS = ${DEFERS.toString()}, BUSY = ${BUSY.toString()}, ALWAYS_EMPTY = ${ALWAYS_EMPTY.toString()};
  const AROUND = new Set(['nav', 'footer', 'aside', 'a', 'button']);
  const AROUND_ROLE = new Set(['navigation', 'contentinfo', 'banner', 'complementary', 'search']);
  const UNSEEN = new Set(['script', 'style', 'noscript', 'template', 'svg', 'option', 'datalist']);
  const MEDIA = 'img,picture,video,audio,canvas,object,embed,iframe,input,select,textarea', MEDIA_NAMES = new Set(MEDIA.split(','));
  const VISIBLE = { opacityProperty: true, visibilityProperty: true };
  const signs = {};
  let ownText = 0, linkText = 0, hasMedia = false, walked = 0, isUnknown = false;
  const count = (sign) => { signs[sign] = (signs[sign] || 0) + 1; };
  const roots = document.body ? [document.body] : [];
  const isEmptyish = (node, length) => node.getElementsByTagName('*').length < MAX_NODES && node.querySelector(MEDIA) === null
    && node.textContent.trim().length <= length;
  const attributesOf = (node) => Array.from(node.attributes, ({ name, value }) => name + '="' + value.slice(0, 300) + '"').join(' ');
  const readElement = (node) => {
    const name = node.localName, id = node.getAttribute('id') || '';
    if (UNSEEN.has(name) || AROUND.has(name) || AROUND_ROLE.has(node.getAttribute('role'))) {
      if (name === 'a') linkText += node.textContent.trim().length;
      return false;
    }
    if (!node.checkVisibility(VISIBLE)) return false;
    const caption = node.getAttribute(name === 'img' ? 'alt' : 'aria-label') || '';
    const isNamed = caption.length <= ${MAX_PLACEHOLDER_TEXT} && TEXT.test(caption);
    if (name === 'img' && isNamed) count('placeholder');
    if (MEDIA_NAMES.has(name)) {
      const isSeen = node.offsetWidth > 40 && node.offsetHeight > 15;
      const inside = isSeen && (name === 'iframe' || name === 'object') && node.contentDocument?.body;
      if (inside && roots.length < MAX_ROOTS) roots.push(inside);
      // A canvas has no text, and what scripts write beside it comes later.
      else hasMedia ||= isSeen && name !== 'canvas';
      return false;
    }
    const isCustom = name.includes('-'), label = (node.getAttribute('class') || '') + ' ' + id;
    if (node.shadowRoot) roots.push(node.shadowRoot);
    else if (isCustom && node.offsetHeight > 30 && node.matches(':defined') && node.firstElementChild === null && isEmptyish(node, 0)) isUnknown = true;
    if (node.attributes.length > 0 && BUSY.test(attributesOf(node)) && isEmptyish(node, LITTLE)) count('busy');
    if ((PLACEHOLDER.test(label) || (isCustom && PLACEHOLDER.test(name)) || isNamed || node.getAttribute('role') === 'progressbar') && isEmptyish(node, LITTLE)) count('placeholder');
    if ((node.attributes.length > 0 && DEFERS.test(attributesOf(node)) || isCustom && node.hasAttribute('src') && !ALWAYS_EMPTY.test(name)) && isEmptyish(node, LITTLE)) count('deferred');
    const isMain = name === 'main' || node.getAttribute('role') === 'main';
    if ((isMain || ROOT.test(id)) && !node.shadowRoot && isEmptyish(node, 0)) count('root');
    if (node.firstElementChild !== null || node.shadowRoot || /\\S/.test(node.textContent)) return true;
    if (isCustom) count('component');
    else if (name === 'tbody' || label !== ' ' && (node.parentElement === node.ownerDocument.body || node.closest('main,article,[role=main]'))) count('hollow');
    return true;
  };
  for (let at = 0; at < roots.length && ownText < ENOUGH; at += 1) {
    const walker = document.createTreeWalker(roots[at], NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
      walked += 1;
      if (node.nodeType === Node.ELEMENT_NODE) return readElement(node) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT;
      const text = node.data.trim();
      ownText += text.length;
      if (text !== '' && text.length <= ${MAX_PLACEHOLDER_TEXT} && TEXT.test(text)) { count('placeholder'); count('said'); }
      if (text.length <= ${MAX_LEAVING_TEXT} && LEAVING.test(text)) count('announced');
      return NodeFilter.FILTER_ACCEPT;
    });
    while (ownText < ENOUGH && walked < MAX_WALKED && walker.nextNode());
  }
  if (isUnknown || walked >= MAX_WALKED) return undefined;
  let isScripted = false;
  if (ownText < ENOUGH) {
    let left = MAX_SCRIPT;
    const documents = new Set(roots.map((root) => root.ownerDocument));
    const handlers = [...documents].map(({ body }) => ({ textContent: body?.getAttribute('onload') ?? '', type: 'none' }));
    for (const { textContent, type } of [...handlers, ...[...documents].flatMap(({ scripts }) => [...scripts])]) {
      const text = textContent.slice(0, left);
      left -= text.length;
      isScripted ||= /^(?:$|module$|(?:text|application)\\/(?:x-)?(?:java|ecma)script)/i.test(type);
      if (LEAVES.test(text)) count('leaving');
      if (GOES_ON.test(text)) count('timer');
    }
  }
  return { ownText, linkText, isScripted, hasMedia, signs };
})()`;

/** The outline of a frame's document; undefined in frames that show no more than an advertisement or a button. */
export const FRAME_OUTLINE_SCRIPT: string = `innerWidth < 400 || innerHeight < 300 ? undefined : ${OUTLINE_SCRIPT}`;
