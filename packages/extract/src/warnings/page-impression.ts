import type { Signals } from '../page/signals.ts';
import { DROPPED, OTHER, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import { collapse, cut, getNodeText } from '../tree/text/node-text.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import { readDocumentTitle } from '../page/title-heading.ts';

/** Longest text to read; walls are shorter. */
const MAX_TEXT = 8_000;
const MAX_NODES = 20_000;
const MAX_HEADINGS = 8;
const MAX_LABELS = 200;
const MAX_LABEL_LENGTH = 60;
const MAX_NOSCRIPT = 2_000;

export interface PageImpression {
  /** Parts of the document's title between separators. */
  readonly titles: readonly string[];
  /** First headings outside navigation and footers. */
  readonly headings: readonly string[];
  readonly mainHeadings: readonly string[];
  /** Visible text outside navigation and footers, at most 8,000 characters. */
  readonly text: string;
  readonly noscript: string;
  readonly scripts: number;
  readonly hasPassword: boolean;
  readonly hasEmailField: boolean;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

const CAPTCHA = /captcha|cf-turnstile|px-captcha|geetest|arkose|funcaptcha|datadome/i;
const PAYWALL =
  /paywall|pay-wall|piano-|tp-container|regwall|meter(?:ed)?-wall|subscriber-only|subscription-wall|premium-(?:lock|wall|content)|article-locked/i;
const ROOT_ID =
  /^(?:root|app|__next|__nuxt|___gatsby|app-root|react-root|svelte|q-app|application|main-app|ember-app|spa|mount|container-app)$/i;
const ROOT_NAME = /^(?:[a-z]+-)?app(?:-(?:root|main|shell|component))?$|^(?:my|main|ion)-app$/;
const CAPTCHA_ATTRIBUTES = ['class', 'id', 'src'];
const PAYWALL_ATTRIBUTES = ['class', 'id'];
const ROOT_ATTRIBUTES = ['id'];
const MAX_MARK_LENGTH = 500;
const MAX_ROOT_TEXT = 80;
const BUTTONS: ReadonlySet<number> = new Set([TAG.button, TAG.a]);
const FRAME: ReadonlySet<number> = new Set([TAG.nav, TAG.footer, TAG.select, TAG.textarea]);

/** Collects in one pass the data that most rules need. */
export function readImpression(tree: Tree, { titleElement }: Pick<Signals, 'titleElement'>): PageImpression {
  const found: Writable<PageImpression> = {
    titles: splitTitle(readDocumentTitle({ tree, titleElement })),
    headings: [],
    mainHeadings: [],
    text: '',
    noscript: '',
    scripts: 0,
    hasPassword: false,
    hasEmailField: false,
  };
  const pieces: string[] = [];
  let length = 0;
  const size = Math.min(tree.size, MAX_NODES);
  for (let node = 1; node < size; node++) {
    const tag = tree.tag[node];
    if (tag === TEXT) {
      const text = tree.value[node];
      if (length >= MAX_TEXT || !/\S/.test(text)) continue;
      pieces.push(cut(text, MAX_TEXT));
      length += text.length;
    } else if (isLeftOut(tree, node, tag)) {
      if (tag === TAG.script) found.scripts++;
      else if (tag === TAG.noscript) found.noscript ||= readNoscript(tree, node);
      else found.scripts += countScripts(tree, node);
      node = tree.end[node] - 1;
    } else if (tag >= TAG.h1 && tag <= TAG.h4 && found.headings.length < MAX_HEADINGS) {
      const heading = getNodeText(tree, node);
      if (heading === '') continue;
      found.headings.push(heading);
      if (tag === TAG.h1) found.mainHeadings.push(heading);
    } else if (tag === TAG.input) readInput(tree, node, found);
  }
  found.text = collapse(cut(pieces.join(' '), MAX_TEXT));
  return found;
}

/** Labels of buttons and of links that may be buttons. */
export function listButtonLabels(tree: Tree): string[] {
  const labels: string[] = [];
  someElement(tree, (node, tag) => {
    const text = readLabel(tree, node, tag);
    if (text !== '' && text.length <= MAX_LABEL_LENGTH) labels.push(text);
    return labels.length >= MAX_LABELS;
  });
  return labels;
}

function readLabel(tree: Tree, node: number, tag: number): string {
  if (isLeftOut(tree, node, tag)) return '';
  if (BUTTONS.has(tag)) return getNodeText(tree, node);
  const type = tag === TAG.input ? getAttribute(tree, node, 'type')?.toLowerCase() : undefined;
  return type === 'submit' || type === 'button' ? collapse(getAttribute(tree, node, 'value') ?? '') : '';
}

export function hasCaptcha(tree: Tree): boolean {
  return someElement(tree, (node) => someMark(tree, node, CAPTCHA_ATTRIBUTES, CAPTCHA));
}

export function hasPaywallMark(tree: Tree): boolean {
  return someElement(tree, (node) => someMark(tree, node, PAYWALL_ATTRIBUTES, PAYWALL));
}

/** Whether the page has an almost empty element that scripts fill. */
export function hasEmptyRoot(tree: Tree): boolean {
  return someElement(
    tree,
    (node, tag) =>
      ((tag === OTHER && ROOT_NAME.test(tree.value[node])) || someMark(tree, node, ROOT_ATTRIBUTES, ROOT_ID)) &&
      isNearlyEmpty(tree, node),
  );
}

/** Whether any element matches, except descendants of left-out elements. */
function someElement(tree: Tree, matches: (node: number, tag: number) => boolean): boolean {
  const size = Math.min(tree.size, MAX_NODES);
  for (let node = 1; node < size; node++) {
    const tag = tree.tag[node];
    if (tag === TEXT) continue;
    if (matches(node, tag)) return true;
    if (isLeftOut(tree, node, tag)) node = tree.end[node] - 1;
  }
  return false;
}

function someMark(tree: Tree, node: number, names: readonly string[], pattern: RegExp): boolean {
  const attributes = tree.attributes[node];
  if (attributes === undefined) return false;
  for (const { name, value } of attributes)
    if (names.includes(name) && value.length <= MAX_MARK_LENGTH && pattern.test(value)) return true;
  return false;
}

function isLeftOut(tree: Tree, node: number, tag: number): boolean {
  if (tag === TAG.noscript || FRAME.has(tag)) return true;
  if ((TAG_FLAGS[tag] & DROPPED) !== 0) return tag !== TAG.template;
  return tree.hidden[node] === 1;
}

function countScripts(tree: Tree, node: number): number {
  let count = 0;
  for (let inner = node + 1; inner < tree.end[node]; inner++) if (tree.tag[inner] === TAG.script) count++;
  return count;
}

function isNearlyEmpty(tree: Tree, node: number): boolean {
  return tree.end[node] - node < 50 && getNodeText(tree, node).length <= MAX_ROOT_TEXT;
}

function readInput(tree: Tree, node: number, found: Writable<PageImpression>): void {
  const type = getAttribute(tree, node, 'type')?.toLowerCase();
  if (type === 'password') found.hasPassword = true;
  else if (type === 'email') found.hasEmailField = true;
}

function readNoscript(tree: Tree, node: number): string {
  return collapse(cut(getNodeText(tree, node), MAX_NOSCRIPT));
}

function splitTitle(title: string): string[] {
  return title
    .split(/ [-–—:/] |[|·•»«]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
