import { isFaintStyle, isHidingStyle } from './hiding-style.ts';
import { codeAt } from '../code-at.ts';
import { lowerBound } from '../lower-bound.ts';
import { memoize } from '../memoize.ts';
import { DROPPED, markTags, TAG, TAG_FLAGS, TEXT } from '../tags.ts';
import { getAttribute, type Attribute, type Tree } from '../tree.ts';

type BareTree = Omit<Tree, 'hidden'>;

/** Hidden itself, or inside a hidden element; 0: not known to be hidden. */
export const HIDES = 1;
const IN_HIDDEN_ELEMENT = 2;

/** Set by a capture on elements that the browser did not render. */
const UNRENDERED_ATTRIBUTE = 'data-winnow-unrendered';

const SCREEN_READER_CLASS =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:s?-(?:text|only))?|u-(?:visually-)?hidden-visually|element-invisible|a11y-hidden)(?:\s|$)/i;
const MAY_LEAVE_TO_READERS = /sr-only|hidden|screen-reader|invisible/i;

const PANEL_NAME =
  /(?:^|[\s_-])(?:tab|tabs|tabpanel|tab-?pane|tab-?content|panel|pane|accordions?|collapse|collapsible|collapsed|faqs?|answer|toggle|slides?|slider|slick|swiper|carousel|expand(?:ed|able)?|disclosure|details|read-?more|show-?more|more)(?:$|[\s_]|-)/i;
const PANEL_ROLE = /^(?:tabpanel|region)$/;
const MAX_NAME = 300;
const NAMING_ATTRIBUTES: ReadonlySet<string> = new Set(['class', 'id', 'data-testid', 'data-test', 'data-component']);
const MAX_CONTROL_NODES = 40;

/** Least number of similar hidden elements that count as answers to questions. */
const LEAST_ITEMS = 3;

const ASCII = 0x80;

/** Least share of code in a sample's text; the rest is a label and a copy button. */
const MOSTLY_CODE = 0.5;
/** Limits: compared characters of a code sample, and samples in one group of tabs. */
const MAX_SAMPLE = 4_000;
const MAX_SAMPLES = 12;
const NOT_LETTERS = /\P{L}+/gu;

const ANIMATION_ATTRIBUTE = /^(?:data-(?:aos|w-id|anim|animate|animation|staggered|scroll|reveal|sal|framer)|ani-)/;

/** React streams `<div hidden id="S:…">`; a script moves them. */
const STREAMED_PART = /^S:[\da-f]{1,6}$/i;

const WHOLE_PAGE = 0.5;
const MAIN_PARTS = markTags('h1', 'main', 'article', 'body');

const NONE = new Uint8Array(0);

const MAX_CLASSES = 10_000;
const MAX_STYLES = 10_000;
/** Effects of a `class` or `style`, as bits. */
const FOR_READERS = 1;
const GONE = 2;
const FAINT = 4;

/**
 * Marks the hidden nodes. Tab panels, accordions, slides and pages hidden until loaded count as shown. Empty if nothing
 * is hidden.
 *
 * @param names classes and ids hidden by style sheets, see `HidingRules`
 */
export function findHidden(tree: BareTree, names: ReadonlySet<string>): Uint8Array {
  return new HiddenFinder(tree, names).find();
}

export function showAll(tree: Tree): Tree {
  return { ...tree, hidden: NONE };
}

class HiddenFinder {
  readonly #tree: BareTree;
  readonly #names: ReadonlySet<string>;
  /** Values of `class` and `style` repeat over a page. */
  readonly #readClass = memoize((value) => this.#markClass(value), MAX_CLASSES);
  readonly #readStyle = memoize(markStyle, MAX_STYLES);
  #controlled: ReadonlySet<string> | undefined;
  #items: Map<string, number> | undefined;
  #sums: ReturnType<typeof sumPage> | undefined;
  #mainParts: readonly number[] | undefined;
  #hasCode: boolean | undefined;
  #hidden: Uint8Array = NONE;
  /** Remaining nodes that may be read as code: nested samples would take quadratic time. */
  #readable: number;

  constructor(tree: BareTree, names: ReadonlySet<string>) {
    this.#tree = tree;
    this.#readable = MAX_SAMPLES * tree.size;
    this.#names = names;
  }

  find(): Uint8Array {
    const { size, attributes, end, tag } = this.#tree;
    for (let node = 1; node < size; node++) {
      const own = attributes[node];
      if (own === undefined || tag[node] === TAG.body || !this.#isHidden(node, own)) continue;
      if (this.#hidden === NONE) this.#hidden = new Uint8Array(size);
      const hidden = this.#hidden;
      hidden[node] = HIDES;
      // Inner elements are marked when the pass reaches them.
      for (let inner = node + 1; inner < end[node] && hidden[inner] === 0; inner++) hidden[inner] = IN_HIDDEN_ELEMENT;
    }
    return this.#hidden;
  }

  #isHidden(node: number, own: readonly Attribute[]): boolean {
    let isGone = false;
    let isFaint = false;
    let isForReaders = false;
    for (const { name, value } of own) {
      if (name === 'class') {
        const marks = this.#readClass(value);
        isForReaders ||= (marks & FOR_READERS) !== 0;
        isGone ||= (marks & GONE) !== 0;
      } else if (name === 'style') {
        const marks = this.#readStyle(value);
        isGone ||= (marks & GONE) !== 0;
        isFaint ||= (marks & FAINT) !== 0;
      } else if (name === 'hidden') isGone ||= value !== 'until-found';
      else if (name === 'id') isGone ||= this.#names.has(`#${value}`);
      else if (name === UNRENDERED_ATTRIBUTE) isGone = true;
    }
    if (isForReaders) return true;
    if (isFaint && !isAnimated(own) && !this.#restoresFont(node)) return !this.#isWholePage(node);
    return isGone && !this.#isOpenable(node) && !this.#isWholePage(node);
  }

  #markClass(value: string): number {
    const names = value.slice(0, MAX_NAME);
    const isForReaders = MAY_LEAVE_TO_READERS.test(value) && SCREEN_READER_CLASS.test(names);
    return (isForReaders ? FOR_READERS : 0) | (this.#isHiddenByClass(names) ? GONE : 0);
  }

  #isHiddenByClass(names: string): boolean {
    return this.#names.size > 0 && names.split(/\s/).some((name) => name !== '' && this.#names.has(`.${name}`));
  }

  /** Font size 0 removes gaps between children that set their own size. */
  #restoresFont(node: number): boolean {
    const { attributes, end } = this.#tree;
    for (let inner = node + 1; inner < end[node]; inner++) if (attributes[inner] !== undefined) return true;
    return false;
  }

  #isOpenable(node: number): boolean {
    const tree = this.#tree;
    const id = getAttribute(tree, node, 'id');
    if (id !== undefined && STREAMED_PART.test(id)) return true;
    if (PANEL_ROLE.test(getAttribute(tree, node, 'role') ?? '')) return true;
    if (isNamedAsPanel(tree, node) || isNamedAsPanel(tree, tree.parent[node])) return true;
    if (id !== undefined && this.#listControlled().has(id)) return true;
    return this.#followsControl(node) || this.#isOneOfMany(node) || this.#isCodeBesideCode(node);
  }

  /** True for code in another language than the shown code before it, not for a copy without line numbers. */
  #isCodeBesideCode(node: number): boolean {
    const { tag } = this.#tree;
    let before = this.#findElementBefore(node);
    if (before < 0 || tag[before] !== tag[node] || !this.#isCode(node)) return false;
    const text = this.#readLetters(node);
    for (let sample = 1; sample < MAX_SAMPLES; sample++) {
      if (before < 0 || tag[before] !== tag[node] || !this.#isCode(before)) return false;
      const other = this.#readLetters(before);
      if (text.includes(other) || other.includes(text)) return false;
      if ((this.#hidden[before] ?? 0) === 0) return true;
      before = this.#findElementBefore(before);
    }
    return false;
  }

  #isCode(node: number): boolean {
    const { end, tag } = this.#tree;
    if (!(this.#hasCode ??= tag.includes(TAG.pre))) return false;
    const { text, code } = (this.#sums ??= sumPage(this.#tree));
    const size = code.before[end[node]] - code.before[node];
    return size > 0 && size >= MOSTLY_CODE * (text.before[end[node]] - text.before[node]);
  }

  #readLetters(node: number): string {
    const { tag, value, end } = this.#tree;
    let text = '';
    for (
      let inner = node;
      inner < end[node] && text.length < MAX_SAMPLE && this.#readable > 0;
      inner++, this.#readable--
    )
      if (tag[inner] === TEXT) text += value[inner].slice(0, MAX_SAMPLE).replace(NOT_LETTERS, '');
    return text;
  }

  /** True for answers to questions: hidden in several similar items, each after a shown element. */
  #isOneOfMany(node: number): boolean {
    if (this.#findElementBefore(node) < 0) return false;
    const { parent, size } = this.#tree;
    if (this.#items === undefined) {
      this.#items = new Map();
      for (let other = 1; other < size; other++) {
        const own = this.#tree.attributes[other];
        if (own === undefined || this.#tree.attributes[parent[other]] === undefined) continue;
        if (!own.some(isMarkOfItem)) continue;
        const item = this.#describe(other);
        this.#items.set(item, (this.#items.get(item) ?? 0) + 1);
      }
    }
    return (this.#items.get(this.#describe(node)) ?? 0) >= LEAST_ITEMS;
  }

  #describe(node: number): string {
    const { value, parent } = this.#tree;
    const read = (element: number): string =>
      `${value[element]}.${(getAttribute(this.#tree, element, 'class') ?? '').slice(0, MAX_NAME)}`;
    return `${read(parent[node])}>${read(node)}`;
  }

  #listControlled(): ReadonlySet<string> {
    if (this.#controlled !== undefined) return this.#controlled;
    const ids = new Set<string>();
    for (const own of this.#tree.attributes) {
      if (own === undefined) continue;
      for (const { name, value } of own)
        if (namesControlled(name))
          for (const id of value.slice(0, MAX_NAME).split(/\s+/)) ids.add(id.replace(/^#/, ''));
    }
    this.#controlled = ids;
    return ids;
  }

  #followsControl(node: number): boolean {
    const { tag, attributes, end } = this.#tree;
    const before = this.#findElementBefore(node);
    const stop = before < 0 ? 0 : Math.min(end[before], before + MAX_CONTROL_NODES);
    for (let inner = before; inner < stop; inner++)
      if (tag[inner] === TAG.button || (attributes[inner]?.some(isOfControl) ?? false)) return true;
    return false;
  }

  /** Returns -1 without such an element. */
  #findElementBefore(node: number): number {
    const { tag, parent } = this.#tree;
    const above = parent[node];
    for (let before = node - 1; before > above; before--) {
      while (parent[before] !== above) before = parent[before];
      if (tag[before] !== TEXT) return before;
    }
    return -1;
  }

  #isWholePage(node: number): boolean {
    const { end, size, tag, parent } = this.#tree;
    if (tag[parent[node]] !== TAG.body && !this.#holdsMainPart(node)) return false;
    const { text } = (this.#sums ??= sumPage(this.#tree));
    return text.before[end[node]] - text.before[node] >= WHOLE_PAGE * text.before[size];
  }

  #holdsMainPart(node: number): boolean {
    const { end } = this.#tree;
    const parts = (this.#mainParts ??= listMainParts(this.#tree));
    return (parts[lowerBound(parts, node)] ?? Infinity) < end[node];
  }
}

/** Comparisons of the few names take a third of a set's time, on every attribute of the page. */
function isMarkOfItem({ name }: Attribute): boolean {
  return name === 'style' || name === 'hidden' || name === UNRENDERED_ATTRIBUTE;
}

function namesControlled(name: string): boolean {
  return name === 'aria-controls' || name === 'data-target' || name === 'data-bs-target';
}

function markStyle(style: string): number {
  return (isHidingStyle(style) ? GONE : 0) | (isFaintStyle(style) ? FAINT : 0);
}

function isAnimated(own: readonly Attribute[]): boolean {
  return own.some(({ name }) => ANIMATION_ATTRIBUTE.test(name));
}

interface PageSum {
  /** Prefix sums; `size + 1` entries. */
  readonly before: Float64Array;
}

function listMainParts({ size, tag }: BareTree): number[] {
  const parts: number[] = [];
  for (let node = 0; node < size; node++) if (MAIN_PARTS[tag[node]] === 1) parts.push(node);
  return parts;
}

function sumPage({ size, tag, value, parent, end }: BareTree): Record<'text' | 'code', PageSum> {
  const text = { before: new Float64Array(size + 1) };
  const code = { before: new Float64Array(size + 1) };
  let codeEnd = 0;
  for (let node = 0; node < size; node++) {
    if (tag[node] === TAG.pre) codeEnd = Math.max(codeEnd, end[node]);
    const isRead = tag[node] === TEXT && (TAG_FLAGS[tag[parent[node]]] & DROPPED) === 0;
    const length = isRead ? measureTrimmed(value[node]) : 0;
    text.before[node + 1] = text.before[node] + length;
    code.before[node + 1] = code.before[node] + (node < codeEnd ? length : 0);
  }
  return { text, code };
}

/** `text.trim().length`, without most copies. */
function measureTrimmed(text: string): number {
  let start = 0;
  let end = text.length;
  while (start < end && isPlainSpace(codeAt(text, start))) start++;
  while (end > start && isPlainSpace(codeAt(text, end - 1))) end--;
  if (start === end) return 0;
  return codeAt(text, start) < ASCII && codeAt(text, end - 1) < ASCII ? end - start : text.trim().length;
}

function isPlainSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

function isOfControl({ name, value }: Attribute): boolean {
  return name === 'aria-expanded' || name === 'aria-controls' || (name === 'role' && value === 'button');
}

/** Names of custom elements have a hyphen. */
function isCustom({ tag, value }: BareTree, node: number): boolean {
  return tag[node] !== TEXT && value[node].includes('-');
}

function isNamedAsPanel(tree: BareTree, node: number): boolean {
  const own = tree.attributes[node];
  if (isCustom(tree, node) && PANEL_NAME.test(tree.value[node].slice(0, MAX_NAME))) return true;
  return (
    own?.some(({ name, value }) => NAMING_ATTRIBUTES.has(name) && PANEL_NAME.test(value.slice(0, MAX_NAME))) ?? false
  );
}
