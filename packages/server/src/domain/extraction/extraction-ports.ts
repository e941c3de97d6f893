import type { Favor, Format, HiddenText } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import type { StageBudget } from '../shared/ports.ts';

/** Runs `packages/extract` in worker threads. */
export interface Extractor {
  /** Throws AppError `extract_timeout` when the budget ran out, `internal` when the thread died. */
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

/** A stored page. */
export interface PageSource extends ExtractInput {
  readonly projectId: string;
  readonly domId: string;
  /** Settles when the snapshot is stored; absent: it exists already. */
  readonly stored?: Promise<unknown>;
}

/** `generic:v1` or a site template. */
export interface Template {
  /** For example `generic:v1`, `tpl_…:v3`. */
  readonly id: string;
  /** Throws AppError `extract_timeout`. */
  apply(page: PageSource, budget: StageBudget): Promise<TemplateOutcome>;
}

export interface TemplateOutcome {
  readonly extraction: Extraction;
  /** Template of the extraction, after a possible fallback. */
  readonly templateId: string;
  /** Reason of the fallback, for the trace. */
  readonly fallback?: string;
  readonly fields?: Readonly<Record<string, string | number | string[] | null>>;
}

export interface TemplateCandidate {
  readonly templateId: string;
  readonly score: number;
  readonly reason: string;
}

export interface TemplateMatch {
  readonly template: Template;
  readonly candidates: readonly TemplateCandidate[];
  /** Why a template should be generated first. */
  readonly generate?: string;
}

export interface Templates {
  match(page: PageSource, budget: StageBudget): Promise<TemplateMatch>;
  /** Returns undefined without a usable template; the matched one is then used. */
  generate(page: PageSource, budget: StageBudget): Promise<Template | undefined>;
}
