import { HashTable } from '../../content/words/hash-table.ts';
import { memoize } from '../../tree/memoize.ts';
import { TRIGRAMS } from './trigrams.ts';

/** Shorter texts have no rank. */
const MIN_LENGTH = 10;
/** Distance of a trigram that a language lacks. */
const MAX_DIFFERENCE = 300;

interface Trigrams {
  readonly codes: readonly string[];
  /** Small numbers of the script's characters by UTF-16 code unit; 0 for all others. */
  readonly letters: Uint8Array;
  /** Indexes in `ranks` by the numbers of three letters, 8 bits each. */
  readonly places: HashTable<number>;
  /** Pairs of an index in `codes` and the trigram's rank in that language. */
  readonly ranks: readonly (readonly number[])[];
}

/**
 * Ranks the languages of a script with the data and scores of `francAll`, in a tenth of its time.
 *
 * @param script a script of several languages, in which most of the text is written
 * @param only codes (ISO 639-3) of the languages to rank
 */
export function rankLanguages(text: string, script: string, only: readonly string[]): (readonly [string, number])[] {
  if (text.length < MIN_LENGTH) return [];
  const trigrams = readTrigrams(script);
  const { codes, ranks } = trigrams;
  const { counts, known, distinct } = countTrigrams(text, trigrams);
  const distances = new Float64Array(codes.length).fill(MAX_DIFFERENCE * distinct);
  for (const place of known) {
    const pairs = ranks[place];
    const count = counts[place];
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

interface Counts {
  readonly counts: Uint16Array;
  /** Indexes in `ranks` of the text's trigrams. */
  readonly known: readonly number[];
  /** Number of different trigrams, known or not. */
  readonly distinct: number;
}

function countTrigrams(text: string, { letters, places, ranks }: Trigrams): Counts {
  const clean = text
    .replace(/[\u0021-\u0040]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
  const padded = ` ${clean} `;
  const counts = new Uint16Array(ranks.length);
  const known: number[] = [];
  const unknown = new Set<string>();
  let key = 0;
  for (let at = 0; at < padded.length; at++) {
    key = ((key << 8) | letters[padded.charCodeAt(at)]) & 0xff_ff_ff;
    if (at < 2) continue;
    const place = places.get(key);
    if (place === undefined) unknown.add(padded.slice(at - 2, at + 1));
    else if (counts[place]++ === 0) known.push(place);
  }
  return { counts, known, distinct: known.length + unknown.size };
}

const MAX_SCRIPTS = 4;
const readTrigrams = memoize(indexTrigrams, MAX_SCRIPTS);

function indexTrigrams(script: string): Trigrams {
  const codes = Object.keys(TRIGRAMS[script]);
  const letters = new Uint8Array(65_536);
  const places = new Map<number, number>();
  const ranks: number[][] = [];
  let count = 0;
  for (const [language, code] of codes.entries()) {
    for (const [rank, trigram] of TRIGRAMS[script][code].split('|').entries()) {
      let key = 0;
      for (let i = 0; i < trigram.length; i++) {
        const unit = trigram.charCodeAt(i);
        letters[unit] ||= ++count;
        key = (key << 8) | letters[unit];
      }
      let place = places.get(key);
      if (place === undefined) places.set(key, (place = ranks.push([]) - 1));
      ranks[place].push(language, rank);
    }
  }
  return { codes, letters, places: new HashTable(places), ranks };
}
