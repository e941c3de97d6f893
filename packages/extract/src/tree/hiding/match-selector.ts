import { compile, type Options } from 'css-select';
import { parse, type Selector } from 'css-what';
import { TEXT } from '../tags.ts';
import { getAttribute, type Tree } from '../tree.ts';

type Adapter = NonNullable<Options<number, number>['adapter']>;
type BareTree = Omit<Tree, 'hidden'>;

/** A condition for the element itself: candidates are found by it. */
export interface SelectorKey {
  readonly kind: 'class' | 'id' | 'tag' | 'attribute';
  readonly name: string;
}

export interface CompiledSelector {
  readonly key: SelectorKey;
  /** Classes and ids of the element itself. */
  readonly names: readonly string[];
  readonly specificity: number;
  matches(node: number): boolean;
}

/** About 20 ms. */
const MAX_STEPS = 1_000_000;
const MAX_ALTERNATIVES = 50;
/** A script removes these classes, or their rules are for readers without scripts. */
const WITHOUT_SCRIPTS = /\bno-?_?(?:js|script)\b/i;
const COSTLY = /:(?:has|contains|icontains)\b/i;
const ID = 10_000;
const CLASS = 100;

class StepsExceeded extends Error {}

/** Compiles selectors for a flat tree with css-select. All share one budget; afterwards none matches. */
export class SelectorCompiler {
  readonly #tree: BareTree;
  readonly #adapter: Adapter;
  #steps = MAX_STEPS;

  constructor(tree: BareTree) {
    this.#tree = tree;
    this.#adapter = this.#createAdapter();
  }

  /** One for each alternative of a selector; none for those that elements of a fresh page cannot meet. */
  compile(source: string): CompiledSelector[] {
    if (WITHOUT_SCRIPTS.test(source) || COSTLY.test(source)) return [];
    try {
      return parse(source)
        .slice(0, MAX_ALTERNATIVES)
        .flatMap((alternative) => this.#compileOne(alternative));
    } catch {
      // Invalid, or with a pseudo-class that is unknown.
      return [];
    }
  }

  #compileOne(tokens: Selector[]): CompiledSelector[] {
    const key = findKey(tokens);
    if (key === undefined || tokens.some(({ type }) => type === 'pseudo-element')) return [];
    const specificity = measureSpecificity(tokens);
    const parts = splitSimple(tokens);
    // Most rules are never tested, and css-select compiles slowly.
    let test: ((node: number) => boolean) | null | undefined;
    const matches = (node: number): boolean => {
      if (parts !== undefined) return this.#steps > 0 && this.#matchParts(parts, parts.length - 1, node);
      if (test === undefined) test = this.#createTest(tokens);
      return test !== null && test(node);
    };
    return [{ key, names: listNames(tokens), specificity, matches }];
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
    return compound.every(({ kind, name }) => {
      if (kind === 'tag') return this.#tree.value[node] === name;
      const value = getAttribute(this.#tree, node, kind);
      if (value === undefined || kind === 'id') return value === name;
      return value === name || (value.includes(name) && value.split(/\s/).includes(name));
    });
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

function listNames(tokens: readonly Selector[]): string[] {
  const own = tokens.slice(tokens.findLastIndex(isCombinator) + 1);
  return own.flatMap((token) => {
    const key = toKey(token);
    return key?.kind === 'class' || key?.kind === 'id' ? [key.name] : [];
  });
}

const RANK = { id: 0, class: 1, attribute: 2, tag: 3 } as const;

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
  return { kind: 'attribute', name: token.name };
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
