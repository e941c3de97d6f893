import { codeAt } from '../code-at.ts';
import { memoize } from '../memoize.ts';
import { decodeEscapes } from './declarations.ts';
import { findStringEnd, type StyleRule } from './read-rules.ts';
import type { Tree } from '../tree.ts';

/** The name of a class or id in a selector. */
const NAME = /(?:[\w-]|[^ -~\s]|\\[^\n]){1,200}/y;
const SPACE = 0x20;
const HASH = 0x23;
const COMMA = 0x2c;
const DOT = 0x2e;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const PARENTHESIS = 0x28;
const PARENTHESIS_END = 0x29;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;
/** Parts of elements, and states of no fresh page. */
const NEVER_MET = /:(?::|before|after|hover|active|visited|focus|target)/y;
/** It may end with a space. */
const CODED_ESCAPE = /\\[\da-f]/i;
/** Key of names with other escapes than of marks. */
const ESCAPED = -1;
/** Hashes of the page's names are told apart up to this number. */
const SLOTS = 32_768;

/**
 * Finds the rules that name a class or id of the page. Reads only names with the same hash: most names are of elements
 * that the page does not have, or that nothing hides.
 */
export class NameIndex {
  readonly #rules: readonly StyleRule[];
  /** Slots of the hashes of the page's classes and ids. */
  readonly #used = new Uint8Array(SLOTS);
  /** Whether an element may have the classes and ids that a rule requires of it, by order. */
  readonly #mayMatch: Uint8Array;
  /** By the hash of the names: pairs of a rule and where a name starts in its selector. */
  readonly #starts = new Map<number, number[]>();
  /** Names of the compound that is read: their hashes and starts. */
  readonly #keys: number[] = [];
  readonly #names: number[] = [];
  #count = 0;
  #end = 0;

  constructor(rules: readonly StyleRule[], attributes: Tree['attributes']) {
    this.#rules = rules;
    this.#mayMatch = new Uint8Array(rules.length);
    if (rules.length > 0) this.#noteUsed(attributes);
    for (let order = 0; order < rules.length; order++) this.#addStarts(order);
  }

  /** False for half the rules of a style sheet that many pages share. */
  mayMatch(order: number): boolean {
    return this.#mayMatch[order] === 1;
  }

  /** In ascending order. */
  listOrders(name: string): readonly number[] {
    const plain = this.#readNames(hashName(name)).get(name) ?? [];
    const escaped = this.#readNames(ESCAPED).get(name) ?? [];
    return escaped.length === 0 ? plain : [...new Set([...plain, ...escaped])].toSorted((a, b) => a - b);
  }

  #noteUsed(attributes: Tree['attributes']): void {
    const known = new Set<string>();
    for (const own of attributes) {
      if (own === undefined) continue;
      for (const { name, value } of own) {
        if (name === 'id') this.#used[hashName(value) % SLOTS] = 1;
        else if (name === 'class' && known.size < known.add(value).size) this.#noteWords(value);
      }
    }
  }

  #noteWords(classes: string): void {
    let hash = 0;
    for (let at = 0; at < classes.length; at++) {
      const code = codeAt(classes, at);
      if (code > SPACE) hash = addToHash(hash, code);
      else {
        this.#used[hash % SLOTS] = 1;
        hash = 0;
      }
    }
    this.#used[hash % SLOTS] = 1;
  }

  /**
   * Notes the names in the last compound of each alternative of a selector, outside brackets; in the whole of one with
   * coded escapes. An alternative applies only if the page has each of its names outside brackets.
   */
  #addStarts(order: number): void {
    const { selector } = this.#rules[order];
    const isCoded = selector.includes('\\') && CODED_ESCAPE.test(selector);
    let isMet = true;
    let isPastSpace = false;
    this.#count = 0;
    for (let at = 0; at < selector.length; at++) {
      const code = codeAt(selector, at);
      if (!isCoded && code > SPACE && (isPastSpace || isCombinator(code))) this.#count = 0;
      isPastSpace = code <= SPACE;
      if (code === DOT || code === HASH) {
        isMet = this.#noteName(selector, at + 1) && isMet;
        at = this.#end - 1;
      } else if (code === COMMA && !isCoded) {
        this.#endAlternative(order, isMet);
        isMet = true;
      } else if (code === COLON) {
        NEVER_MET.lastIndex = at;
        isMet &&= !NEVER_MET.test(selector);
      } else if (code === PARENTHESIS || code === BRACKET) at = findBracketEnd(selector, at);
      else if (code === BACKSLASH) at++;
    }
    this.#endAlternative(order, isMet || isCoded);
  }

  /** Hashes a name in a selector as `hashName` does without its escapes. */
  #noteName(selector: string, from: number): boolean {
    let hash = 0;
    let at = from;
    for (; at < selector.length; at++) {
      let code = codeAt(selector, at);
      if (code === BACKSLASH) {
        at++;
        code = at < selector.length ? codeAt(selector, at) : SPACE;
        if (code <= SPACE || isInName(code) || code === BACKSLASH) hash = ESCAPED;
      } else if (!isInName(code)) break;
      if (hash !== ESCAPED) hash = addToHash(hash, code);
    }
    this.#end = at;
    const isUsed = hash === ESCAPED || this.#used[hash % SLOTS] === 1;
    if (isUsed) {
      this.#keys[this.#count] = hash;
      this.#names[this.#count++] = from;
    }
    return isUsed;
  }

  #endAlternative(order: number, isMet: boolean): void {
    if (isMet) this.#mayMatch[order] = 1;
    for (let index = 0; index < this.#count; index++) {
      const known = this.#starts.get(this.#keys[index]);
      if (known === undefined) this.#starts.set(this.#keys[index], [order, this.#names[index]]);
      else known.push(order, this.#names[index]);
    }
    this.#count = 0;
  }

  readonly #readNames = memoize((key: number): Map<string, number[]> => {
    const names = new Map<string, number[]>();
    const starts = this.#starts.get(key) ?? [];
    for (let index = 0; index < starts.length; index += 2) {
      const [order, at] = [starts[index], starts[index + 1]];
      const { selector } = this.#rules[order];
      NAME.lastIndex = at;
      if (!NAME.test(selector)) continue;
      const name = decodeEscapes(selector.slice(at, NAME.lastIndex));
      const orders = names.get(name);
      if (orders === undefined) names.set(name, [order]);
      else if (orders.at(-1) !== order) orders.push(order);
    }
    return names;
  }, Infinity);
}

function findBracketEnd(selector: string, from: number): number {
  let depth = 0;
  for (let at = from; at < selector.length; at++) {
    const code = codeAt(selector, at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE || code === APOSTROPHE) at = findStringEnd(selector, at);
    else if (code === PARENTHESIS || code === BRACKET) depth++;
    else if ((code === PARENTHESIS_END || code === BRACKET_END) && --depth === 0) return at;
  }
  return selector.length;
}

function hashName(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = addToHash(hash, name.charCodeAt(at));
  return hash;
}

/** Never negative. */
function addToHash(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) & 0x3fff_ffff;
}

/** Whether a character may be in a name without an escape. */
function isInName(code: number): boolean {
  const letter = code | SPACE;
  if (letter >= 0x61 && letter <= 0x7a) return true;
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x5f || code > 0x7e;
}

function isCombinator(code: number): boolean {
  return code === 0x3e || code === 0x2b || code === 0x7e;
}
