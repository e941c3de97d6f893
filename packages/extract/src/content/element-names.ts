import type { Tree } from '../tree/tree.ts';
import { hashWord } from './word-families.ts';
import type { Lexicon } from './lexicon.ts';
import { getNameBits, splitName } from './name-families.ts';
import { getRoleBits } from './tag-families.ts';

/** Distances at which the lexicon tells names apart: the block's own scope, one up, two up, further. */
export const LEVELS = 4;

/** What one attribute value (a class list, an id) or element name says. */
interface Profile {
  readonly bits: number;
  readonly hash: number;
  readonly weights: Float32Array | undefined;
}

/** Reads the names on elements; each different class list or id of the page is looked at once. */
export class ElementNames {
  readonly #tree: Tree;
  readonly #lexicon: Lexicon;
  readonly #classes = new Map<string, Profile>();
  readonly #ids = new Map<string, Profile>();

  constructor(tree: Tree, lexicon: Lexicon) {
    this.#tree = tree;
    this.#lexicon = lexicon;
  }

  /** Adds the lexicon weights of a node's names into `sums` at `offset`; returns the family bits. */
  addWeights(node: number, sums: Float32Array, offset: number): number {
    let bits = 0;
    addInto(this.#lexicon.get(`<${this.#tree.value[node]}`), sums, offset);
    const attributes = this.#tree.attributes[node];
    if (attributes === undefined) return 0;
    for (const { name, value } of attributes) {
      if (value === '') continue;
      if (name === 'class') {
        const profile = this.#profileOf(this.#classes, value, '');
        bits |= profile.bits;
        addInto(profile.weights, sums, offset);
      } else if (name === 'id') {
        const profile = this.#profileOf(this.#ids, value, '#');
        bits |= profile.bits;
        addInto(profile.weights, sums, offset);
      } else if (name === 'role') {
        addInto(this.#lexicon.get(`@${value}`), sums, offset);
      } else if (name === 'itemprop') {
        addInto(this.#lexicon.get(`$${value}`), sums, offset);
      }
    }
    return bits;
  }

  /** Hash of the element's name and class list: equal for the cards of one group. */
  getSignature(node: number): number {
    const name = hashWord(this.#tree.value[node]!);
    const attributes = this.#tree.attributes[node];
    if (attributes === undefined) return name;
    for (const attribute of attributes) {
      if (attribute.name === 'class') {
        return (Math.imul(name, 31) + this.#profileOf(this.#classes, attribute.value, '').hash) | 0;
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
    const tokens = [`<${this.#tree.value[node]}`];
    for (const { name, value } of this.#tree.attributes[node] ?? []) {
      if (value === '') continue;
      if (name === 'class') tokens.push(...getNameTokens(value, ''));
      else if (name === 'id') tokens.push(...getNameTokens(value, '#'));
      else if (name === 'role') tokens.push(`@${value}`);
      else if (name === 'itemprop') tokens.push(`$${value}`);
    }
    return tokens;
  }

  #profileOf(cache: Map<string, Profile>, value: string, prefix: string): Profile {
    let profile = cache.get(value);
    if (profile === undefined) {
      profile = this.#makeProfile(value, prefix);
      cache.set(value, profile);
    }
    return profile;
  }

  #makeProfile(value: string, prefix: string): Profile {
    let bits = 0;
    let weights: Float32Array | undefined;
    for (const token of getNameTokens(value, prefix)) {
      bits |= getNameBits(prefix === '' ? token : token.slice(1));
      const found = this.#lexicon.get(token);
      if (found === undefined) continue;
      weights ??= new Float32Array(LEVELS);
      addInto(found, weights, 0);
    }
    return { bits, hash: hashWord(value.slice(0, 200)), weights };
  }
}

/** Words and whole names of a class list or id, each once. At most 2,000 characters are read. */
function getNameTokens(value: string, prefix: string): Set<string> {
  const tokens = new Set<string>();
  for (const name of value.slice(0, 2000).split(/\s+/)) {
    if (name === '') continue;
    const words = splitName(name);
    for (const word of words) tokens.add(prefix + word);
    if (words.length > 1 && words.length < 6) tokens.add(prefix + words.join('-'));
  }
  return tokens;
}

function addInto(weights: Float32Array | undefined, sums: Float32Array, offset: number): void {
  if (weights === undefined) return;
  for (let level = 0; level < LEVELS; level++) sums[offset + level]! += weights[level]!;
}
