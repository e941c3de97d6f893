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
/** Parts of class names in which like parts differ: directions and numbers. */
const VARIANT = /[\d_-]+|(?:Left|Right|Up|Down|In|Out)(?![a-z])/g;

interface Part {
  readonly node: number;
  readonly prose: number;
  readonly sample: string;
  readonly isAnswer: boolean;
  /** Hidden by its opacity, visibility or place, or for an unknown reason. */
  readonly isFaded: boolean;
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

  constructor(tree: Tree, sheets: StyleSheets) {
    this.#tree = tree;
    this.#sheets = sheets;
  }

  find(): number[] {
    const { size, end, hidden, tag, value } = this.#tree;
    const groups = new Map<string, Part[]>();
    let left = MAX_PARTS;
    let shown = 0;
    let all = 0;
    for (let node = 1; node < size && left > 0; node++) {
      if (tag[node] === TEXT) shown += value[node].trim().length;
      if (tag[node] === TEXT || tag[node] === TAG.body) continue;
      if (this.#isApart(node)) {
        node = end[node] - 1;
        continue;
      }
      if (hidden[node] !== HIDES) continue;
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
    const parts = [...groups.values()].filter(isContent).flat();
    const revealed = parts.reduce((sum, { prose }) => sum + prose, 0);
    // A page that is hidden as a whole is shown as a whole later.
    if (shown < LITTLE_SHOWN && revealed < MOST_HIDDEN * all) return [];
    return parts.map(({ node }) => node);
  }

  #isApart(node: number): boolean {
    const { tag, attributes } = this.#tree;
    if (APART[tag[node]] === 1) return true;
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
    return { node, prose, sample, isAnswer: this.#followsQuestion(node), isFaded: this.#isFaded(node) };
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

  #isFaded(node: number): boolean {
    const own = this.#tree.attributes[node] ?? [];
    const style = own.find(({ name }) => name === 'style')?.value.slice(0, MAX_NAME) ?? '';
    if (own.some(({ name }) => name === 'hidden') || REMOVED_STYLE.test(style)) return false;
    if (FADED_STYLE.test(style)) return true;
    const removing = (this.#removing ??= this.#listRemoving());
    const classes = (getAttribute(this.#tree, node, 'class') ?? '').slice(0, MAX_NAME).split(/\s+/);
    if (classes.some((one) => removing.has(one))) return false;
    return own.some(({ name }) => name === UNRENDERED) || classes.some((one) => one !== '');
  }

  #listRemoving(): ReadonlySet<string> {
    const classes = new Set<string>();
    for (const { selector, declarations } of this.#sheets.rules)
      if (REMOVED_STYLE.test(declarations))
        for (const [, name = ''] of selector.slice(0, MAX_NAME).matchAll(/\.([\w-]{1,100})/g)) classes.add(name);
    return classes;
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

/** Whether parts of one kind are several, differ, and are answers or faded text. */
function isContent(parts: readonly Part[]): boolean {
  if (parts.length < LEAST_PARTS || new Set(parts.map(({ sample }) => sample)).size < LEAST_PARTS) return false;
  if (parts.every(({ isAnswer }) => isAnswer)) return true;
  const prosy = parts.filter(({ prose, isFaded }) => isFaded && prose >= LEAST_PROSE);
  return prosy.length >= LEAST_PARTS && prosy.length >= parts.length / 2;
}
