const VOCABULARY =
  'the of and to in is that for it as was with be by on not he this are or his from at which but have an had they you were their one all we can her has there been if more when will would who so no out up into than them some could time these two may then do first any my now such like our over man me even most made after also did many before must through back years where much your way well down should because each just those people how too little state good very make world still own see men work long get here between both life being under never day same another know while last might us great old year off come since against go came right used take three'.split(
    ' ',
  );
const LONG_WORDS =
  'efficient office different affluence workflow information experiment government afternoon understanding measurement development'.split(
    ' ',
  );

/** Generates random prose, deterministic for a seed. */
export class Prose {
  #state: number;
  readonly #words: readonly string[];

  constructor(seed: number, words: readonly string[] = [...VOCABULARY, ...LONG_WORDS, ...LONG_WORDS]) {
    this.#state = seed;
    this.#words = words;
  }

  #next(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  words(count: number): string[] {
    return Array.from({ length: count }, () => this.#words[this.#next(this.#words.length)] ?? '');
  }

  sentence(): string {
    const [first = '', ...rest] = this.words(6 + this.#next(14));
    return `${first.charAt(0).toUpperCase()}${first.slice(1)} ${rest.join(' ')}.`;
  }

  paragraph(sentences = 4): string {
    return Array.from({ length: sentences }, () => this.sentence()).join(' ');
  }

  paragraphs(count: number, sentences?: number): string[] {
    return Array.from({ length: count }, () => this.paragraph(sentences));
  }

  heading(): string {
    const [first = '', ...rest] = this.words(4);
    return `${first.charAt(0).toUpperCase()}${first.slice(1)} ${rest.join(' ')}`;
  }
}
