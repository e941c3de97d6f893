import type { Tree } from '../tree/tree.ts';
import { OTHER } from '../tree/tags.ts';
import { hashWord } from './word-families.ts';
import { getNameBits, splitName } from './name-families.ts';
import { getRoleBits } from './tag-families.ts';

/** Distances at which the lexicon tells names apart: the block's own scope, one up, two up, further. */
export const LEVELS = 4;

type Names = ReadonlyMap<string, Float32Array>;

/** Attributes whose values name things, and what their tokens begin with. */
const NAMING: ReadonlyMap<string, string> = new Map([
  ['class', ''],
  ['id', '#'],
  ['role', '@'],
  ['itemprop', '$'],
  ['itemtype', '$'],
  ['aria-label', '~'],
  ['name', '#'],
  ['data-testid', '%'],
  ['data-test-id', '%'],
  ['data-test', '%'],
  ['data-qa', '%'],
  ['data-cy', '%'],
  ['data-component', '%'],
  ['data-component-name', '%'],
  ['data-component-type', '%'],
  ['data-section-type', '%'],
  ['data-section', '%'],
  ['data-type', '%'],
  ['data-module', '%'],
  ['data-widget', '%'],
  ['data-widget_type', '%'],
  ['data-element_type', '%'],
  ['data-name', '%'],
  ['data-role', '%'],
  ['data-ui', '%'],
  ['data-automation', '%'],
  ['data-automation-id', '%'],
  ['data-hook', '%'],
]);

/** Values of these tell what an element is for even to a reader of class names. */
const FAMILY_PREFIXES = new Set(['', '#', '%', '~']);

/** What one attribute value or name says. */
interface Profile {
  readonly bits: number;
  readonly hash: number;
  readonly weights: Float32Array | undefined;
}

/** Different values of one kind that are looked at; no page written for readers comes near. */
const MOST_VALUES = 20_000;
const NAMELESS: Profile = { bits: 0, hash: 0, weights: undefined };

/** Reads the names on elements; each different value of the page is looked at once. */
export class ElementNames {
  readonly #tree: Tree;
  readonly #names: Names;
  /** Profiles by value, one map a prefix. */
  readonly #profiles = new Map<string, Map<string, Profile>>();

  constructor(tree: Tree, names: Names) {
    this.#tree = tree;
    this.#names = names;
  }

  /** Adds the lexicon weights of a node's names into `sums` at `offset`; returns the family bits. */
  addWeights(node: number, sums: Float32Array, offset: number): number {
    let bits = 0;
    const tag = this.#tree.value[node]!;
    addInto(this.#names.get(`<${tag}`), sums, offset);
    if (this.#tree.tag[node] === OTHER) bits |= this.#add(tag, '', sums, offset);
    const attributes = this.#tree.attributes[node];
    if (attributes === undefined) return bits;
    for (const { name, value } of attributes) {
      const prefix = NAMING.get(name);
      if (prefix !== undefined) {
        if (value !== '') bits |= this.#add(value, prefix, sums, offset);
      } else if (name.startsWith('data-')) {
        this.#add(name, '-', sums, offset);
      }
    }
    return bits;
  }

  #add(value: string, prefix: string, sums: Float32Array, offset: number): number {
    const profile = this.#profileOf(value, prefix);
    addInto(profile.weights, sums, offset);
    return profile.bits;
  }

  /** Hash of the element's name and class list: equal for the cards of one group. */
  getSignature(node: number): number {
    const name = hashWord(this.#tree.value[node]!);
    const attributes = this.#tree.attributes[node];
    if (attributes === undefined) return name;
    for (const attribute of attributes) {
      if (attribute.name === 'class') {
        return (Math.imul(name, 31) + this.#profileOf(attribute.value, '').hash) | 0;
      }
    }
    return name;
  }

  getRoleBits(node: number): number {
    const attributes = this.#tree.attributes[node];
    if (attributes === undefined) return 0;
    for (const { name, value } of attributes) if (name === 'role') return getRoleBits(value);
    return 0;
  }

  /** The tokens whose weights `addWeights` adds: what the lexicon is trained on. */
  listTokens(node: number): string[] {
    const tag = this.#tree.value[node]!;
    const tokens = [`<${tag}`];
    if (this.#tree.tag[node] === OTHER) tokens.push(...getNameTokens(tag, ''));
    for (const { name, value } of this.#tree.attributes[node] ?? []) {
      const prefix = NAMING.get(name);
      if (prefix !== undefined) {
        if (value !== '') tokens.push(...getNameTokens(value, prefix));
      } else if (name.startsWith('data-')) {
        tokens.push(...getNameTokens(name, '-'));
      }
    }
    return tokens;
  }

  #profileOf(value: string, prefix: string): Profile {
    let profiles = this.#profiles.get(prefix);
    if (profiles === undefined) this.#profiles.set(prefix, (profiles = new Map()));
    const known = profiles.get(value);
    if (known !== undefined) return known;
    if (profiles.size >= MOST_VALUES) return NAMELESS;
    const profile = this.#makeProfile(value, prefix);
    profiles.set(value, profile);
    return profile;
  }

  #makeProfile(value: string, prefix: string): Profile {
    let bits = 0;
    let weights: Float32Array | undefined;
    for (const token of getNameTokens(value, prefix)) {
      if (FAMILY_PREFIXES.has(prefix)) bits |= getNameBits(token.slice(prefix.length));
      const found = this.#names.get(token);
      if (found === undefined) continue;
      weights ??= new Float32Array(LEVELS);
      addInto(found, weights, 0);
    }
    return { bits, hash: hashWord(value.slice(0, 200)), weights };
  }
}

/** Words and whole names of an attribute value, each once. At most 1,000 characters are read. */
function getNameTokens(value: string, prefix: string): Set<string> {
  const tokens = new Set<string>();
  for (const name of value.slice(0, 1000).split(/\s+/)) {
    if (name === '') continue;
    const words = splitName(name);
    for (const word of words) tokens.add(prefix + word);
    if (words.length > 1 && words.length < 6) tokens.add(prefix + words.join('-'));
  }
  return tokens;
}

export function addInto(weights: Float32Array | undefined, sums: Float32Array, offset: number): void {
  if (weights === undefined) return;
  for (let level = 0; level < LEVELS; level++) sums[offset + level]! += weights[level]!;
}
