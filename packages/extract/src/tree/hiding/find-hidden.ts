import { CLEAR, COLORED, FAINT, GONE, judgeStyle, mayColor, mayHide } from './judge-style.ts';
import { PageStyles, type CandidateRule, type StyleSheets } from './page-styles.ts';
import { lowerBound } from '../lower-bound.ts';
import { memoize } from '../memoize.ts';
import type { Declarations } from './declarations.ts';
import { TextLengths } from './text-lengths.ts';
import { HEADING, markTags, OTHER, TAG, TAG_FLAGS, TEXT } from '../tags.ts';
import { getAttribute, type Attribute, type Tree } from '../tree.ts';

type BareTree = Omit<Tree, 'hidden'>;

/** Bits of `hidden`: hidden itself, or inside a hidden element. */
const HIDES = 1;
const IN_HIDDEN_ELEMENT = 2;
/** In `<noscript>`: readers see its pictures, since scripts load the same ones. */
const IN_NOSCRIPT = 4;

/** Set by a capture on elements that the browser did not render. */
const UNRENDERED_ATTRIBUTE = 'data-winnow-unrendered';

const SCREEN_READER_CLASS =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:s?-(?:text|only))?|u-(?:visually-)?hidden-visually|element-invisible|a11y-hidden)(?:\s|$)/i;
const MAY_LEAVE_TO_READERS = /sr-only|hidden|screen-reader|invisible/i;

const PANEL_NAME =
  /(?:^|[\s_-])(?:tab|tabs|tabpanel|tab-?pane|tab-?content|panel|pane|accordions?|collapse|collapsible|collapsed|faqs?|answer|toggle|slides?|slider|slick|swiper|carousel|expand(?:ed|able)?|disclosure|details|read-?more|show-?more|more)(?:$|[\s_]|-)/i;
/** Subscribers read it. */
const PAYWALL_NAME = /paywall|(?:^|[\s_-])(?:restricted|subscribers?|premium|metered)(?:$|[\s_-])/i;
const PANEL_ROLE = /^(?:tabpanel|region)$/;
const MAX_NAME = 300;
const NAMING_ATTRIBUTES: ReadonlySet<string> = new Set(['class', 'id', 'data-testid', 'data-test', 'data-component']);
const MAX_CONTROL_NODES = 40;

/** Least number of similar hidden elements that count as answers to questions. */
const LEAST_ITEMS = 3;

/** Properties with which scripts open and close elements. */
const SWITCHED = /display|visibility|height|opacity/i;

/** Least share of code in a sample's text; the rest is a label and a copy button. */
const MOSTLY_CODE = 0.5;
/** Limits: compared characters of a code sample, and samples in one group of tabs. */
const MAX_SAMPLE = 4_000;
const MAX_SAMPLES = 12;
const NOT_LETTERS = /\P{L}+/gu;

const ANIMATION_ATTRIBUTE = /^(?:data-(?:aos|w-id|anim|animate|animation|staggered|scroll|reveal|sal|framer)|ani-)/;

/** React streams `<div hidden id="S:…">`; a script moves them. */
const STREAMED_PART = /^S:[\da-f]{1,6}$/i;

const MAIN_PARTS = markTags('h1', 'main', 'article', 'body');

const NONE = new Uint8Array(0);

const MAX_CLASSES = 10_000;
const MAX_STYLES = 10_000;
/** Elements that browsers show nothing of, without a style. */
const NEVER_SHOWN: ReadonlySet<string> = new Set(['datalist', 'noembed']);
/** They show a picture of their own in place of their content. */
const REPLACED: ReadonlySet<string> = new Set(['progress', 'meter']);
/** Longest text of a `<noscript>` that is no copy of the page's content. */
const MAX_NOTICE = 500;
const MAY_BE_HIDDEN = markTags('noscript', 'object', 'template');
const NO_ATTRIBUTES: readonly Attribute[] = [];
const NO_CANDIDATES: readonly CandidateRule[] = [];
/** Stands for classes that hide from all but screen readers, whatever style sheets say. */
const FOR_SCREEN_READERS: readonly CandidateRule[] = [];
/** Data of types that browsers no longer show: readers see the content of the object. */
const DEAD_DATA = /flash|futuresplash|java|silverlight|\.(?:swf|class|jar|xap)(?:$|[?#])/i;
/** Attributes with which a style sheet or the element itself may give an inner element a size or colour. */
const STYLED: ReadonlySet<string> = new Set(['class', 'id', 'style', 'color', 'size', 'href']);

/**
 * Returns a function that marks the hidden nodes of a tree, whose attributes may have changed. Tab panels, accordions, slides and pages hidden until loaded count as shown. Empty if nothing
 * is hidden.
 */
export function createHider(tree: BareTree, sheets: StyleSheets): (tree: BareTree) => Uint8Array {
  const styles = new PageStyles(tree, sheets);
  return (changed) => new HiddenFinder(changed, styles).find();
}

/** Whether an image or a link is in a hidden part of the page. */
export function isInHiddenPart({ hidden }: Tree, node: number): boolean {
  const bits = hidden[node] ?? 0;
  return bits !== 0 && (bits & IN_NOSCRIPT) === 0;
}

export function isHiddenItself({ hidden }: Tree, node: number): boolean {
  return ((hidden[node] ?? 0) & HIDES) !== 0;
}

export function showAll(tree: Tree): Tree {
  return { ...tree, hidden: NONE };
}

class HiddenFinder {
  readonly #tree: BareTree;
  readonly #styles: PageStyles;
  /** Values of `class` and `style` repeat over a page. */
  readonly #readClass = memoize((value) => this.#judgeClass(value), MAX_CLASSES);
  readonly #readStyle = memoize((value) => this.#judge(value), MAX_STYLES);
  #controlled: ReadonlySet<string> | undefined;
  #items: Map<string, number> | undefined;
  readonly #texts: TextLengths;
  #mainParts: readonly number[] | undefined;
  #hasCode: boolean | undefined;
  #hidden: Uint8Array = NONE;
  /** Remaining nodes that may be read as code: nested samples would take quadratic time. */
  #readable: number;

  constructor(tree: BareTree, styles: PageStyles) {
    this.#tree = tree;
    this.#readable = MAX_SAMPLES * tree.size;
    this.#texts = new TextLengths(tree);
    this.#styles = styles;
  }

  find(): Uint8Array {
    const { size, attributes, tag, value } = this.#tree;
    const { hidesTags } = this.#styles;
    for (let node = 1; node < size; node++) {
      const code = tag[node];
      if (code === TEXT) continue;
      const own = attributes[node];
      const isSpecial = MAY_BE_HIDDEN[code] === 1 || code === OTHER;
      if ((own === undefined && !hidesTags && !isSpecial) || code === TAG.body || code === TAG.html) continue;
      if (isSpecial && this.#isNeverShown(node, code, value[node])) this.#mark(node, 0);
      else if (code === TAG.noscript && this.#isNotice(node)) this.#mark(node, IN_NOSCRIPT);
      else if (code === TAG.template) this.#hideUnassigned(node);
      if ((own !== undefined || hidesTags) && this.#isHidden(node, own ?? NO_ATTRIBUTES))
        this.#mark(node, code === TAG.noscript ? IN_NOSCRIPT : 0);
    }
    return this.#hidden;
  }

  #mark(node: number, bits: number): void {
    const { size, end } = this.#tree;
    if (this.#hidden === NONE) this.#hidden = new Uint8Array(size);
    const hidden = this.#hidden;
    hidden[node] = HIDES | bits;
    // Inner elements are marked when the pass reaches them.
    for (let inner = node + 1; inner < end[node] && hidden[inner] === 0; inner++)
      hidden[inner] = IN_HIDDEN_ELEMENT | bits;
  }

  #isNeverShown(node: number, code: number, name: string): boolean {
    if (code === OTHER) return NEVER_SHOWN.has(name) || REPLACED.has(name);
    const data = code === TAG.object ? getAttribute(this.#tree, node, 'data') : undefined;
    if (data === undefined) return false;
    return !DEAD_DATA.test(data.slice(0, MAX_NAME)) && !DEAD_DATA.test(getAttribute(this.#tree, node, 'type') ?? '');
  }

  /** A long `<noscript>` repeats what scripts show. */
  #isNotice(node: number): boolean {
    const length = this.#texts.measure(node);
    return length > 0 && length < MAX_NOTICE && !this.#isWholePage(node);
  }

  /** Without a slot, a shadow root replaces the children of its host. */
  #hideUnassigned(root: number): void {
    const { parent, end, tag } = this.#tree;
    if (end[root] === root + 1) return;
    for (let inner = root + 1; inner < end[root]; inner++) if (tag[inner] === TAG.slot) return;
    for (let child = end[root]; child < end[parent[root]]; child = end[child]) this.#mark(child, 0);
  }

  #isHidden(node: number, own: readonly Attribute[]): boolean {
    let isGone = false;
    let isUnread = false;
    let bits = 0;
    let ofClasses: readonly CandidateRule[] = NO_CANDIDATES;
    for (const { name, value } of own) {
      if (name === 'class') {
        const judged = this.#readClass(value);
        isUnread ||= judged === FOR_SCREEN_READERS;
        if (judged !== FOR_SCREEN_READERS) ofClasses = judged;
      } else if (name === 'style') bits = this.#readStyle(value);
      else if (name === 'hidden') isGone ||= value !== 'until-found';
      else if (name === 'popover') isUnread = true;
      else if (name === 'bgcolor') this.#styles.noteBackground(value);
      else if (name === 'color' && this.#tree.tag[node] === TAG.font) bits |= this.#readStyle(`color:${value}`);
      else if (name === UNRENDERED_ATTRIBUTE) isGone = true;
    }
    if (isUnread) return true;
    const isEmpty = this.#tree.end[node] === node + 1 && this.#tree.tag[node] !== TAG.img;
    const hasNothingToHide = isEmpty || ((this.#hidden[node] ?? 0) & IN_HIDDEN_ELEMENT) !== 0;
    const style = hasNothingToHide ? undefined : this.#styles.findHidingStyle(node, own, ofClasses);
    if (style !== undefined) ({ bits } = style);
    if ((bits & FAINT) !== 0 && !isAnimated(own) && !this.#isRestyled(node)) return !this.#isWholePage(node);
    if ((bits & COLORED) !== 0 && this.#blendsIn(node, own, style?.declarations)) return !this.#isWholePage(node);
    isGone ||= (bits & GONE) !== 0 || ((bits & CLEAR) !== 0 && !isAnimated(own) && !this.#isSection(node));
    isGone ||= this.#tree.tag[node] === TAG.img && isWithoutSize(own);
    if (!isGone || style?.selectors.some((selector) => isPanelName(toNames(selector))) === true) return false;
    return !this.#isOpenable(node) && !this.#isWholePage(node);
  }

  /** Whether a part of the page has a heading or picture: a script shows it when readers scroll to it. */
  #isSection(node: number): boolean {
    const { tag, end } = this.#tree;
    for (let inner = node + 1; inner < end[node]; inner++)
      if ((TAG_FLAGS[tag[inner]] & HEADING) !== 0 || tag[inner] === TAG.img) return true;
    return false;
  }

  #judgeClass(value: string): readonly CandidateRule[] {
    return isForScreenReaders(value) ? FOR_SCREEN_READERS : this.#styles.listCandidates(value);
  }

  #judge(css: string): number {
    this.#styles.noteStyle(css);
    return mayHide(css) || mayColor(css) ? judgeStyle(this.#styles.readStyle(css)) : 0;
  }

  #blendsIn(node: number, own: readonly Attribute[], style: Declarations | undefined): boolean {
    if (this.#isRestyled(node)) return false;
    const read = (attribute: string): string | undefined => own.find(({ name }) => name === attribute)?.value;
    const declared = style ?? this.#styles.readStyle(read('style') ?? `color:${read('color') ?? ''}`);
    return this.#styles.blendsIn(node, declared);
  }

  /** Whether an inner element may have a font size or a colour of its own. */
  #isRestyled(node: number): boolean {
    const { attributes, end } = this.#tree;
    for (let inner = node + 1; inner < end[node]; inner++)
      if (attributes[inner]?.some(({ name }) => STYLED.has(name)) === true) return true;
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
    if (!(this.#hasCode ??= this.#tree.tag.includes(TAG.pre))) return false;
    const size = this.#texts.measureCode(node);
    return size > 0 && size >= MOSTLY_CODE * this.#texts.measure(node);
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
        if (!this.#isItem(own)) continue;
        const item = this.#describe(other);
        this.#items.set(item, (this.#items.get(item) ?? 0) + 1);
      }
    }
    return (this.#items.get(this.#describe(node)) ?? 0) >= LEAST_ITEMS;
  }

  #isItem(own: readonly Attribute[]): boolean {
    for (const { name, value } of own) {
      if (name === 'style' ? SWITCHED.test(value) : name === 'hidden' || name === UNRENDERED_ATTRIBUTE) return true;
    }
    return false;
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
    const { attributes, size } = this.#tree;
    for (let node = 0; node < size; node++) {
      const own = attributes[node];
      if (own !== undefined) addControlled(own, ids);
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
    const { tag, parent } = this.#tree;
    return (tag[parent[node]] === TAG.body || this.#holdsMainPart(node)) && this.#texts.isMost(node);
  }

  #holdsMainPart(node: number): boolean {
    const { end } = this.#tree;
    const parts = (this.#mainParts ??= listMainParts(this.#tree));
    return (parts[lowerBound(parts, node)] ?? Infinity) < end[node];
  }
}

/** A function of its own: V8 compiled the loops together anew for each page. */
function addControlled(own: readonly Attribute[], ids: Set<string>): void {
  for (const { name, value } of own)
    if (namesControlled(name)) for (const id of value.slice(0, MAX_NAME).split(/\s+/)) ids.add(id.replace(/^#/, ''));
}

function namesControlled(name: string): boolean {
  return name === 'aria-controls' || name === 'data-target' || name === 'data-bs-target';
}

const NO_SIZE = /(?:^|[;\s])(?:width|height)\s*:\s*[01](?:px)?\s*(?:[;!]|$)/i;

function isWithoutSize(own: readonly Attribute[]): boolean {
  return own.some(({ name, value }) => name === 'style' && NO_SIZE.test(value.slice(0, MAX_NAME)));
}

function isForScreenReaders(value: string): boolean {
  return MAY_LEAVE_TO_READERS.test(value) && SCREEN_READER_CLASS.test(value.slice(0, MAX_NAME));
}

function isAnimated(own: readonly Attribute[]): boolean {
  return own.some(({ name }) => ANIMATION_ATTRIBUTE.test(name));
}

function listMainParts({ size, tag }: BareTree): number[] {
  const parts: number[] = [];
  for (let node = 0; node < size; node++) if (MAIN_PARTS[tag[node]] === 1) parts.push(node);
  return parts;
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
  return own?.some(({ name, value }) => NAMING_ATTRIBUTES.has(name) && isPanelName(value.slice(0, MAX_NAME))) ?? false;
}

function isPanelName(name: string): boolean {
  return PANEL_NAME.test(name) || PAYWALL_NAME.test(name);
}

/** The names of a selector, separated as in a `class`. */
function toNames(selector: string): string {
  return selector.slice(-MAX_NAME).replaceAll(/[.#>+~:,[\]()]/g, ' ');
}
