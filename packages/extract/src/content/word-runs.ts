/** Scripts without spaces between words count by letter. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu;
/** Words in a row that count as the same text. */
const RUN = 3;

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
  readonly #seen = new Set<string>();
  /** The last words of the text so far. */
  readonly #last: string[] = [];

  learn(text: string): void {
    for (const word of listWords(text)) {
      this.#last.push(word);
      if (this.#last.length > RUN) this.#last.shift();
      if (this.#last.length === RUN) this.#seen.add(this.#last.join(' '));
    }
  }

  cover(words: readonly string[]): Coverage {
    let covered = 0;
    let start = -1;
    let until = 0;
    for (let at = 0; at + RUN <= words.length; at++) {
      if (!this.#seen.has(words.slice(at, at + RUN).join(' '))) continue;
      if (start < 0) start = at;
      covered += at + RUN - Math.max(at, until);
      until = at + RUN;
    }
    return { start, covered, others: words.length - start - covered };
  }
}
