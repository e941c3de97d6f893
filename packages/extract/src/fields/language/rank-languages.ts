import { data } from 'franc/data.js';
import { expressions } from 'franc/expressions.js';
import { memoize } from '../../tree/memoize.ts';

/** Shorter texts have no rank. */
const MIN_LENGTH = 10;
/** Distance of a trigram that a language lacks. */
const MAX_DIFFERENCE = 300;

interface Trigrams {
  readonly codes: readonly string[];
  /** Pairs of an index in `codes` and the trigram's rank in that language. */
  readonly ranks: ReadonlyMap<string, readonly number[]>;
}

/**
 * Ranks the languages of a script with the same data and scores as `francAll`, in a tenth of its time.
 *
 * @param script a script of several languages in franc's data
 * @param only codes (ISO 639-3) of the languages to rank
 */
export function rankLanguages(text: string, script: string, only: readonly string[]): (readonly [string, number])[] {
  if (text.length < MIN_LENGTH || !isTopScript(text, script)) return [];
  const { codes, ranks } = readTrigrams(script);
  const counts = countTrigrams(text);
  const distances = new Float64Array(codes.length).fill(MAX_DIFFERENCE * counts.size);
  for (const [trigram, count] of counts) {
    const pairs = ranks.get(trigram);
    if (pairs === undefined) continue;
    for (let i = 0; i < pairs.length; i += 2)
      distances[pairs[i]] += Math.abs(count - pairs[i + 1] - 1) - MAX_DIFFERENCE;
  }
  const ranked = codes
    .map((code, place) => [code, distances[place]] as const)
    .filter(([code]) => only.includes(code))
    .toSorted((a, b) => a[1] - b[1]);
  const least = ranked[0]?.[1] ?? 0;
  const range = text.length * MAX_DIFFERENCE - least;
  return ranked.map(([code, distance]) => [code, 1 - (distance - least) / range || 0]);
}

function isTopScript(text: string, script: string): boolean {
  const own = countMatches(text, expressions[script]);
  if (own * 2 > text.length) return true;
  let isLater = false;
  for (const [name, pattern] of Object.entries(expressions)) {
    if (name === script) isLater = true;
    // On a tie the first script wins.
    else if (countMatches(text, pattern) >= own + (isLater ? 1 : 0)) return false;
  }
  return true;
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function countTrigrams(text: string): Map<string, number> {
  const clean = text
    .replace(/[\u0021-\u0040]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
  const padded = ` ${clean} `;
  const counts = new Map<string, number>();
  for (let end = 3; end <= padded.length; end++) {
    const trigram = padded.slice(end - 3, end);
    counts.set(trigram, (counts.get(trigram) ?? 0) + 1);
  }
  return counts;
}

const MAX_SCRIPTS = 10;
const readTrigrams = memoize(indexTrigrams, MAX_SCRIPTS);

function indexTrigrams(script: string): Trigrams {
  const codes = Object.keys(data[script]);
  const ranks = new Map<string, number[]>();
  for (const [place, code] of codes.entries()) {
    for (const [rank, trigram] of data[script][code].split('|').entries()) {
      const pairs = ranks.get(trigram);
      if (pairs === undefined) ranks.set(trigram, [place, rank]);
      else pairs.push(place, rank);
    }
  }
  return { codes, ranks };
}
