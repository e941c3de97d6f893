import type { Extraction } from '@winnow/extract';
import {
  type CompiledTemplate,
  compileFields,
  compileTemplate,
  type ElementChoice,
  extractPicked,
  extractTree,
  extractWithTemplate,
  markPage,
  type OutlinedBlock,
  outlinePage,
  parseTree,
  pickElements,
  readFields,
  SelectorBudgetExceeded,
  type Template,
  type Tree,
  tryTemplate,
} from '@winnow/extract/templates';
import { gatherEvidence, type PageNotes, type SiteEvidence, type TaughtSite } from '@winnow/extract/matching';
import { LRUCache } from 'lru-cache';
import { toExtractOptions } from '../domain/request-options/content-options.ts';
import { readLinks, type PageLinks } from '../domain/crawls/read-links.ts';
import { limitLists } from '../domain/extraction/limit-lists.ts';
import type { ExtractInput, PageExtraction } from '../domain/extraction/extraction-ports.ts';
import { AppError } from '../domain/shared/errors.ts';
import type { AppliedPage, GatheredEvidence, TemplateSource, TriedPage } from '../domain/templates/template-ports.ts';

export function extractPageTask(input: ExtractInput): PageExtraction {
  const { html, elements } = input;
  if (elements !== undefined)
    return withFields(
      selectElements(() => extractPicked(html, elements, toExtractOptions(input))),
      input,
    );
  const tree = parseTree(html);
  return withFields(extractTree(tree, { ...toExtractOptions(input), ...readSite(input) }), input, tree);
}

/**
 * Adds the requested fields and links of a page, and cuts lists that no answer may have.
 * @param tree of the whole page, if it is parsed already
 */
function withFields(
  extraction: Extraction,
  { html, url, fields = [], takeLinks = false }: ExtractInput,
  tree?: Tree,
): PageExtraction {
  const limited = limitLists(extraction);
  if (fields.length === 0 && !takeLinks) return limited;
  const whole = tree ?? parseTree(html);
  return {
    ...limited,
    ...(takeLinks && { followed: readLinks(whole, url) }),
    ...(fields.length > 0 && {
      requested: readFields(whole, { url, language: extraction.language }, compileFields(fields)),
    }),
  };
}

export interface PickTask {
  readonly html: string;
  readonly choice: ElementChoice;
}

export function pickPage({ html, choice }: PickTask): string {
  return selectElements(() => pickElements(html, choice));
}

/** @throws {AppError} `invalid_request` without a field path, which differs between the interfaces */
function selectElements<T>(work: () => T): T {
  const refuse = (reason: string): AppError => new AppError('invalid_request', `include_tags, exclude_tags: ${reason}`);
  try {
    return work();
  } catch (error) {
    if (error instanceof SelectorBudgetExceeded)
      throw refuse('the selectors visit too many elements of this page; use fewer, without sibling combinators');
    if (error instanceof RangeError) throw refuse('the elements of this page are nested too deeply for the selectors');
    throw error;
  }
}

export function readPageLinks({ html, url }: Pick<ExtractInput, 'html' | 'url'>): PageLinks {
  return readLinks(parseTree(html), url);
}

export interface TemplateTask {
  readonly page: ExtractInput;
  readonly template: TemplateSource;
}

export function applySiteTemplate({ page, template }: TemplateTask): AppliedPage {
  const tree = page.fields === undefined && page.takeLinks !== true ? undefined : parseTree(page.html);
  const { extraction, notes, fields, selectors, reasons, faults, missed } = extractWithTemplate(
    page.html,
    compileOnce(template),
    { ...toExtractOptions(page), ...readSite(page) },
    tree,
  );
  return { extraction: { ...withFields(extraction, page, tree), notes }, fields, selectors, reasons, faults, missed };
}

export function trySiteTemplate({ page, template }: TemplateTask): TriedPage {
  const { applied, generic, agreement } = tryTemplate(page.html, compileOnce(template), toExtractOptions(page));
  const { extraction, fields, selectors, reasons, faults, missed } = applied;
  return { extraction: limitLists(extraction), fields, selectors, reasons, faults, missed, generic, agreement };
}

/** @param notes JSON of the notes of each page */
export function gatherSiteEvidence(notes: readonly string[]): GatheredEvidence | null {
  const evidence = gatherEvidence(notes.map((one) => JSON.parse(one) as PageNotes));
  return evidence === undefined ? null : { pages: evidence.pages, evidence: JSON.stringify(evidence) };
}

export interface OutlineTask {
  readonly html: string;
  readonly url: string;
  readonly taught: TaughtSite | undefined;
}

export function outlineSitePage({ html, url, taught }: OutlineTask): OutlinedBlock[] {
  return outlinePage(parseTree(html), url, taught);
}

export interface MarkTask {
  readonly html: string;
  readonly marks: readonly (readonly [block: string, keep: boolean])[];
}

export function markSitePage({ html, marks }: MarkTask): ReturnType<typeof markPage> {
  return markPage(parseTree(html), new Map(marks));
}

const evidenceOf = new LRUCache<string, SiteEvidence>({ max: 50 });

function readSite({ siteEvidence: json, takeNotes }: ExtractInput): {
  readonly siteEvidence?: SiteEvidence;
  readonly takeNotes: boolean | undefined;
} {
  if (json === undefined) return { takeNotes };
  const siteEvidence = evidenceOf.get(json) ?? (JSON.parse(json) as SiteEvidence);
  evidenceOf.set(json, siteEvidence);
  return { siteEvidence, takeNotes };
}

const compiled = new LRUCache<string, { json: string; template: CompiledTemplate }>({ max: 200 });

function compileOnce({ name, json }: TemplateSource): CompiledTemplate {
  const known = compiled.get(name);
  if (known?.json === json) return known.template;
  const template = compileTemplate(JSON.parse(json) as Template);
  compiled.set(name, { json, template });
  return template;
}
