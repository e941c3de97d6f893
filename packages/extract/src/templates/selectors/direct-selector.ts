import type { AttributeSelector, Selector as CssToken } from 'css-what';
import { hasWord } from '../../tree/has-word.ts';
import { getTagCode, OTHER } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import type { CompiledSelector } from './compiled-selector.ts';
import type { PageIndex, WantedNames } from './page-index.ts';
import type { SelectorBudget } from './selector-budget.ts';

/** Conditions of one element: `div#main.post[itemprop=x]:nth-of-type(2)`. */
export interface Compound {
  tag: string | undefined;
  id: string | undefined;
  readonly classes: string[];
  readonly attributes: AttributeTest[];
  /** 1-based position among siblings of the same name, or among all. */
  nthOfType: number | undefined;
  nthChild: number | undefined;
  combinator: 'descendant' | 'child' | undefined;
}

interface AttributeTest {
  readonly name: string;
  readonly action: 'exists' | 'equals' | 'start' | 'end' | 'any';
  readonly value: string;
}

export type Chain = readonly Compound[];

/** Compiles a selector for the flat tree; undefined if only css-select supports it. */
export function compileDirect(
  tokens: readonly (readonly CssToken[])[],
  wanted: WantedNames,
): CompiledSelector | undefined {
  const chains: Chain[] = [];
  for (const alternative of tokens) {
    const chain = readChain(alternative);
    if (chain === undefined) return undefined;
    chains.push(chain);
  }
  return compileChains(chains, wanted);
}

/** Matches any of the chains; undefined if one has no key for the index. */
export function compileChains(chains: readonly Chain[], wanted: WantedNames): CompiledSelector | undefined {
  if (chains.some((chain) => !registerKey(chain.at(-1)!, undefined))) return undefined;
  for (const chain of chains) registerKey(chain.at(-1)!, wanted);
  return {
    select(page) {
      const lists = chains.map((chain) => selectChain(chain, page));
      const nodes = lists.length === 1 ? lists[0] : [...new Set(lists.flat())].toSorted((a, b) => a - b);
      page.budget.allowMatches(nodes.length);
      return { nodes };
    },
  };
}

function selectChain(chain: Chain, page: PageIndex): number[] {
  const last = chain.at(-1)!;
  const candidates = findCandidates(last, page);
  const nodes: number[] = [];
  page.budget.spend(candidates.length);
  for (const node of candidates) {
    if (matchesCompound(page.tree, node, last, page.budget) && matchesAbove(page, node, chain, chain.length - 1))
      nodes.push(node);
  }
  return nodes;
}

const NONE: readonly number[] = [];

function findCandidates(compound: Compound, page: PageIndex): readonly number[] {
  if (compound.id !== undefined) return page.byId.get(compound.id) ?? NONE;
  const [token] = compound.classes;
  if (token !== undefined) return page.byClass.get(token) ?? NONE;
  if (compound.tag !== undefined && isKnownTag(compound.tag)) return page.byTag[getTagCode(compound.tag)] ?? NONE;
  const [attribute] = compound.attributes;
  return attribute === undefined ? NONE : (page.byAttribute.get(attribute.name) ?? NONE);
}

function registerKey(compound: Compound, wanted: WantedNames | undefined): boolean {
  const [token] = compound.classes;
  const [attribute] = compound.attributes;
  if (compound.id !== undefined) wanted?.ids.add(compound.id);
  else if (token !== undefined) wanted?.classes.add(token);
  else if (compound.tag !== undefined && isKnownTag(compound.tag)) {
    if (wanted !== undefined) wanted.tags[getTagCode(compound.tag)] = 1;
    return true;
  } else if (attribute !== undefined) wanted?.attributes.add(attribute.name);
  else return false;
  if (compound.tag === undefined) wanted?.bearers.fill(1);
  else if (wanted !== undefined) wanted.bearers[getTagCode(compound.tag)] = 1;
  return true;
}

function isKnownTag(name: string): boolean {
  return getTagCode(name) !== OTHER;
}

function matchesAbove(page: PageIndex, node: number, chain: Chain, place: number): boolean {
  if (place === 0) return true;
  const { tree, budget } = page;
  const above = chain[place - 1];
  const direct = chain[place].combinator === 'child';
  for (let parent = tree.parent[node]; parent > 0; parent = tree.parent[parent]) {
    budget.spend(1);
    if (matchesCompound(tree, parent, above, budget) && matchesAbove(page, parent, chain, place - 1)) return true;
    if (direct) return false;
  }
  return false;
}

function matchesCompound(tree: Tree, node: number, compound: Compound, budget: SelectorBudget): boolean {
  if (compound.tag !== undefined && tree.value[node] !== compound.tag) return false;
  if (compound.id !== undefined && getAttribute(tree, node, 'id') !== compound.id) return false;
  if (compound.classes.length > 0) {
    const value = getAttribute(tree, node, 'class');
    if (value === undefined || !compound.classes.every((token) => hasWord(value, token))) return false;
  }
  for (const test of compound.attributes)
    if (!matchesAttribute(getAttribute(tree, node, test.name), test)) return false;
  if (compound.nthOfType !== undefined && !isAtPlace(tree, node, compound.nthOfType, true, budget)) return false;
  return compound.nthChild === undefined || isAtPlace(tree, node, compound.nthChild, false, budget);
}

function isAtPlace(tree: Tree, node: number, place: number, sameName: boolean, budget: SelectorBudget): boolean {
  const parent = tree.parent[node];
  let count = 1;
  for (let i = parent + 1; i < node; i = tree.end[i]) {
    budget.spend(1);
    if (tree.tag[i] <= 1 || (sameName && tree.value[i] !== tree.value[node])) continue;
    if (++count > place) return false;
  }
  return count === place;
}

/** Comparisons of attribute values by css-what's names. */
const COMPARE: Readonly<Record<AttributeTest['action'], (value: string, wanted: string) => boolean>> = {
  exists: () => true,
  equals: (value, wanted) => value === wanted,
  start: (value, wanted) => value.startsWith(wanted),
  end: (value, wanted) => value.endsWith(wanted),
  any: (value, wanted) => value.includes(wanted),
};

function matchesAttribute(value: string | undefined, test: AttributeTest): boolean {
  return value !== undefined && COMPARE[test.action](value, test.value);
}

function readChain(tokens: readonly CssToken[]): Chain | undefined {
  const chain: Compound[] = [createCompound(undefined)];
  for (const token of tokens) {
    if (token.type === 'descendant' || token.type === 'child') chain.push(createCompound(token.type));
    else if (!readToken(token, chain.at(-1)!)) return undefined;
  }
  return chain;
}

export function createCompound(combinator: Compound['combinator']): Compound {
  return {
    tag: undefined,
    id: undefined,
    classes: [],
    attributes: [],
    nthOfType: undefined,
    nthChild: undefined,
    combinator,
  };
}

function readToken(token: CssToken, compound: Compound): boolean {
  if (token.type === 'universal') return token.namespace === null;
  if (token.type === 'tag') {
    compound.tag = token.name.toLowerCase();
    return token.namespace === null;
  }
  if (token.type === 'attribute') return readAttribute(token, compound);
  if (token.type !== 'pseudo') return false;
  if (token.name === 'first-of-type') compound.nthOfType = 1;
  else if (token.name === 'first-child') compound.nthChild = 1;
  else if (typeof token.data !== 'string' || !/^[1-9]\d{0,5}$/.test(token.data)) return false;
  else if (token.name === 'nth-of-type' && compound.nthOfType === undefined) compound.nthOfType = Number(token.data);
  else if (token.name === 'nth-child' && compound.nthChild === undefined) compound.nthChild = Number(token.data);
  else return false;
  return true;
}

function readAttribute(token: AttributeSelector, compound: Compound): boolean {
  if (token.namespace !== null) return false;
  if (token.ignoreCase !== 'quirks' && token.ignoreCase !== null && token.ignoreCase) return false;
  const { name, value } = token;
  if (name === 'id' && token.action === 'equals' && compound.id === undefined) compound.id = value;
  else if (name === 'class' && token.action === 'element' && /^\S+$/.test(value)) compound.classes.push(value);
  else if (token.action === 'exists' || (token.action === 'equals' && name !== 'id')) {
    compound.attributes.push({ name: name.toLowerCase(), action: token.action, value });
  } else if ((token.action === 'start' || token.action === 'end' || token.action === 'any') && value !== '') {
    compound.attributes.push({ name: name.toLowerCase(), action: token.action, value });
  } else return false;
  return true;
}
