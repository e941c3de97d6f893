import { getHiddenBits, HIDDEN_ATTRIBUTE, HIDDEN_STYLE } from '../hiding/hidden.ts';
import { OTHER, TAG, TEXT } from '../tags.ts';
import { getAttribute, getTextContent, type Tree } from '../tree.ts';
import { collapseSpaces } from './clean-characters.ts';
import { meetAsWord } from './word-edges.ts';

/** Names of TeX in MathML: `application/x-tex`, `TeX`, `LaTeX`. */
const TEX_ENCODING = /^(?:application\/x-)?(?:la)?tex$/i;
const STYLED = /^\{\\(?:display|text)style\b([^]*)\}$/;

/** Macros with which renderers open addresses, load extensions, or write HTML and styles. */
const ACTIVE_MACROS: ReadonlySet<string> = new Set(
  'class csname cssId data href htmlClass htmlData htmlId htmlStyle includegraphics mathtip mmlToken require style texttip url'.split(
    ' ',
  ),
);
const MACRO = /\\(?:([A-Za-z]+)|[^])/g;

/**
 * Returns the TeX annotation or `alttext`, else the elements as text (`a=1/2`). See https://www.w3.org/TR/mathml-core/.
 * Active macros become letters.
 *
 * @param math a `<math>` element
 */
export function readFormula(tree: Tree, math: number): string {
  const source = findAnnotation(tree, math) ?? getAttribute(tree, math, 'alttext') ?? '';
  const tex = collapseSpaces(source).trim();
  return disarm(tex === '' ? new FormulaReader(tree).read(math) : removeStyle(tex));
}

/** Whether a formula is displayed on lines of its own. */
export function isDisplayed(tree: Tree, math: number): boolean {
  return getAttribute(tree, math, 'display') === 'block' || getAttribute(tree, math, 'mode') === 'display';
}

/** A space instead of the backslash, because letters may precede it. */
function disarm(tex: string): string {
  return tex.replace(MACRO, (macro, name: string | undefined) =>
    name !== undefined && ACTIVE_MACROS.has(name) ? ` ${name}` : macro,
  );
}

/** Whether an element repeats a sibling `<math>`: hidden from screen readers, or an image of hidden MathML. */
export function isFormulaPicture(tree: Tree, node: number): boolean {
  if (!mayShowFormula(tree, node)) return false;
  const before = findSiblingBefore(tree, node);
  if (before >= 0 && holdsFormula(tree, before)) return isHiddenFromReaders(tree, node) || isHidden(tree, before);
  const after = findSiblingAfter(tree, node);
  return after >= 0 && isHiddenFromReaders(tree, node) && holdsFormula(tree, after);
}

export function isPicturedFormula(tree: Tree, node: number): boolean {
  if (!holdsFormula(tree, node)) return false;
  const after = findSiblingAfter(tree, node);
  return after >= 0 && mayShowFormula(tree, after);
}

function mayShowFormula(tree: Tree, node: number): boolean {
  return tree.tag[node] === TAG.img || isHiddenFromReaders(tree, node);
}

function isHiddenFromReaders(tree: Tree, node: number): boolean {
  return getAttribute(tree, node, 'aria-hidden') === 'true';
}

function isHidden(tree: Tree, node: number): boolean {
  return (getHiddenBits(tree, node) & (HIDDEN_ATTRIBUTE | HIDDEN_STYLE)) !== 0;
}

/** Whether an element is a `<math>`, or contains nothing else. */
function holdsFormula(tree: Tree, node: number): boolean {
  let inner = node;
  while (tree.tag[inner] !== TAG.math && inner + 1 < tree.end[node] && tree.end[inner + 1] === tree.end[node]) inner++;
  return tree.tag[inner] === TAG.math;
}

/** Skips white space; returns -1 without a sibling. */
function findSiblingBefore(tree: Tree, node: number): number {
  const parent = tree.parent[node];
  let sibling = node - 1;
  if (isBlank(tree, sibling) && tree.parent[sibling] === parent) sibling--;
  while (sibling > parent && tree.parent[sibling] !== parent) sibling = tree.parent[sibling];
  return sibling > parent ? sibling : -1;
}

function findSiblingAfter(tree: Tree, node: number): number {
  const end = tree.end[tree.parent[node]];
  let sibling = tree.end[node];
  if (sibling < end && isBlank(tree, sibling)) sibling++;
  return sibling < end ? sibling : -1;
}

function isBlank(tree: Tree, node: number): boolean {
  return tree.tag[node] === TEXT && tree.value[node].trim() === '';
}

function findAnnotation(tree: Tree, math: number): string | undefined {
  for (let node = math + 1; node < tree.end[math]; node++) {
    if (isAnnotation(tree, node) && TEX_ENCODING.test(getAttribute(tree, node, 'encoding') ?? ''))
      return getTextContent(tree, node);
  }
  return undefined;
}

function isAnnotation(tree: Tree, node: number): boolean {
  return tree.tag[node] === OTHER && tree.value[node].startsWith('annotation');
}

function removeStyle(tex: string): string {
  const inner = STYLED.exec(tex)?.[1];
  if (inner === undefined) return tex;
  let depth = 0;
  for (const brace of inner.replaceAll(/\\./g, '').match(/[{}]/g) ?? []) {
    depth += brace === '{' ? 1 : -1;
    if (depth < 0) return tex;
  }
  return inner.trim();
}

/** Text before, between and after the parts of an element, and around parts of several symbols. */
interface Notation {
  readonly start?: string;
  readonly between: readonly string[];
  readonly end?: string;
  readonly group?: string;
}

const BINOMIAL: Notation = { between: [' choose '], group: '()' };
const NO_LINE = /^0(?:\.0*)?[a-z%]*$/i;
/** Takes space, but is not shown. */
const PHANTOM = 'mphantom';

const NOTATIONS: ReadonlyMap<string, Notation> = new Map<string, Notation>([
  ['mfrac', { between: ['/'], group: '()' }],
  ['mmultiscripts', { between: ['_', '^'], group: '{}' }],
  ['mover', { between: ['^'], group: '{}' }],
  ['mroot', { between: ['^(1/'], end: ')', group: '()' }],
  ['msqrt', { start: '√(', between: [''], end: ')' }],
  ['msub', { between: ['_'], group: '{}' }],
  ['msubsup', { between: ['_', '^'], group: '{}' }],
  ['msup', { between: ['^'], group: '{}' }],
  ['mtable', { between: ['; '] }],
  ['mtr', { between: [', '] }],
  ['munder', { between: ['_'], group: '{}' }],
  ['munderover', { between: ['_', '^'], group: '{}' }],
]);

const STARTS_FACTOR = /^[\p{L}\p{N}([{√∑∫∏]/u;
const ENDS_FACTOR = /[\p{L}\p{N})\]}]$/u;
/** Symbols of several letters (`sin`) need spaces around. */
const WORD = /\p{L}{2}/u;

interface Part {
  readonly node: number;
  readonly notation: Notation | undefined;
  text: string;
  /** At the end of the text; what follows decides on parentheses. */
  fraction: string;
  signs: number;
  ended: number;
  isParted: boolean;
}

/** Reads MathML without TeX in one pass, at any depth. */
class FormulaReader {
  readonly #tree: Tree;
  readonly #open: Part[] = [];
  #last = '';

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  read(math: number): string {
    const { tag, end, value } = this.#tree;
    const formula = this.#openPart(math);
    for (let node = math + 1; node < end[math]; node++) {
      while (end[this.#open.at(-1)!.node] <= node) this.#closePart();
      if (tag[node] === TEXT) this.#addSign(collapseSpaces(value[node]).trim());
      else if (isAnnotation(this.#tree, node) || value[node] === PHANTOM) node = end[node] - 1;
      else this.#openPart(node);
    }
    while (this.#open.length > 1) this.#closePart();
    return formula.text + formula.fraction;
  }

  #openPart(node: number): Part {
    const part = {
      node,
      notation: this.#findNotation(node),
      text: '',
      fraction: '',
      signs: 0,
      ended: 0,
      isParted: false,
    };
    const outer = this.#open.at(-1);
    if ((outer?.notation !== undefined && outer.ended > 0) || part.notation?.start !== undefined) this.#last = '';
    this.#open.push(part);
    return part;
  }

  #findNotation(node: number): Notation | undefined {
    const name = this.#tree.value[node];
    if (name === 'mfrac' && NO_LINE.test(getAttribute(this.#tree, node, 'linethickness') ?? '')) return BINOMIAL;
    if (name !== 'mfenced') return NOTATIONS.get(name);
    const separators = (getAttribute(this.#tree, node, 'separators') ?? ',').replaceAll(/\s/g, '').slice(0, 20);
    return {
      start: getAttribute(this.#tree, node, 'open') ?? '(',
      between: separators === '' ? [''] : Array.from(separators, (sign) => `${sign} `),
      end: getAttribute(this.#tree, node, 'close') ?? ')',
    };
  }

  #addSign(sign: string): void {
    if (sign === '') return;
    const part = this.#open.at(-1)!;
    const isParted = (WORD.test(this.#last) || WORD.test(sign)) && meetAsWord(this.#last, sign);
    append(part, sign, isParted);
    part.signs++;
    this.#last = sign;
  }

  #closePart(): void {
    const part = this.#open.pop()!;
    const { node, notation, signs, isParted } = part;
    const isRow = notation === undefined;
    const text = isRow && part.text === '' ? part.fraction : part.text + part.fraction;
    const outer = this.#open.at(-1)!;
    const place = outer.ended++;
    if (text === '') return;
    const { between = [], group } = outer.notation ?? {};
    if (place > 0) outer.text += between[Math.min(place, between.length) - 1] ?? '';
    const whole = `${notation?.start ?? ''}${text}${notation?.end ?? ''}`;
    const isFraction = this.#tree.value[node] === 'mfrac' || (isRow && part.text === '' && part.fraction !== '');
    if (isFraction && outer.notation === undefined) appendFraction(outer, whole, notation === BINOMIAL);
    else append(outer, signs > 1 && group !== undefined ? `${group[0]}${whole}${group[1]}` : whole, isParted);
    outer.signs += signs;
  }
}

/** A fraction beside a factor is in parentheses: `(1/2)x`. */
function appendFraction(part: Part, text: string, isBinomial: boolean): void {
  flushFraction(part, true);
  if (isBinomial || !ENDS_FACTOR.test(part.text.slice(-2))) part.fraction = text;
  else part.text += `(${text})`;
}

function flushFraction(part: Part, isFactor: boolean): void {
  if (part.fraction === '') return;
  part.text += isFactor ? `(${part.fraction})` : part.fraction;
  part.fraction = '';
}

function append(part: Part, text: string, isParted: boolean): void {
  flushFraction(part, STARTS_FACTOR.test(text));
  if (part.text === '') part.isParted = isParted;
  part.text += isParted && part.text !== '' ? ` ${text}` : text;
}
