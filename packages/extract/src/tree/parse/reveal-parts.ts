import type { StyleSheets } from '../hiding/page-styles.ts';
import { markTags, TAG, TEXT } from '../tags.ts';
import { getAttribute, type Attribute, type Tree } from '../tree.ts';

/** Least number of like parts. */
const LEAST_PARTS = 3;
/** Characters of text outside links. */
const LEAST_PROSE = 60;
const LEAST_ANSWER = 20;
const MAX_QUESTION = 200;
/** Characters of shown text outside links that a page with hidden parts has at least, and the least share of them. */
const LITTLE_SHOWN = 200;
const MOST_HIDDEN = 0.9;
const MAX_PARTS = 2000;
const MAX_NAME = 300;
/** Compared characters of a part: copies of one text are no parts. */
const SAMPLE = 80;

const HIDES = 1;
const UNRENDERED = 'data-winnow-unrendered';
const UNKNOWN = 0;
const INSIDE = 1;
const BESIDE = 2;

const APART = markTags(
  'head',
  'script',
  'style',
  'a',
  'nav',
  'footer',
  'aside',
  'dialog',
  'select',
  'noscript',
  'template',
  'object',
);
const APART_ROLE = /^(?:dialog|alertdialog|navigation|menu|menubar|tooltip|banner|contentinfo|search|alert|status)$/;
const APART_NAME =
  /(?:^|[\s_-])(?:modals?|pop-?ups?|overlays?|lightbox|off-?canvas|drawer|drop-?down|mega|sub-?menu|menus?|nav(?:bar|igation)?|cookies?|consent|gdpr|tooltip|popover|toast|flyout|newsletter|subscribe|sign-?(?:in|up)|log-?in|cart|search|sr-only|screen-reader|visually-hidden)(?:$|[\s_-])/i;
const FADED_STYLE =
  /(?:^|[;\s])(?:opacity\s*:\s*(?:0(?:\.0\d*)?|\.0\d*)\s*(?:[;!]|$)|visibility\s*:\s*hidden|transform\s*:)/i;
/** Without a place in the page, for example for screen readers. */
const REMOVED_STYLE =
  /(?:^|[;\s])(?:display\s*:\s*none|position\s*:\s*(?:absolute|fixed)|clip\s*:|text-indent\s*:\s*-|font-size\s*:\s*0|(?:width|height)\s*:\s*[01](?:px)?\s*(?:[;!]|$))/i;
const CLASS_IN_SELECTOR = /\.([\w-]{1,100})/g;
const ATTRIBUTE_IN_SELECTOR = /\[([\w-]{1,100})/g;
/** Parts of class names in which like parts differ: directions and numbers. */
const VARIANT = /[\d_-]+|(?:Left|Right|Up|Down|In|Out)(?![a-z])/g;

interface Part {
  readonly node: number;
  readonly prose: number;
  readonly sample: string;
}

/**
 * Shows several like parts that scripts reveal when readers scroll to them, and answers that follow their questions. A
 * single hidden part may be meant for machines.
 */
export function revealParts(tree: Tree, sheets: StyleSheets, hide: (tree: Tree) => Uint8Array): Tree {
  if (tree.hidden.length === 0) return tree;
  const shown = new PartFinder(tree, sheets).find();
  if (shown.length === 0) return tree;
  const attributes = [...tree.attributes];
  // Regions count as parts that readers open.
  for (const node of shown) attributes[node] = [...(attributes[node] ?? []), REGION];
  return { ...tree, hidden: hide({ ...tree, attributes }) };
}

const REGION: Attribute = { name: 'role', value: 'region' };

class PartFinder {
  readonly #tree: Tree;
  readonly #sheets: StyleSheets;
  /** Classes with which a style sheet removes elements. */
  #removing: ReadonlySet<string> | undefined;
  /** Attributes by which a style sheet fades elements. */
  #fading: ReadonlySet<string> | undefined;
  /** Whether elements are inside parts that are apart from the content, or beside them. */
  readonly #apart: Uint8Array;

  constructor(tree: Tree, sheets: StyleSheets) {
    this.#tree = tree;
    this.#sheets = sheets;
    this.#apart = new Uint8Array(tree.size);
  }

  find(): number[] {
    const { size, end, hidden, tag } = this.#tree;
    const groups = new Map<string, Part[]>();
    let left = MAX_PARTS;
    let all = 0;
    let node = 1;
    for (; node < size && left > 0; node++) {
      if (hidden[node] !== HIDES || tag[node] === TEXT || tag[node] === TAG.body || this.#isInApart(node)) continue;
      const part = this.#readPart(node);
      all += part.prose;
      if (part.prose >= LEAST_ANSWER) {
        left--;
        const key = this.#describe(node);
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [part]);
        else group.push(part);
      }
      node = end[node] - 1;
    }
    const parts = [...groups.values()].filter((group) => this.#isContent(group)).flat();
    if (parts.length === 0) return [];
    const revealed = parts.reduce((sum, { prose }) => sum + prose, 0);
    // A page that is hidden as a whole is shown as a whole later.
    if (revealed < MOST_HIDDEN * all && this.#measureShown(node) < LITTLE_SHOWN) return [];
    return parts.map((part) => part.node);
  }

  /** The length of the shown text before a node. */
  #measureShown(stop: number): number {
    const { end, hidden, tag, value } = this.#tree;
    let shown = 0;
    for (let node = 1; node < stop; node++) {
      if (tag[node] === TEXT) shown += value[node].trim().length;
      else if (tag[node] !== TAG.body && (hidden[node] === HIDES || this.#isInApart(node))) node = end[node] - 1;
    }
    return shown;
  }

  /** Whether parts of one kind are several, differ, and are answers or faded text. */
  #isContent(parts: readonly Part[]): boolean {
    if (parts.length < LEAST_PARTS || new Set(parts.map(({ sample }) => sample)).size < LEAST_PARTS) return false;
    if (parts.every(({ node }) => this.#followsQuestion(node))) return true;
    const prosy = parts.filter(({ node, prose }) => prose >= LEAST_PROSE && this.#isFaded(node));
    return prosy.length >= LEAST_PARTS && prosy.length >= parts.length / 2;
  }

  /** Whether an element is apart from the content, or inside an element that is. */
  #isInApart(node: number): boolean {
    const { parent } = this.#tree;
    let at = node;
    while (at > 0 && this.#apart[at] === UNKNOWN && !this.#isApart(at)) at = parent[at];
    const place = at > 0 && this.#apart[at] !== BESIDE ? INSIDE : BESIDE;
    for (let inner = node; inner > at; inner = parent[inner]) this.#apart[inner] = place;
    if (at > 0) this.#apart[at] = place;
    return place === INSIDE;
  }

  #isApart(node: number): boolean {
    const { tag, attributes } = this.#tree;
    if (APART[tag[node]] === 1) return true;
    if (tag[node] === TAG.body) return false;
    const isNamed = ({ name, value }: Attribute): boolean =>
      name === 'role'
        ? APART_ROLE.test(value)
        : (name === 'class' || name === 'id') && APART_NAME.test(value.slice(0, MAX_NAME));
    return attributes[node]?.some(isNamed) ?? false;
  }

  #readPart(node: number): Part {
    const { tag, value, end, parent } = this.#tree;
    let prose = 0;
    let sample = '';
    for (let inner = node; inner < end[node]; inner++) {
      if (tag[inner] === TAG.a || tag[inner] === TAG.button || tag[inner] === TAG.script || tag[inner] === TAG.style)
        inner = end[inner] - 1;
      else if (tag[inner] === TEXT && tag[parent[inner]] !== TAG.option) {
        const text = value[inner].trim();
        prose += text.length;
        if (sample.length < SAMPLE) sample += text.slice(0, SAMPLE);
      }
    }
    return { node, prose, sample };
  }

  #followsQuestion(node: number): boolean {
    const { tag, parent, value, end, hidden } = this.#tree;
    const above = parent[node];
    let before = node - 1;
    while (before > above) {
      while (parent[before] !== above) before = parent[before];
      if (tag[before] !== TEXT) break;
      before--;
    }
    if (before <= above || (hidden[before] ?? 0) !== 0 || tag[before] === TAG.p) return false;
    let length = 0;
    for (let inner = before; inner < end[before] && length <= MAX_QUESTION; inner++)
      if (tag[inner] === TEXT) length += value[inner].trim().length;
    return length > 2 && length <= MAX_QUESTION;
  }

  /** Whether an element is hidden by its opacity, visibility or place, or for an unknown reason. */
  #isFaded(node: number): boolean {
    const own = this.#tree.attributes[node] ?? [];
    const style = own.find(({ name }) => name === 'style')?.value.slice(0, MAX_NAME) ?? '';
    if (own.some(({ name }) => name === 'hidden') || REMOVED_STYLE.test(style)) return false;
    if (FADED_STYLE.test(style)) return true;
    const removing = (this.#removing ??= this.#listNames(REMOVED_STYLE, CLASS_IN_SELECTOR));
    const classes = (getAttribute(this.#tree, node, 'class') ?? '').slice(0, MAX_NAME).split(/\s+/);
    if (classes.some((one) => removing.has(one))) return false;
    if (own.some(({ name }) => name === UNRENDERED) || classes.some((one) => one !== '')) return true;
    const fading = (this.#fading ??= this.#listNames(FADED_STYLE, ATTRIBUTE_IN_SELECTOR));
    return own.some(({ name }) => fading.has(name));
  }

  /** The names in the selectors of the rules with such declarations. */
  #listNames(style: RegExp, pattern: RegExp): ReadonlySet<string> {
    const names = new Set<string>();
    for (const { selector, declarations } of this.#sheets.rules)
      if (style.test(declarations))
        for (const [, name = ''] of selector.slice(0, MAX_NAME).matchAll(pattern)) names.add(name);
    return names;
  }

  /** The kind of an element and of its parent, without the variants of an animation. */
  #describe(node: number): string {
    const { value, parent, attributes } = this.#tree;
    const read = (element: number): string => {
      const [first = ''] = (getAttribute(this.#tree, element, 'class') ?? '').trim().slice(0, MAX_NAME).split(/\s/, 1);
      return `${value[element]}.${first.replaceAll(VARIANT, '')}`;
    };
    const names = (attributes[node] ?? []).map(({ name }) => name).filter((name) => name !== 'id' && name !== 'role');
    return `${read(parent[node])}>${read(node)}[${names.toSorted().join(' ')}]`;
  }
}
