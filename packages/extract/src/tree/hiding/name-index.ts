import { codeAt } from '../code-at.ts';
import { decodeEscapes } from './declarations.ts';
import type { StyleRule } from './read-rules.ts';

/** The name of a class or id in a selector. */
const NAME = /(?:[\w-]|[^ -~\s]|\\[^\n]){1,200}/y;
const SPACE = 0x20;
const HASH = 0x23;
const COMMA = 0x2c;
const DOT = 0x2e;
const BACKSLASH = 0x5c;
const NESTED = /[([\\]/;
/** Key of names with other escapes than of marks. */
const ESCAPED = -1;

/**
 * Finds the rules that name a class or id. Reads only names with the same hash: most names are of elements that the page
 * does not have, or that nothing hides.
 */
export class NameIndex {
  readonly #rules: readonly StyleRule[];
  /** By the hash of the names: pairs of a rule and where a name starts in its selector. */
  readonly #starts = new Map<number, number[]>();
  readonly #orders = new Map<number, Map<string, number[]>>();

  constructor(rules: readonly StyleRule[]) {
    this.#rules = rules;
    for (let order = 0; order < rules.length; order++) this.#addStarts(order);
  }

  /** In ascending order. Also has rules that name the class or id of another element inside brackets. */
  listOrders(name: string): readonly number[] {
    const plain = this.#readNames(hashName(name)).get(name) ?? [];
    const escaped = this.#readNames(ESCAPED).get(name) ?? [];
    return escaped.length === 0 ? plain : [...new Set([...plain, ...escaped])].toSorted((a, b) => a - b);
  }

  /** Notes the names in the last compound of each alternative of a selector; in the whole of one with brackets or escapes. */
  #addStarts(order: number): void {
    const { selector } = this.#rules[order];
    const isNested = NESTED.test(selector);
    const starts: number[] = [];
    let ofAlternatives = 0;
    let isPastSpace = false;
    for (let at = 0; at < selector.length; at++) {
      const code = codeAt(selector, at);
      if (!isNested) {
        if (code === COMMA) ofAlternatives = starts.length;
        else if (code > SPACE && (isPastSpace || isCombinator(code))) starts.length = ofAlternatives;
        isPastSpace = code <= SPACE;
      }
      if (code === DOT || code === HASH) starts.push(at + 1);
      else if (code === BACKSLASH) at++;
    }
    for (const at of starts) {
      const key = hashEscaped(selector, at);
      const known = this.#starts.get(key);
      if (known === undefined) this.#starts.set(key, [order, at]);
      else known.push(order, at);
    }
  }

  #readNames(key: number): Map<string, number[]> {
    const known = this.#orders.get(key);
    if (known !== undefined) return known;
    const names = new Map<string, number[]>();
    this.#orders.set(key, names);
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
  }
}

/** Hashes a name in a selector as `hashName` does without its escapes. */
function hashEscaped(selector: string, from: number): number {
  let hash = 0;
  for (let at = from; at < selector.length; at++) {
    let code = codeAt(selector, at);
    if (code === BACKSLASH) {
      code = codeAt(selector, ++at);
      if (!(code > SPACE) || isInName(code) || code === BACKSLASH) return ESCAPED;
    } else if (!isInName(code)) break;
    hash = addToHash(hash, code);
  }
  return hash;
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
