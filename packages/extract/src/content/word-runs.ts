import { hashWord } from './words/word-families.ts';

/** Scripts without spaces between words count by letter. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;
/** Words in a row that count as the same text. */
const RUN = 3;
const FACTOR = 31;

export function listWords(text: string): string[] {
  return Array.from(text.matchAll(WORD), ([word]) => word.toLowerCase());
}

export interface Coverage {
  /** Words before the first one that stands in the learned text; -1 without any. */
  readonly start: number;
  /** Words after `start` that do not stand in it. */
  readonly others: number;
  readonly covered: number;
}

/** Tells which words of a text stand, in the same order, in texts that it learned. */
export class WordRuns {
  /** Hashes of the runs of words. */
  readonly #seen = new Set<number>();
  #count = 0;
  #before = 0;
  #last = 0;

  learn(text: string): void {
    for (const [word] of text.matchAll(WORD)) {
      const hash = hashWord(word.toLowerCase());
      if (++this.#count >= RUN) this.#seen.add(join(this.#before, this.#last, hash));
      this.#before = this.#last;
      this.#last = hash;
    }
  }

  cover(words: readonly string[]): Coverage {
    const hashes = words.map(hashWord);
    let covered = 0;
    let start = -1;
    let until = 0;
    for (let at = 0; at + RUN <= words.length; at++) {
      if (!this.#seen.has(join(hashes[at], hashes[at + 1], hashes[at + 2]))) continue;
      if (start < 0) start = at;
      covered += at + RUN - Math.max(at, until);
      until = at + RUN;
    }
    return { start, covered, others: words.length - start - covered };
  }
}

function join(first: number, second: number, third: number): number {
  return (Math.imul(Math.imul(first, FACTOR) + second, FACTOR) + third) | 0;
}
