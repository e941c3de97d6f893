import type { Extraction } from '@winnow/extract';
import type { Extractor, ExtractInput } from './extraction-ports.ts';
import type { StageBudget } from '../shared/ports.ts';

/** The judged page is extracted moments later. */
const MAX_ENTRIES = 16;
const MAX_AGE_MS = 30_000;

/** Total characters of HTML. */
const MAX_CHARACTERS = 32_000_000;

interface Entry {
  readonly input: ExtractInput;
  readonly extraction: Extraction;
  readonly at: number;
}

export class RememberingExtractor implements Extractor {
  readonly #extractor: Extractor;
  #entries: Entry[] = [];

  constructor(extractor: Extractor) {
    this.#extractor = extractor;
  }

  async extract(input: ExtractInput, budget: StageBudget): Promise<Extraction> {
    const index = this.#entries.findIndex((entry) => isSame(entry.input, input));
    const [entry] = index === -1 ? [] : this.#entries.splice(index, 1);
    return entry && performance.now() - entry.at < MAX_AGE_MS
      ? entry.extraction
      : this.#extractor.extract(input, budget);
  }

  async extractAhead(input: ExtractInput, budget: StageBudget): Promise<Extraction> {
    const extraction = await this.#extractor.extract(input, budget);
    const now = performance.now();
    const young = this.#entries.filter((entry) => now - entry.at < MAX_AGE_MS).slice(1 - MAX_ENTRIES);
    this.#entries = [...young, { input, extraction, at: now }];
    while (countCharacters(this.#entries) > MAX_CHARACTERS) this.#entries.shift();
    return extraction;
  }
}

function countCharacters(entries: readonly Entry[]): number {
  return entries.reduce((sum, entry) => sum + entry.input.html.length, 0);
}

/** Compares quickly: equal texts are the same string. */
function isSame(a: ExtractInput, b: ExtractInput): boolean {
  return (
    a.html === b.html &&
    a.url === b.url &&
    a.contentLanguage === b.contentLanguage &&
    a.favor === b.favor &&
    a.hiddenText === b.hiddenText &&
    a.formats.length === b.formats.length &&
    a.formats.every((format) => b.formats.includes(format))
  );
}
