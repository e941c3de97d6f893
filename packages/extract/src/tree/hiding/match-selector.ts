import { compile, type Options } from 'css-select';
import { parse, type Selector } from 'css-what';
import { hasWord } from '../has-word.ts';
import { TEXT } from '../tags.ts';
import { getAttribute, type Tree } from '../tree.ts';

type Adapter = NonNullable<Options<number, number>['adapter']>;
type BareTree = Omit<Tree, 'hidden'>;

/** A condition for the element itself: candidates are found by it. */
export interface SelectorKey {
  readonly kind: 'class' | 'id' | 'tag' | 'attribute';
  /** Of an attribute that the element has; '' for any element with attributes. */
  readonly name: string;
}

export interface StyleSelector {
  readonly key: SelectorKey;
  /** Classes and ids of the element itself. */
  readonly names: readonly string[];
  readonly specificity: number;
  matches(node: number): boolean;
}

/** About 20 ms. */
const MAX_STEPS = 1_000_000;
/** Conditions that css-select may test, about 300 ms. */
const MAX_CONDITIONS = 1_000_000;
const MAX_ALTERNATIVES = 50;
/** A script removes these classes, or their rules are for readers without scripts. */
const WITHOUT_SCRIPTS = /\bno-?_?(?:js|script)\b/i;
const NESTED = /[()[\]"'\\]/;
/** A name, class or id, or a combinator. */
const PIECE = /([.#]?)([\w-]+)|([ \t\n\r\f]*>[ \t\n\r\f]*|[ \t\n\r\f]+)/y;
const COSTLY = /:(?:has|contains|icontains)\b/i;
const ID = 10_000;
const CLASS = 100;

class StepsExceeded extends Error {}

/** Compiles selectors for a flat tree with css-select. All share one budget; afterwards none matches. */
export class SelectorCompiler {
  readonly #tree: BareTree;
  readonly #adapter: Adapter;
  #steps = MAX_STEPS;
  #conditions = MAX_CONDITIONS;

  constructor(tree: BareTree) {
    this.#tree = tree;
    this.#adapter = this.#createAdapter();
  }

  /** One for each alternative of a selector; none for those that elements of a fresh page cannot meet. */
  compile(source: string): StyleSelector[] {
    if (WITHOUT_SCRIPTS.test(source) || COSTLY.test(source)) return [];
    try {
      // A comma in parentheses, brackets or a string separates no alternatives.
      if (NESTED.test(source))
        return parse(source)
          .slice(0, MAX_ALTERNATIVES)
          .flatMap((one) => this.#compileOne(one));
      const texts = source.split(',').map((text) => text.trim());
      if (texts.includes('')) return [];
      return texts
        .map((text) => parsePlain(text) ?? parse(text)[0])
        .slice(0, MAX_ALTERNATIVES)
        .flatMap((one) => (isPlain(one) ? [this.#compilePlain(one)] : this.#compileOne(one)));
    } catch {
      // Invalid, or with a pseudo-class that is unknown.
      return [];
    }
  }

  #compileOne(tokens: Selector[]): StyleSelector[] {
    const key = findKey(tokens);
    if (key === undefined || tokens.some(({ type }) => type === 'pseudo-element')) return [];
    const parts = splitSimple(tokens);
    if (parts !== undefined) return [this.#compilePlain(parts)];
    const own = listOwnKeys(tokens);
    const conditions = countConditions(tokens);
    // Most rules are never tested, and css-select compiles slowly.
    let test: ((node: number) => boolean) | null | undefined = tokens.some(isFleeting) ? null : undefined;
    const matches = (node: number): boolean => {
      if (test === null || this.#steps <= 0 || !this.#matchCompound(own, node)) return false;
      if (test === undefined) test = this.#createTest(tokens);
      this.#conditions -= conditions;
      return test !== null && this.#conditions > 0 && test(node);
    };
    return [{ key, names: namesOf(own), specificity: measureSpecificity(tokens), matches }];
  }

  #compilePlain(parts: readonly Simple[]): StyleSelector {
    const own = parts[parts.length - 1].compound;
    let key = own[0];
    for (const one of own) if (RANK[one.kind] <= RANK[key.kind]) key = one;
    let specificity = 0;
    for (const { compound } of parts) for (const { kind } of compound) specificity += SPECIFICITY[kind];
    const matches = (node: number): boolean => this.#steps > 0 && this.#matchParts(parts, parts.length - 1, node);
    return { key, names: namesOf(own), specificity, matches };
  }

  /** Matches element names, classes and ids of the element and its ancestors. */
  #matchParts(parts: readonly Simple[], at: number, node: number): boolean {
    const { parent } = this.#tree;
    this.#steps--;
    if (!this.#matchCompound(parts[at].compound, node)) return false;
    if (at === 0) return true;
    for (let above = parent[node]; above > 0 && this.#steps > 0; above = parent[above]) {
      if (this.#matchParts(parts, at - 1, above)) return true;
      if (parts[at].isChild) return false;
    }
    return false;
  }

  #matchCompound(compound: readonly SelectorKey[], node: number): boolean {
    for (const { kind, name } of compound) {
      if (kind === 'tag') {
        if (this.#tree.value[node] !== name) return false;
        continue;
      }
      const value = getAttribute(this.#tree, node, kind);
      if (value === name) continue;
      if (value === undefined || kind === 'id' || !hasWord(value, name)) return false;
    }
    return true;
  }

  /** Null if css-select does not support the selector. */
  #createTest(tokens: Selector[]): ((node: number) => boolean) | null {
    try {
      const test = compile<number, number>([tokens], { adapter: this.#adapter, cacheResults: false });
      return (node) => {
        try {
          return this.#steps > 0 && test(node);
        } catch (error) {
          if (!(error instanceof StepsExceeded)) throw error;
          return false;
        }
      };
    } catch {
      return null;
    }
  }

  #spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new StepsExceeded();
  }

  /** Nodes are indexes; 0, the document, is no parent of elements to css-select. */
  #createAdapter(): Adapter {
    const { tag, parent, end, value, attributes } = this.#tree;
    const getParent = (node: number): number | null => {
      this.#spend(1);
      return parent[node] > 0 ? parent[node] : null;
    };
    const getChildren = (node: number): number[] => {
      const children: number[] = [];
      for (let child = node + 1; child < end[node]; child = end[child]) children.push(child);
      this.#spend(children.length + 1);
      return children;
    };
    return {
      isTag: (node: number): node is number => tag[node] !== TEXT,
      getAttributeValue: (node: number, name: string): string | undefined => getAttribute(this.#tree, node, name),
      hasAttrib: (node: number, name: string): boolean =>
        attributes[node]?.some((attribute) => attribute.name === name) ?? false,
      getName: (node: number): string => value[node],
      getParent,
      getChildren,
      getSiblings: (node: number): number[] => getChildren(parent[node]),
      prevElementSibling: (node: number): number | null =>
        getChildren(parent[node]).findLast((one) => one < node && tag[one] !== TEXT) ?? null,
      getText: (node: number): string => value[node],
      removeSubsets: (nodes: number[]): number[] => nodes,
    };
  }
}

interface Simple {
  readonly compound: readonly SelectorKey[];
  /** A child of the part before it, else a descendant. */
  readonly isChild: boolean;
}

function isPlain(one: readonly Simple[] | Selector[]): one is readonly Simple[] {
  return 'compound' in one[0];
}

/** Parses most alternatives; undefined for those with other conditions, and for invalid ones. */
function parsePlain(text: string): Simple[] | undefined {
  const parts: Simple[] = [];
  let compound: SelectorKey[] = [];
  let isChild = false;
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < text.length) {
    const piece = PIECE.exec(text);
    if (piece === null) return undefined;
    const [, mark, name, combinator] = piece;
    if (combinator !== undefined) {
      if (compound.length === 0) return undefined;
      parts.push({ compound, isChild });
      compound = [];
      isChild = combinator.includes('>');
    } else if (mark !== '') compound.push({ kind: mark === '.' ? 'class' : 'id', name });
    else if (compound.length === 0) compound.push({ kind: 'tag', name });
    else return undefined;
  }
  parts.push({ compound, isChild });
  return compound.length === 0 ? undefined : parts;
}

/** Undefined for selectors with other conditions than names, classes, ids, children and descendants. */
function splitSimple(tokens: readonly Selector[]): Simple[] | undefined {
  const parts: Simple[] = [];
  let compound: SelectorKey[] = [];
  let isChild = false;
  for (const token of tokens) {
    if (token.type === 'descendant' || token.type === 'child') {
      parts.push({ compound, isChild });
      compound = [];
      isChild = token.type === 'child';
      continue;
    }
    const key = toKey(token);
    if (key === undefined || key.kind === 'attribute') return undefined;
    compound.push(key);
  }
  parts.push({ compound, isChild });
  return parts.some((part) => part.compound.length === 0) ? undefined : parts;
}

/** The rarest condition of the last element. */
function findKey(tokens: readonly Selector[]): SelectorKey | undefined {
  let best: SelectorKey | undefined;
  for (const token of tokens.toReversed()) {
    if (isCombinator(token)) break;
    const key = toKey(token);
    if (key !== undefined && (best === undefined || RANK[key.kind] < RANK[best.kind])) best = key;
  }
  return best;
}

/** Names, classes and ids that the element itself must have. */
function listOwnKeys(tokens: readonly Selector[]): SelectorKey[] {
  return tokens.slice(tokens.findLastIndex(isCombinator) + 1).flatMap((token) => {
    const key = toKey(token);
    if (key === undefined || key.kind === 'attribute') return [];
    return [key.kind === 'tag' ? { kind: key.kind, name: key.name.toLowerCase() } : key];
  });
}

/** With those inside `:is()` and the like. */
function countConditions(tokens: readonly Selector[]): number {
  let count = tokens.length;
  for (const token of tokens)
    if (token.type === 'pseudo' && Array.isArray(token.data))
      for (const inner of token.data) count += countConditions(inner);
  return count;
}

function namesOf(keys: readonly SelectorKey[]): string[] {
  return keys.flatMap(({ kind, name }) => (kind === 'class' || kind === 'id' ? [name] : []));
}

/** While the pointer or the focus is there, or after a visit: on no fresh page. */
const FLEETING: ReadonlySet<string> = new Set(
  'hover active visited focus focus-within focus-visible target'.split(' '),
);

function isFleeting(token: Selector): boolean {
  return token.type === 'pseudo' && FLEETING.has(token.name);
}

const RANK = { id: 0, class: 1, attribute: 2, tag: 3 } as const;
const SPECIFICITY = { id: ID, class: CLASS, attribute: CLASS, tag: 1 } as const;

function isCombinator({ type }: Selector): boolean {
  return type === 'descendant' || type === 'child' || type === 'sibling' || type === 'adjacent';
}

function toKey(token: Selector): SelectorKey | undefined {
  if (token.type === 'tag') return { kind: 'tag', name: token.name };
  // The alternatives of `:is()` rarely have a key in common.
  if (token.type === 'pseudo' && (token.name === 'is' || token.name === 'where'))
    return { kind: 'attribute', name: '' };
  if (token.type !== 'attribute') return undefined;
  if (token.name === 'class' && token.action === 'element') return { kind: 'class', name: token.value };
  if (token.name === 'id' && token.action === 'equals') return { kind: 'id', name: token.value };
  return { kind: 'attribute', name: token.action === 'not' ? '' : token.name.toLowerCase() };
}

function measureSpecificity(tokens: readonly Selector[]): number {
  let sum = 0;
  for (const token of tokens) {
    if (token.type === 'tag') sum += 1;
    else if (token.type === 'attribute') sum += token.name === 'id' && token.action === 'equals' ? ID : CLASS;
    else if (token.type === 'pseudo' && token.name !== 'where')
      sum += Array.isArray(token.data) ? Math.max(0, ...token.data.map(measureSpecificity)) : CLASS;
  }
  return sum;
}
