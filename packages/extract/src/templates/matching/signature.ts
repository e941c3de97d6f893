/**
 * Structure of a page as MinHash over tag-path shingles, from the source without parsing.
 *
 * Broder, "On the resemblance and containment of documents", 1997; tag-path shingles after Buttler, "A short survey of
 * document structure similarity algorithms", 2004.
 */

import { findEndTag, findTagEnd, isLetter } from '../../tree/parse/scan-tags.ts';

/** The error of a distance is about 1 / √64 at worst. */
export const SIGNATURE_LENGTH = 64;

/** More tags add cost and no information. */
const MAX_TAGS = 20_000;
const MAX_LENGTH = 4_000_000;
const SHINGLE = 4;
const SLASH = 47;

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements whose content is ignored. */
const RAW = new Set('script style textarea title noscript iframe xmp noembed noframes template svg'.split(' '));
/** Elements that the next one of the same name ends. */
const OPTIONAL_END = new Set('p li dt dd tr td th option'.split(' '));
const LOOSE = new Set('b i em strong a span br u s small sup sub code mark abbr cite q font'.split(' '));

export function computeSignature(html: string): Uint32Array {
  const shingles = collectShingles(html);
  const signature = new Uint32Array(SIGNATURE_LENGTH).fill(0xffffffff);
  for (const shingle of shingles) {
    for (let k = 0; k < SIGNATURE_LENGTH; k++) {
      const hash = mix(shingle, SEEDS[k]);
      if (hash < signature[k]) signature[k] = hash;
    }
  }
  return signature;
}

/** Estimated share of shingles that two pages do not share, 0 to 1. */
export function getSignatureDistance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let equal = 0;
  for (let k = 0; k < SIGNATURE_LENGTH; k++) if (a[k] === b[k]) equal++;
  return 1 - equal / SIGNATURE_LENGTH;
}

function collectShingles(html: string): Set<number> {
  const shingles = new Set<number>();
  const names: string[] = [];
  const hashes: number[] = [];
  const end = Math.min(html.length, MAX_LENGTH);
  let tags = 0;
  for (let at = html.indexOf('<'); at >= 0 && at < end && tags < MAX_TAGS; at = html.indexOf('<', at)) {
    const code = html.charCodeAt(at + 1);
    if (code === SLASH) {
      const name = readName(html, at + 2);
      close(name, names, hashes);
      at += 2 + name.length;
    } else if (isLetter(code)) {
      const name = readName(html, at + 1);
      tags++;
      at = findTagEnd(html, at + 1 + name.length);
      if (at < 0) break;
      if (LOOSE.has(name)) continue;
      const hash = hashName(name);
      if (OPTIONAL_END.has(name) && names.at(-1) === name) {
        names.pop();
        hashes.pop();
      }
      addShingle(shingles, hashes, hash);
      const selfClosed = html.charCodeAt(at - 1) === SLASH;
      if (RAW.has(name) && !selfClosed) {
        at = findEndTag(html, name, at);
        if (at < 0) break;
      } else if (!VOID.has(name) && !selfClosed) {
        names.push(name);
        hashes.push(hash);
      }
    } else if (html.startsWith('!--', at + 1)) {
      const commentEnd = html.indexOf('-->', at + 4);
      if (commentEnd < 0) break;
      at = commentEnd + 3;
    } else at++;
  }
  return shingles;
}

/** Closes all elements up to the start tag, if that is near. */
function close(name: string, names: string[], hashes: number[]): void {
  if (LOOSE.has(name)) return;
  const limit = Math.max(0, names.length - 12);
  for (let i = names.length - 1; i >= limit; i--) {
    if (names[i] !== name) continue;
    names.length = hashes.length = i;
    return;
  }
}

/** Without the depth, repeated elements add no shingle. */
function addShingle(shingles: Set<number>, above: readonly number[], hash: number): void {
  let shingle = hash;
  for (let i = above.length - 1; i >= Math.max(0, above.length - SHINGLE + 1); i--) {
    shingle = (Math.imul(shingle, 0x01000193) ^ above[i]) >>> 0;
  }
  shingles.add(shingle);
}

/** Letters, digits and hyphens only: stored signatures contain such names. */
function readName(html: string, from: number): string {
  let at = from;
  while (at < from + 40 && isNameChar(html.charCodeAt(at))) at++;
  return html.slice(from, at).toLowerCase();
}

function isNameChar(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 57) || code === 45;
}

function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** One of 64 hash functions: MurmurHash3's finaliser over the seeded value. */
function mix(value: number, seed: number): number {
  let hash = value ^ seed;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Fixed, because signatures are stored. */
const SEEDS: readonly number[] = Array.from({ length: SIGNATURE_LENGTH }, (_, k) => Math.imul(k + 1, 0x9e3779b1));
