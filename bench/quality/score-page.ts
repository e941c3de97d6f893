import type { BenchmarkPage } from './benchmark-page.ts';
import { agreeAsDays, agreeAsNames, isGiven } from './score-fields.ts';
import { countSnippets, scoreText } from './score-text.ts';

/** The fields of an extraction that the benchmark compares. */
export interface Extraction {
  readonly mainText: string;
  readonly title: string | null;
  readonly author: string | null;
  readonly publishTime: string | null;
}

/** Scores of one page. A field is undefined if the truth has no value for it. */
export interface PageScore {
  readonly id: string;
  readonly pageType: string;
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  readonly title: boolean | undefined;
  readonly author: boolean | undefined;
  readonly date: boolean | undefined;
  /** Whether no author was returned; undefined if the truth has one. */
  readonly noAuthor: boolean | undefined;
  readonly noDate: boolean | undefined;
  readonly withFound: number;
  readonly withTotal: number;
  readonly withoutFound: number;
  readonly withoutTotal: number;
  readonly milliseconds: number;
  /** Why there is no extraction; the page then scores as an empty extraction. */
  readonly error: string | undefined;
}

const NOTHING: Extraction = { mainText: '', title: null, author: null, publishTime: null };

/** Scores one extraction, or a failed one (`error`), which counts as empty. */
export function scorePage(
  page: BenchmarkPage,
  outcome: { extraction?: Extraction; error?: string; milliseconds: number },
): PageScore {
  const { truth } = page;
  const output = outcome.extraction ?? NOTHING;
  const hasNone = (field: 'author' | 'publishDate'): boolean =>
    !isGiven(truth[field]) && !truth.unlabelled.includes(field);
  return {
    id: page.id,
    pageType: page.pageType,
    ...scoreText(truth.mainContent, output.mainText, truth.neutral),
    title: isGiven(truth.title) ? agreeAsNames(truth.title, output.title) : undefined,
    author: isGiven(truth.author) ? agreeAsNames(truth.author, output.author) : undefined,
    date: isGiven(truth.publishDate) ? agreeAsDays(truth.publishDate, output.publishTime) : undefined,
    noAuthor: hasNone('author') ? !isGiven(output.author) : undefined,
    noDate: hasNone('publishDate') ? !isGiven(output.publishTime) : undefined,
    withFound: countSnippets(truth.with, output.mainText, { isWhole: false }),
    withTotal: truth.with.length,
    withoutFound: countSnippets(truth.without, output.mainText, { isWhole: true }),
    withoutTotal: truth.without.length,
    milliseconds: outcome.milliseconds,
    error: outcome.error,
  };
}
