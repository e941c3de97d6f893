/** What turns a page into an extraction: worker threads (`workers/`) and the templates of sites. */
import type { Favor, Format, HiddenText } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import type { StageBudget } from '../shared/ports.ts';

/** Runs `packages/extract` in worker threads. */
export interface Extractor {
  /**
   * Throws AppError `extract_timeout` when the budget ran out (the thread is ended) and `internal`
   * when the thread died.
   */
  extract(input: ExtractInput, budget: StageBudget): Promise<Extraction>;
}

export interface ExtractInput {
  readonly html: string;
  readonly url: string;
  readonly contentLanguage: string | null;
  readonly formats: readonly Format[];
  /** Default: `balanced`. */
  readonly favor?: Favor | undefined;
  /** Default: `drop`. */
  readonly hiddenText?: HiddenText | undefined;
}

/** A stored page in the eyes of the templates. */
export interface PageSource extends ExtractInput {
  readonly projectId: string;
  readonly domId: string;
  /** Resolves when the snapshot can be read back, rejects when it could not be stored. None: it is there already. */
  readonly stored?: Promise<unknown>;
}

/** What turns a page into an extraction: `generic:v1` or a site's template. */
export interface Template {
  /** As responses show it: `generic:v1`, `tpl_…:v3`. */
  readonly id: string;
  /** Throws AppError `extract_timeout` when the budget ran out. */
  apply(page: PageSource, budget: StageBudget): Promise<TemplateOutcome>;
}

export interface TemplateOutcome {
  readonly extraction: Extraction;
  /** The template that the extraction really comes from: another one when the first choice failed on the page. */
  readonly templateId: string;
  /** Why the first choice was left, if it was; for the trace. */
  readonly fallback?: string;
  /** Custom fields of a site's template. */
  readonly fields?: Readonly<Record<string, string | number | string[] | null>>;
}

/** A template that was considered for a page. */
export interface TemplateCandidate {
  readonly templateId: string;
  readonly score: number;
  readonly reason: string;
}

export interface TemplateMatch {
  readonly template: Template;
  readonly candidates: readonly TemplateCandidate[];
  /** Why a template should be generated for this page before it is extracted; undefined: none is wanted. */
  readonly generate?: string;
}

/** Finds, and when needed makes, the template for a page. */
export interface Templates {
  match(page: PageSource, budget: StageBudget): Promise<TemplateMatch>;
  /** A template made for the page; undefined when nothing usable came of it, and the matched one serves. */
  generate(page: PageSource, budget: StageBudget): Promise<Template | undefined>;
}
