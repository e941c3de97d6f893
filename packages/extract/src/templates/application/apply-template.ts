import { listImages } from '../../fields/media/images.ts';
import { listLinks } from '../../fields/media/links.ts';
import { readAsides } from '../../pipeline/read-asides.ts';
import { createUrlResolver, type UrlResolver } from '../../tree/url-resolver.ts';
import { extractTreeFields, type ExtractedFields } from '../../pipeline/extract.ts';
import type { EvidenceField, Extraction, ExtractOptions } from '../../types/extraction.ts';
import { holdsContent } from '../../render/layout/holds-content.ts';
import { renderFormats } from '../../render/render-formats.ts';
import { renderText } from '../../render/text/render-text.ts';
import type { Tree } from '../../tree/tree.ts';
import type { CompiledTemplate } from '../selectors/compile-template.ts';
import {
  CUSTOM_TYPES,
  FIELD_TYPES,
  findTopLevelDomain,
  readGeneric,
  toValueKey,
  type ValueContext,
} from '../format/field-types.ts';
import { collectBlocks, type TextBlock } from './content-blocks.ts';
import { PageIndex } from '../selectors/page-index.ts';
import { readValue, readValues } from './read-value.ts';
import { isStatement, mayStateOther } from './stated-fields.ts';
import {
  SelectorBudgetExceeded,
  SelectorFailed,
  type Template,
  TEMPLATE_FIELDS,
  type TemplateField,
} from '../format/template.ts';

export type CustomValue = string | number | string[] | null;

export interface AppliedTemplate {
  readonly extraction: Extraction;
  /** The template's own values, `main_text` too; the extraction need not have them. */
  readonly found: Readonly<Record<string, string | null>>;
  readonly fields: Readonly<Record<string, CustomValue>> | undefined;
  /** Source of each part; `generic` for the generic extractor. */
  readonly selectors: Readonly<Record<string, string | null>>;
  /** Why a part with a rule comes from the generic extractor. */
  readonly reasons: Readonly<Record<string, string>>;
  readonly faults: readonly string[];
  readonly gaps: readonly TemplateField[];
  /** Rules whose selectors found nothing. */
  readonly missed: readonly string[];
}

/**
 * Applies a template to a parsed page. Fields without a rule come from the generic extractor. Linear in the page, within
 * the budget of its selectors; never throws because of a page.
 */
export function applyTemplate(
  tree: Tree,
  compiled: CompiledTemplate,
  options: ExtractOptions,
  generic: () => Extraction,
): AppliedTemplate {
  const selectors: Record<string, string | null> = {};
  try {
    return apply(tree, compiled, options, generic, selectors);
  } catch (error) {
    if (!(error instanceof SelectorBudgetExceeded || error instanceof SelectorFailed)) throw error;
    return {
      extraction: generic(),
      found: { main_text: null },
      fields: undefined,
      selectors,
      reasons: {},
      faults: [error.message],
      gaps: [],
      missed: [],
    };
  }
}

function apply(
  tree: Tree,
  compiled: CompiledTemplate,
  options: ExtractOptions,
  generic: () => Extraction,
  selectors: Record<string, string | null>,
): AppliedTemplate {
  const { template } = compiled;
  const page = new PageIndex(tree, compiled.wanted);
  const urls = createUrlResolver(options.url, page.baseHref);
  const topLevelDomain = findTopLevelDomain(urls);
  const main = readMain(page, compiled);
  const text = main === undefined ? generic().mainText : renderText(tree, main.blocks);
  const reasons: Record<string, string> = {};
  const missed: string[] = main?.source === null ? ['main_text'] : [];
  selectors['main_text'] = main === undefined ? 'generic' : main.source;
  let made: ExtractedFields | undefined;
  const genericFields = (): ExtractedFields =>
    (made ??=
      main === undefined
        ? generic()
        : extractTreeFields(tree, text, { ...options, pageType: template.page_type ?? undefined }));
  const found: Record<string, string | null> = { main_text: text === '' ? null : text };
  const read = (name: TemplateField, context: ValueContext): string | null =>
    (found[name] = readField(page, compiled, name, context, genericFields, selectors, missed));
  const language = read('language', { urls, language: null, topLevelDomain });
  const context: ValueContext = { urls, language, topLevelDomain };
  const answered = {
    title: read('title', context),
    author: read('author', context),
    publish_time: read('publish_time', context),
    description: read('description', context),
  };
  const missing = SPARE_FIELDS.filter((name) => template.invariants.required.includes(name) && found[name] === null);
  // Two missing fields mean another layout.
  const gaps =
    missing.length === 1 && text !== '' ? missing.filter((name) => readGeneric(genericFields(), name) !== null) : [];
  for (const name of gaps) {
    answered[name] = readGeneric(genericFields(), name);
    selectors[name] = 'generic';
    reasons[name] = 'the template found none';
  }
  const renderings = main === undefined ? {} : renderFormats(tree, main.blocks, options, urls, answered.title);
  const extraction: Extraction = {
    title: answered.title,
    description: answered.description,
    publishTime: answered.publish_time,
    author: answered.author,
    language,
    ...(main === undefined
      ? pickMain(generic())
      : {
          ...renderings,
          ...listResources(page, urls, main),
          pageType: template.page_type ?? 'article',
          ...readAsides(tree, urls, options, {
            mainText: text,
            pageType: template.page_type ?? 'article',
            markdown: renderings.markdown,
            language,
          }),
          mainText: text,
          confidence: template.confidence ?? 0.9,
        }),
    evidence: toEvidence(selectors),
  };
  const fields = readCustom(page, compiled, context, selectors, missed);
  const words = main === undefined ? countWords(text) : main.blocks.reduce((sum, block) => sum + block.words, 0);
  const faults = checkInvariants(template, found, missing.length < 2 ? missing : [], words);
  return { extraction, found, fields, selectors, reasons, faults, gaps, missed };
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
}

const SPARE_FIELDS = ['author', 'publish_time'] as const;

function readField(
  page: PageIndex,
  compiled: CompiledTemplate,
  name: TemplateField,
  context: ValueContext,
  generic: () => ExtractedFields,
  selectors: Record<string, string | null>,
  missed: string[],
): string | null {
  const rule = compiled.fields.get(name);
  if (rule === undefined) {
    selectors[name] = 'generic';
    return readGeneric(generic(), name);
  }
  const found = readValue(page, rule.values, (values) => FIELD_TYPES[name](values, context));
  if (found === undefined && rule.values.length > 0) missed.push(name);
  const isComparable = found !== undefined || !compiled.template.invariants.required.includes(name);
  if (isComparable && rule.agrees && mayStateOther(page.tree, name, found?.value ?? null)) {
    const stated = readGeneric(generic(), name);
    // The generic value may come from shown text that agrees with the structured data.
    const isConfirmed = stated !== null && !mayStateOther(page.tree, name, stated);
    const isStated = isConfirmed || isStatement(generic().evidence[name]?.source);
    if (
      isStated &&
      stated !== null &&
      (found === undefined || toValueKey(name, stated) !== toValueKey(name, found.value))
    ) {
      selectors[name] = 'generic';
      return stated;
    }
  }
  selectors[name] = found?.source ?? (rule.otherwise === null ? null : 'constant');
  return found?.value ?? rule.otherwise;
}

function pickMain(
  extraction: Extraction,
): Omit<Extraction, 'title' | 'description' | 'publishTime' | 'author' | 'language'> {
  const { title: _t, description: _d, publishTime: _p, author: _a, language: _l, ...rest } = extraction;
  return rest;
}

function listResources(page: PageIndex, urls: UrlResolver, main: MainContent): Pick<Extraction, 'links' | 'images'> {
  const { tree } = page;
  const isLinkInMain = (node: number): boolean => holdsContent(tree, main.blocks, node);
  const isImageInMain = (node: number): boolean => isWithin(tree, node, main.roots, main.excluded);
  return {
    links: listLinks(tree, page.anchors, urls, isLinkInMain),
    images: listImages(tree, page.images, urls, isImageInMain),
  };
}

const MAX_STEPS = 200;

function isWithin(tree: Tree, node: number, roots: readonly number[], excluded: ReadonlySet<number>): boolean {
  const root = roots.find((one) => one <= node && node < tree.end[one]);
  if (root === undefined) return false;
  for (let at = node, step = 0; at >= root && step < MAX_STEPS; at = tree.parent[at], step++)
    if (excluded.has(at)) return false;
  return true;
}

function readCustom(
  page: PageIndex,
  compiled: CompiledTemplate,
  context: ValueContext,
  selectors: Record<string, string | null>,
  missed: string[],
): Record<string, CustomValue> | undefined {
  if (compiled.custom.length === 0) return undefined;
  const fields: Record<string, CustomValue> = {};
  for (const { name, type, values } of compiled.custom) {
    fields[name] = type === 'list' ? [] : null;
    selectors[`fields.${name}`] = null;
    for (const selector of values) {
      const found = readValues(page, selector);
      const value = found.length === 0 ? null : CUSTOM_TYPES[type](found, context);
      if (value === null) continue;
      fields[name] = value;
      selectors[`fields.${name}`] = selector.source;
      break;
    }
    if (selectors[`fields.${name}`] === null) missed.push(`fields.${name}`);
  }
  return fields;
}

const EVIDENCE_FIELDS: readonly EvidenceField[] = TEMPLATE_FIELDS;

function toEvidence(selectors: Readonly<Record<string, string | null>>): Extraction['evidence'] {
  return Object.fromEntries(EVIDENCE_FIELDS.map((field) => [field, { source: selectors[field] ?? null, rivals: [] }]));
}

/**
 * Lists the violated invariants as messages.
 *
 * @param found the template's own values
 * @param spared required fields that the page may lack
 * @param words of the main text
 */
function checkInvariants(
  { invariants }: Template,
  found: Readonly<Record<string, string | null>>,
  spared: readonly TemplateField[],
  words: number,
): string[] {
  const isSpared = (name: string): boolean => spared.some((one) => one === name);
  const faults = invariants.required
    .filter((name) => !isSpared(name) && (found[name] ?? null) === null)
    .map((name) => `no selector found the required field ${name}`);
  if (found['main_text'] === null && !invariants.required.includes('main_text')) faults.push('the main text is empty');
  const band = invariants.main_text_words;
  if (faults.length === 0 && band !== null && (words < band[0] || words > band[1]))
    faults.push(`the main text has ${words} words; the template's pages have ${band[0]} to ${band[1]}`);
  return faults;
}

interface MainContent {
  /** Of the selector that matched; null: none. */
  readonly source: string | null;
  readonly blocks: readonly TextBlock[];
  readonly roots: readonly number[];
  readonly excluded: ReadonlySet<number>;
}

/** Finds a template's own main text; undefined if the template leaves it to the generic extractor. */
function readMain(page: PageIndex, { content }: CompiledTemplate): MainContent | undefined {
  if (content === null) return undefined;
  const { tree } = page;
  for (const selector of content.include) {
    const roots = selector.find(page).nodes;
    if (roots.length === 0) continue;
    const inside = new PageIndex(tree, content.wanted, page.budget, roots);
    const excluded = new Set(content.exclude.flatMap((one) => one.find(inside).nodes));
    const blocks = collectBlocks(tree, roots, excluded).filter((block) => !content.excludeText.has(block.hash));
    if (blocks.length === 0) continue;
    return { source: selector.source, blocks, roots, excluded };
  }
  return { source: null, blocks: [], roots: [], excluded: new Set() };
}
