export const UNRENDERED_ATTRIBUTE = 'data-winnow-unrendered';

/** Their style says nothing about their text, or readers open them. */
const NEVER_MARKED = 'head,script,style,template,rp,select,datalist,audio,video,canvas,object,iframe';

/** Without text and without effect on the text of others. */
const WITHOUT_TEXT = 'br,wbr,hr,input,source,track,col,area,embed,param';

const MAX_MARKS = 10_000;
const MAX_WALKED = 200_000;

/**
 * Finds the topmost unrendered elements with text in the document, open shadow roots and accessible frames, and marks
 * set by the page itself. Text counts as unrendered without a box, size, opacity or colour of its own, and if it is
 * clipped, off the page or behind a background.
 *
 * Takes methods from prototypes: named form controls shadow them even in isolated worlds.
 */
export function findUnrendered(withinMs: number): string {
  return `(() => {
  const NAME = '${UNRENDERED_ATTRIBUTE}', MAX_MARKS = ${MAX_MARKS}, MAX_WALKED = ${MAX_WALKED};
  const LEAST_FONT = 3, LEAST_BOX = 1.5, LEAST_ALPHA = .05, SAME_COLOR = 14, FAR = -100, VERY_FAR = -5000, MAX_PICTURES = 500;
  const until = performance.now() + ${withinMs};
  const NEVER = new Set('${NEVER_MARKED}'.split(','));
  const WITHOUT_TEXT = new Set('${WITHOUT_TEXT}'.split(','));
  const { call } = Function.prototype;
  const method = (type, name) => call.bind(type.prototype[name]);
  const getter = (type, name) => call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  const isShown = method(Element, 'checkVisibility'), getAttribute = method(Element, 'getAttribute');
  const nameOf = getter(Element, 'localName'), spaceOf = getter(Element, 'namespaceURI');
  const textOf = getter(Node, 'textContent'), parentOf = getter(Node, 'parentElement');
  const shadowOf = getter(Element, 'shadowRoot'), firstChildOf = getter(Element, 'firstElementChild');
  const typeOf = getter(Node, 'nodeType'), contains = method(Node, 'contains');
  const frameDocumentOf = getter(HTMLIFrameElement, 'contentDocument'), objectDocumentOf = getter(HTMLObjectElement, 'contentDocument');
  const walkerOf = method(Document, 'createTreeWalker');
  const VISIBLE = { opacityProperty: true, visibilityProperty: true };
  const nextOf = getter(Node, 'nextSibling'), childOf = getter(Node, 'firstChild'), dataOf = getter(CharacterData, 'data');
  const boxOf = method(Element, 'getBoundingClientRect'), findIn = method(Element, 'querySelector');
  const LABELLED = 'img[alt]:not([alt=""]), a[aria-label], a[title]';
  const hasText = (node) => /\\S/.test(textOf(node)) || (nameOf(node) === 'img' ? Boolean(getAttribute(node, 'alt'))
    : Boolean(getAttribute(node, 'aria-label') || getAttribute(node, 'title')) || findIn(node, LABELLED) !== null);
  const hasOwnText = (node) => {
    for (let child = childOf(node); child; child = nextOf(child))
      if (typeOf(child) === Node.TEXT_NODE && /\\S/.test(dataOf(child))) return true;
    return false;
  };
  // Has nothing to mark and no descendants: its style, which is slow to read, does not count.
  const isEmpty = (node, name) => name !== 'img' && firstChildOf(node) === null && !/\\S/.test(textOf(node))
    && !getAttribute(node, 'aria-label') && !getAttribute(node, 'title');
  const isAnimated = (style) => style.transform !== 'none' || style.animationName !== 'none'
    || /[1-9]/.test(style.transitionDuration);
  const found = [], forged = [], roots = [document];
  let walked = 0;
  const isOver = () => found.length >= MAX_MARKS || walked > MAX_WALKED || (walked % 64 === 0 && performance.now() > until);

  const skipsContent = (node, style) => style.contentVisibility === 'hidden' && style.display !== 'inline'
    && getAttribute(node, 'hidden') !== 'until-found';
  // Hides the whole subtree, unlike visibility, which descendants can override.
  const isGone = (node, style) => style.display === 'none' || (isFaded(style) && !isAnimated(style))
    || skipsContent(node, style) || isMasked(style);

  // Red, green, blue and alpha of a computed colour; undefined for other colour spaces.
  const readColor = (text) => {
    const parts = text.startsWith('rgb') ? text.match(/[\\d.]+/g).map(Number) : undefined;
    return parts === undefined || parts.length < 3 ? undefined : [parts[0], parts[1], parts[2], parts[3] ?? 1];
  };
  const isFaded = (style) => Number(style.opacity) <= LEAST_ALPHA
    || (style.filter !== 'none' && /opacity\\((?:0|0?\\.0\\d*)\\)/.test(style.filter));
  const NO_CLIP_PATH = /^(?:inset\\((?:[5-9]\\d|\\d{3,9})(?:\\.\\d{1,9})?%|(?:circle|ellipse)\\(0(?:px|%)?[ )]|polygon\\(([^\\s,()]{1,20} [^\\s,()]{1,20})(?:, \\1){1,40}\\))/;
  const CLEAR_MASK = /^[a-z-]{0,20}gradient\\((?:rgba\\(\\d+, \\d+, \\d+, 0\\)[\\d %,]*)+\\)$/;
  const isMasked = (style) => (style.clipPath !== 'none' && NO_CLIP_PATH.test(style.clipPath))
    || (style.clip !== 'auto' && /^rect\\([01]px, [01]px, [01]px, [01]px\\)/.test(style.clip)
      && (style.position === 'absolute' || style.position === 'fixed'))
    || (style.maskImage !== 'none' && CLEAR_MASK.test(style.maskImage));
  const CUTS = new Set(['hidden', 'clip']);
  const isTiny = (box) => box.width <= LEAST_BOX || box.height <= LEAST_BOX;

  // What is known of an element's surroundings: its background (null: a picture or unknown), an ancestor that clips.
  const around = new Map();
  const page = getComputedStyle(document.documentElement);
  const readGround = (style, above) => {
    if (style.backgroundImage !== 'none') return null;
    const color = readColor(style.backgroundColor);
    if (color === undefined) return null;
    return color[3] === 0 ? above : color[3] === 1 ? color : null;
  };
  const canvas = document.body ? readGround(page, readGround(getComputedStyle(document.body), [255, 255, 255, 1])) : null;
  const TOP = { ground: page.colorScheme.includes('dark') ? null : canvas, isClipped: false };
  const isRtl = page.direction === 'rtl', { scrollX, scrollY } = window;
  let pictures;
  const isOverPicture = (box) => {
    pictures ??= [...method(Document, 'querySelectorAll')(document, 'img, video, canvas, svg, iframe')].slice(0, MAX_PICTURES).map((node) => boxOf(node));
    return pictures.some((one) => one.left < box.right && one.right > box.left && one.top < box.bottom && one.bottom > box.top);
  };
  const hasPainted = (node) => ['::before', '::after'].some((part) => {
    const style = getComputedStyle(node, part);
    return style.content !== 'none' && (style.backgroundImage !== 'none' || readColor(style.backgroundColor)?.[3] !== 0);
  });
  const isBlended = (node, style, color, { ground }, box) => {
    if (ground === null) return false;
    for (let channel = 0; channel < 3; channel += 1)
      if (Math.abs(color[channel] - ground[channel]) * color[3] > SAME_COLOR) return false;
    // Each property read costs about a microsecond: these only for the few elements with such a colour.
    if (style.backgroundClip === 'text' || style.textShadow !== 'none' || isOverPicture(box)) return false;
    // Something beside its ancestors may be behind it.
    for (let at = node, step = 0; at && step < 8; at = parentOf(at), step += 1) {
      const { position } = at === node ? style : getComputedStyle(at);
      if (hasPainted(at)) return false;
      if (position !== 'absolute' && position !== 'fixed') continue;
      const behind = document.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      return behind.length > 0 && behind.every((one) => one === document.documentElement || one === document.body || contains(one, node) || contains(node, one));
    }
    return true;
  };
  // z-index below 0 is behind the backgrounds of ancestors up to the next stacking context.
  const isBehind = (node) => {
    for (let at = parentOf(node); at && nameOf(at) !== 'body'; at = parentOf(at)) {
      const style = getComputedStyle(at);
      if (style.zIndex !== 'auto' || style.transform !== 'none' || style.opacity !== '1' || style.isolation === 'isolate') return false;
      if (readColor(style.backgroundColor)?.[3] === 1) return true;
    }
    return false;
  };
  const BRIGHTENS = new Set(['screen', 'lighten', 'color-dodge', 'plus-lighter']), DARKENS = new Set(['multiply', 'darken', 'color-burn']);
  const vanishes = (style, above) => style.mixBlendMode !== 'normal' && above.ground !== null
    && ((BRIGHTENS.has(style.mixBlendMode) && above.ground.every((part, at) => at > 2 || part > 240))
      || (DARKENS.has(style.mixBlendMode) && above.ground.every((part, at) => at > 2 || part < 15)));
  const isOff = (box, { isClipped }) => {
    const limit = isClipped ? VERY_FAR : FAR;
    return box.right + scrollX < (isRtl ? VERY_FAR : limit) || box.bottom + scrollY < limit;
  };
  // Too small or without colour; inner elements may have a size or colour of their own.
  const isFaint = (style, color = readColor(style.webkitTextFillColor)) => {
    if (parseFloat(style.fontSize) < LEAST_FONT) return true;
    return color !== undefined && color[3] < LEAST_ALPHA && style.textShadow === 'none'
      && !(style.backgroundClip === 'text' && style.backgroundImage !== 'none');
  };
  const holdsOthers = (node, style) => {
    if (firstChildOf(node) === null) return false;
    const walker = walkerOf(document, node, NodeFilter.SHOW_ELEMENT);
    for (let inner = walker.nextNode(); inner; inner = walker.nextNode()) {
      walked += 1;
      if (isOver()) return true;
      if (!hasOwnText(inner)) continue;
      const own = getComputedStyle(inner);
      if (!isFaint(own) && (isFaint(style) || own.webkitTextFillColor !== style.webkitTextFillColor)) return true;
    }
    return false;
  };
  const isInvisibleText = (node, style, state) => {
    const color = readColor(style.webkitTextFillColor);
    if (isFaint(style, color)) return !holdsOthers(node, style);
    if (style.textIndent.startsWith('-') && parseFloat(style.textIndent) < -500 && style.backgroundImage === 'none') return true;
    let box = boxOf(node);
    if (isTiny(box)) {
      const range = document.createRange();
      range.selectNodeContents(node);
      box = range.getBoundingClientRect();
      if (isTiny(box)) return style.display !== 'contents';
    }
    return isOff(box, state) || (color !== undefined && isBlended(node, style, color, state, box) && !holdsOthers(node, style));
  };
  // Checks an element with a box, and notes what its descendants need.
  const isUnseen = (node, name, style, above) => {
    const isCut = CUTS.has(style.overflowX) || CUTS.has(style.overflowY);
    if (isCut && style.display !== 'inline' && isTiny(boxOf(node))) return true;
    if (isMasked(style) || (isFaded(style) && !isAnimated(style)) || vanishes(style, above)) return true;
    if (style.zIndex.startsWith('-') && style.position !== 'static' && isBehind(node)) return true;
    const state = { ground: readGround(style, above.ground), isClipped: above.isClipped || isCut };
    around.set(node, state);
    if (name === 'img') return isTiny(boxOf(node)) && !isAnimated(style);
    return hasOwnText(node) && isInvisibleText(node, style, state) && !isAnimated(style);
  };

  const skipSubtree = (walker) => {
    for (;;) {
      if (walker.nextSibling()) return walker.currentNode;
      if (!walker.parentNode()) return null;
    }
  };
  // Visible elements and their ancestors inside an element with visibility: hidden.
  const findHolders = (top) => {
    const holders = new Set();
    const walker = walkerOf(document, top, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      walked += 1;
      if (isOver()) return undefined;
      if (!isShown(node, VISIBLE)) continue;
      for (let holder = node; holder !== top && !holders.has(holder); holder = parentOf(holder)) holders.add(holder);
      holders.add(top);
    }
    return holders;
  };
  const visit = (root) => {
    const walker = walkerOf(document, root, NodeFilter.SHOW_ELEMENT);
    let holders, holdersEnd = null;
    let node = walker.nextNode();
    while (node) {
      walked += 1;
      if (isOver()) return;
      if (spaceOf(node) !== 'http://www.w3.org/1999/xhtml') { node = skipSubtree(walker); continue; }
      const name = nameOf(node);
      if (name === 'iframe' || name === 'object') {
        const inner = name === 'iframe' ? frameDocumentOf(node) : objectDocumentOf(node);
        if (inner && isShown(node)) roots.push(inner);
      }
      if (NEVER.has(name)) { node = skipSubtree(walker); continue; }
      const shadow = shadowOf(node);
      if (shadow) roots.push(shadow);
      if (name !== 'body' && name !== 'html' && !WITHOUT_TEXT.has(name) && !isEmpty(node, name)) {
        const isPlain = isShown(node, VISIBLE);
        const style = getComputedStyle(node);
        const above = around.get(parentOf(node)) ?? TOP;
        // An element that skips its content is itself rendered.
        let isMarked = isPlain ? skipsContent(node, style) || isUnseen(node, name, style, above) : isGone(node, style);
        if (!isMarked && !isPlain && (style.visibility === 'hidden' || style.visibility === 'collapse')) {
          if (holdersEnd === null || !contains(holdersEnd, node)) { holders = findHolders(node); holdersEnd = node; }
          if (holders === undefined) return;
          isMarked = !holders.has(node);
        } else if (!isMarked && !isPlain) {
          const parent = parentOf(node);
          const outer = parent && nameOf(parent) !== 'body' ? getComputedStyle(parent) : undefined;
          if (outer?.contentVisibility === 'hidden' && isGone(parent, outer)) { node = walker.parentNode(); isMarked = true; }
        }
        if (isMarked) {
          if (hasText(node)) found.push(node);
          node = skipSubtree(walker);
          continue;
        }
      }
      node = walker.nextNode();
    }
  };
  // Visits append shadow roots and frames.
  for (let at = 0; at < roots.length; at += 1) {
    const root = roots[at];
    const type = typeOf(root) === Node.DOCUMENT_NODE ? Document : DocumentFragment;
    for (const node of method(type, 'querySelectorAll')(root, '[' + NAME + ']')) forged.push([node, getAttribute(node, NAME)]);
    if (!isOver()) visit(root);
  }
  globalThis.__winnowMarks = { found, forged, roots };
  return found.length > 0 || forged.length > 0;
})()`;
}

export const APPLY_MARKS_SCRIPT: string = `(() => {
  const marks = globalThis.__winnowMarks;
  if (!marks) return;
  for (const [node] of marks.forged) Reflect.apply(Element.prototype.removeAttribute, node, ['${UNRENDERED_ATTRIBUTE}']);
  for (const node of marks.found) Reflect.apply(Element.prototype.setAttribute, node, ['${UNRENDERED_ATTRIBUTE}', '']);
  marks.isTouched = false;
  marks.observer = new MutationObserver(() => { marks.isTouched = true; });
  const changes = { subtree: true, childList: true, characterData: true, attributeFilter: ['${UNRENDERED_ATTRIBUTE}'] };
  for (const root of marks.roots) marks.observer.observe(root, changes);
})()`;

/** Returns false if the page changed itself meanwhile. */
export const REMOVE_MARKS_SCRIPT: string = `(() => {
  const marks = globalThis.__winnowMarks;
  if (!marks?.observer) return true;
  const isWhole = marks.observer.takeRecords().length === 0 && !marks.isTouched;
  marks.observer.disconnect();
  for (const node of marks.found) Reflect.apply(Element.prototype.removeAttribute, node, ['${UNRENDERED_ATTRIBUTE}']);
  for (const [node, value] of marks.forged)
    Reflect.apply(Element.prototype.setAttribute, node, ['${UNRENDERED_ATTRIBUTE}', value]);
  delete globalThis.__winnowMarks;
  return isWhole;
})()`;
