import type { ElementChoice, PageNotes } from '@winnow/extract/matching';
import type { CompiledFields, ReadFields, RequestedField } from '@winnow/extract/templates';
import type { StageBudget } from '../shared/ports.ts';
import type { ContentOptions } from '../request-options/content-options.ts';
import type { PageLinks } from '../crawls/read-links.ts';
import { AppError } from '../shared/errors.ts';
import type { LimitedExtraction } from './limit-lists.ts';

export interface Extractor {
  /** Throws AppError `extract_timeout`, or `unsupported_content` when the process died. */
  extract(input: ExtractInput, budget: StageBudget): Promise<PageExtraction>;
}

export interface LinkReader {
  /** Reads the links of a page without extracting it. Throws AppError as {@link Extractor}. */
  readLinks(page: Pick<ExtractInput, 'html' | 'url'>, budget: StageBudget): Promise<PageLinks>;
}

/** With the fields that the input asks for, from the same parse. */
export interface PageExtraction extends LimitedExtraction {
  readonly requested?: ReadFields;
  /** If the input asks for them and the page has text. */
  readonly notes?: PageNotes | undefined;
  /** Of the whole page, if the input asks for them. */
  readonly followed?: PageLinks | undefined;
}

export interface ExtractInput extends ContentOptions {
  readonly html: string;
  readonly url: string;
  readonly contentLanguage: string | null;
  /** Default: the whole page. */
  readonly elements?: ElementChoice | undefined;
  /** Read from the whole page. */
  readonly fields?: readonly RequestedField[] | undefined;
  /** What other pages of the site show: JSON, which is parsed once for all pages and sent as fast as text. */
  readonly siteEvidence?: string | undefined;
  readonly takeNotes?: boolean | undefined;
  /** For a crawl. */
  readonly takeLinks?: boolean | undefined;
}

export interface PageSource extends ExtractInput {
  readonly projectId: string;
  readonly domId: string;
  /** Settles when the snapshot is stored; absent: it exists already. */
  readonly stored?: Promise<unknown>;
  /** Made with the site input of the chosen template when the capture was judged. */
  readonly extraction?: PageExtraction | undefined;
}

/** A page whose snapshot may not exist yet. */
export type UnstoredPage = Omit<PageSource, 'domId' | 'stored'>;

export interface ExtractionTemplate {
  /** For example `generic:v1`, `tpl_…:v3`. */
  readonly id: string;
  /** For the extractor. */
  readonly site?: Pick<ExtractInput, 'siteEvidence' | 'takeNotes'>;
  /** Pages that its evidence is from. */
  readonly pages?: number;
  /** Throws AppError `extract_timeout`. */
  apply(page: PageSource, budget: StageBudget): Promise<TemplateOutcome>;
}

export interface TemplateOutcome {
  readonly extraction: PageExtraction;
  /** After a possible fallback. */
  readonly templateId: string;
  /** For the trace. */
  readonly fallback?: string;
  /** Source of the main text, and why parts come from the generic extractor; for the trace. */
  readonly sources?: { readonly mainText: string | null; readonly fromGeneric: Readonly<Record<string, string>> };
  readonly fields?: Readonly<Record<string, string | number | string[] | null>>;
}

export interface TemplateCandidate {
  readonly templateId: string;
  readonly score: number;
  readonly reason: string;
}

export interface TemplateMatch {
  readonly template: ExtractionTemplate;
  readonly candidates: readonly TemplateCandidate[];
  /** The page has the structure of the template. The address alone also matches unrendered app shells. */
  readonly isByStructure?: boolean;
  /** Why evidence of the site should be built. */
  readonly generate?: string;
}

export interface TemplateProvider {
  match(page: UnstoredPage, budget: StageBudget): Promise<TemplateMatch>;
  /** Undefined: the matched template is used. */
  generate(page: UnstoredPage, budget: StageBudget): Promise<ExtractionTemplate | undefined>;
}

/**
 * Refuses invalid selectors before anything is fetched.
 * @param path of the fields in the body
 * @throws {AppError} `invalid_request`
 */
export async function checkFields(fields: readonly RequestedField[] | undefined, path: string): Promise<void> {
  if (fields === undefined || fields.length === 0) return;
  // Few requests need the selector engines.
  const { compileFields, TemplateFault } = await import('@winnow/extract/templates');
  try {
    compileFields(fields) satisfies CompiledFields;
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    const [, place = '', message = ''] = /^(\[\d+\]\.selector)(?:\.\w+)?: ([\s\S]*)$/.exec(error.message) ?? [];
    throw new AppError('invalid_request', `${path}${place}: ${message === '' ? error.message : message}`);
  }
}
