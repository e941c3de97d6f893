import { codeAt } from '../../tree/code-at.ts';
import type { Tree } from '../../tree/tree.ts';
import { CUSTOM_BLOCK, OTHER, TAG } from '../../tree/tags.ts';
import { TAG_PREFIX, type Lexicon } from './lexicon.ts';
import { getNameBits } from './name-families.ts';
import { listNameTokens, NameTokens } from './name-words.ts';
import { getRoleBits } from './tag-families.ts';
import { hashWord } from './word-families.ts';

/** Number of levels, see `Lexicon`. */
export const LEVELS = 4;

/** Token prefixes separate kinds of names. */
const CLASS_PREFIX = '';
const ROLE_PREFIX = '@';
const DATA_NAME_PREFIX = '-';

const NAMING: ReadonlyMap<string, string> = new Map([
  ['class', CLASS_PREFIX],
  ['id', '#'],
  ['role', ROLE_PREFIX],
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

/** First characters of names of `NAMING` or `data-…`: skips most attributes at once. */
const OPENINGS = new Uint8Array(65536);
for (const name of [...NAMING.keys(), 'data-']) OPENINGS[name.charCodeAt(0)] = 1;

/** Hashes of element names by tag code; 0 for the document. */
const TAG_HASHES = new Int32Array(256);
for (const [name, code] of Object.entries(TAG)) TAG_HASHES[code] = hashWord(name);

const FAMILY_PREFIXES = new Set([CLASS_PREFIX, '#', '%', '~']);

interface Profile {
  readonly bits: number;
  /** Of a class; 0 for other names. */
  readonly hash: number;
  readonly weights: Float32Array | undefined;
}

const TOKENS = new NameTokens();

const MOST_VALUES = 20_000;
const NAMELESS: Profile = { bits: 0, hash: 0, weights: undefined };

/** Reads the names of elements; each different value is processed once. */
export class ElementNames {
  /** Families of names and role of the last element. */
  nameBits = 0;
  roleBits = 0;
  /** Hash of its tag and classes: equal for the cards of a group. */
  signature = 0;
  readonly #tree: Tree;
  readonly #lexicon: Lexicon;
  readonly #profiles = new Map<string, Map<string, Profile>>();

  constructor(tree: Tree, lexicon: Lexicon) {
    this.#tree = tree;
    this.#lexicon = lexicon;
  }

  read(node: number, sums: Float32Array, offset: number): void {
    const tag = this.#tree.value[node];
    const code = this.#readCode(node);
    let bits = 0;
    this.roleBits = 0;
    this.signature = code === OTHER ? hashWord(tag) : TAG_HASHES[code];
    addInto(this.#lexicon.tags[code], sums, offset);
    if (code === OTHER) {
      addInto(this.#lexicon.names.get(hashWord(TAG_PREFIX + tag)), sums, offset);
      bits |= this.#add(tag, CLASS_PREFIX, sums, offset).bits;
    }
    const attributes = this.#tree.attributes[node];
    if (attributes !== undefined) {
      let isSigned = false;
      for (const { name, value } of attributes) {
        if (OPENINGS[codeAt(name, 0)] !== 1) continue;
        const prefix = NAMING.get(name);
        if (prefix === undefined) {
          if (name.startsWith('data-')) this.#add(name, DATA_NAME_PREFIX, sums, offset);
          continue;
        }
        const profile = value === '' ? NAMELESS : this.#add(value, prefix, sums, offset);
        bits |= profile.bits;
        if (name === 'class' && !isSigned) {
          isSigned = true;
          this.signature = (Math.imul(this.signature, 31) + profile.hash) | 0;
        } else if (name === 'role') {
          this.roleBits = getRoleBits(value);
        }
      }
    }
    this.nameBits = bits;
  }

  /** Custom elements keep their names, also as blocks. */
  #readCode(node: number): number {
    const code = this.#tree.tag[node];
    return code === CUSTOM_BLOCK ? OTHER : code;
  }

  /** The tokens whose weights `read` adds, for the lexicon's training. */
  listTokens(node: number): string[] {
    const tag = this.#tree.value[node];
    const tokens = [TAG_PREFIX + tag];
    if (this.#readCode(node) === OTHER) tokens.push(...new Set(listNameTokens(tag, CLASS_PREFIX)));
    for (const { name, value } of this.#tree.attributes[node] ?? []) {
      const prefix = NAMING.get(name);
      if (prefix !== undefined) {
        tokens.push(...new Set(listNameTokens(value, prefix)));
      } else if (name.startsWith('data-')) {
        tokens.push(...new Set(listNameTokens(name, DATA_NAME_PREFIX)));
      }
    }
    return tokens;
  }

  #add(value: string, prefix: string, sums: Float32Array, offset: number): Profile {
    const profile = this.#profileOf(value, prefix);
    addInto(profile.weights, sums, offset);
    return profile;
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
    const added: Float32Array[] = [];
    const hasFamilies = FAMILY_PREFIXES.has(prefix);
    TOKENS.read(value, prefix);
    const { count, tokens, words } = TOKENS;
    for (let t = 0; t < count; t++) {
      if (hasFamilies) bits |= getNameBits(words[t]);
      const found = this.#lexicon.names.get(tokens[t]);
      // A repeated token counts once.
      if (found === undefined || added.includes(found)) continue;
      added.push(found);
      weights ??= new Float32Array(LEVELS);
      addInto(found, weights, 0);
    }
    return { bits, hash: prefix === CLASS_PREFIX ? hashWord(value.slice(0, 200)) : 0, weights };
  }
}

export function addInto(weights: Float32Array | undefined, sums: Float32Array, offset: number): void {
  if (weights === undefined) return;
  for (let level = 0; level < LEVELS; level++) sums[offset + level] += weights[level];
}
