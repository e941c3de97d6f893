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
import { checkInvariants } from './check-invariants.ts';
import { collectBlocks, type TextBlock } from './content-blocks.ts';
import { CUSTOM_TYPES, FIELD_TYPES, findTopLevelDomain, toKey, type ValueContext } from '../format/field-types.ts';
import { judgeTemplate } from './judge-template.ts';
import { PageView } from '../selectors/page-view.ts';
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
  readonly fields: Readonly<Record<string, CustomValue>> | undefined;
  readonly selectors: Readonly<Record<string, string | null>>;
  readonly faults: readonly string[];
  readonly gaps: readonly TemplateField[];
  readonly words: number;
  readonly exclusions: number;
}

/**
 * Applies a template to a parsed page. Fields without a rule come from the generic extractor. Linear in the page,
 * within the budget of its selectors; never throws because of a page.
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
      fields: undefined,
      selectors,
      faults: [error.message],
      gaps: [],
      words: 0,
      exclusions: 0,
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
  const page = new PageView(tree, compiled.wanted);
  const urls = createUrlResolver(options.url, page.baseHref);
  const topLevelDomain = findTopLevelDomain(urls);
  const main = readMain(page, compiled, generic, selectors);
  let made: ExtractedFields | undefined;
  const genericFields = (): ExtractedFields =>
    (made ??=
      main.blocks === undefined
        ? generic()
        : extractTreeFields(tree, main.text, { ...options, pageType: compiled.template.page_type ?? undefined }));
  const unknown = { urls, language: null, topLevelDomain };
  const language = readField(page, compiled, 'language', unknown, genericFields, selectors);
  const context: ValueContext = { urls, language, topLevelDomain };
  const read = (name: TemplateField): string | null =>
    readField(page, compiled, name, context, genericFields, selectors);
  const { template } = compiled;
  const found = { title: read('title'), author: read('author'), publish_time: read('publish_time') };
  const missing = SPARE_FIELDS.filter((name) => template.invariants.required.includes(name) && found[name] === null);
  // Two missing fields mean another layout.
  const gaps =
    missing.length === 1 && main.text !== ''
      ? missing.filter((name) => readGeneric(genericFields(), name) !== null)
      : [];
  for (const name of gaps) {
    found[name] = readGeneric(genericFields(), name);
    selectors[name] = 'generic';
  }
  const renderings = main.blocks === undefined ? {} : renderFormats(tree, main.blocks, options, urls, found.title);
  const extraction: Extraction = {
    title: found.title,
    description: read('description'),
    publishTime: found.publish_time,
    author: found.author,
    language,
    ...(main.blocks === undefined
      ? pickMain(generic())
      : {
          ...renderings,
          ...listResources(page, urls, main),
          pageType: template.page_type ?? 'article',
          ...readAsides(tree, urls, options, { mainText: main.text, markdown: renderings.markdown, language }),
        }),
    mainText: main.text,
    confidence: main.blocks === undefined ? generic().confidence : (template.confidence ?? 0.9),
    evidence: toEvidence(selectors),
  };
  const fields = readCustom(page, compiled, context, selectors);
  const faults = checkInvariants(template, extraction, missing.length < 2 ? missing : [], main);
  const unusual = faults.length === 0 ? findUnusual(template, main) : undefined;
  if (unusual !== undefined) {
    const { ok, reason } = judgeTemplate(template, [], main.text, generic());
    if (!ok) faults.push(`${unusual}, and ${reason}`);
  }
  return {
    extraction,
    fields,
    selectors,
    faults,
    gaps,
    words: main.words,
    exclusions: main.exclusions,
  };
}

function findUnusual({ invariants }: Template, { words, exclusions, choice }: MainContent): string | undefined {
  const band = invariants.main_text_words;
  if (band !== null && (words < band[0] || words > band[1]))
    return `the main text has ${words} words; the template's pages have ${band[0]} to ${band[1]}`;
  const expected = invariants.exclusions;
  // Hand-written selectors may cover several layouts.
  if (expected === undefined) return undefined;
  if (exclusions < expected) return `${exclusions} of the ${expected} kinds of elements to leave out are on the page`;
  return choice > 0 ? 'the main text is only found by a spare selector' : undefined;
}

const SPARE_FIELDS = ['author', 'publish_time'] as const;

function readGeneric(extraction: ExtractedFields, name: TemplateField): string | null {
  return extraction[name === 'publish_time' ? 'publishTime' : name];
}

function readField(
  page: PageView,
  compiled: CompiledTemplate,
  name: TemplateField,
  context: ValueContext,
  generic: () => ExtractedFields,
  selectors: Record<string, string | null>,
): string | null {
  const rule = compiled.fields.get(name);
  if (rule === undefined) {
    selectors[name] = 'generic';
    return readGeneric(generic(), name);
  }
  const found = readValue(page, rule.values, (values) => FIELD_TYPES[name](values, context));
  const isComparable = found !== undefined || !compiled.template.invariants.required.includes(name);
  if (isComparable && rule.agrees && mayStateOther(page.tree, name, found?.value ?? null)) {
    const stated = readGeneric(generic(), name);
    // The generic value may come from shown text that agrees with the structured data.
    const isConfirmed = stated !== null && !mayStateOther(page.tree, name, stated);
    const isStated = isConfirmed || isStatement(generic().evidence[name]?.source);
    if (isStated && stated !== null && (found === undefined || toKey(name, stated) !== toKey(name, found.value))) {
      selectors[name] = 'generic';
      return stated;
    }
  }
  selectors[name] = found?.source ?? (rule.otherwise === null ? null : 'constant');
  return found?.value ?? rule.otherwise;
}

interface MainContent {
  readonly text: string;
  readonly words: number;
  /** Index in `include` of the selector that matched. */
  readonly choice: number;
  readonly blocks: readonly TextBlock[] | undefined;
  readonly roots: readonly number[];
  readonly exclusions: number;
  readonly excluded: ReadonlySet<number>;
}

function readMain(
  page: PageView,
  compiled: CompiledTemplate,
  generic: () => Extraction,
  selectors: Record<string, string | null>,
): MainContent {
  const { content } = compiled;
  if (content === null) {
    selectors['main_text'] = 'generic';
    const text = generic().mainText;
    return {
      text,
      words: countWords(text),
      choice: 0,
      blocks: undefined,
      roots: [],
      exclusions: 0,
      excluded: new Set(),
    };
  }
  selectors['main_text'] = null;
  let roots: readonly number[] = [];
  let blocks: TextBlock[] = [];
  let exclusions: (readonly number[])[] = [];
  let excluded: ReadonlySet<number> = new Set();
  let choice = 0;
  for (const [place, selector] of content.include.entries()) {
    choice = place;
    roots = selector.find(page).nodes;
    if (roots.length === 0) continue;
    const inside = new PageView(page.tree, content.wanted, page.budget, roots);
    exclusions = content.exclude.map((one) => one.find(inside).nodes);
    excluded = new Set(exclusions.flat());
    blocks = collectBlocks(page.tree, roots, excluded).filter((block) => !content.excludeText.has(block.hash));
    if (blocks.length === 0) continue;
    selectors['main_text'] = selector.source;
    break;
  }
  const words = blocks.reduce((sum, block) => sum + block.words, 0);
  const found = exclusions.filter((nodes) => nodes.length > 0).length;
  return { text: renderText(page.tree, blocks), words, choice, blocks, roots, exclusions: found, excluded };
}

function pickMain(
  extraction: Extraction,
): Omit<Extraction, 'title' | 'description' | 'publishTime' | 'author' | 'language'> {
  const { title: _t, description: _d, publishTime: _p, author: _a, language: _l, ...rest } = extraction;
  return rest;
}

function listResources(page: PageView, urls: UrlResolver, main: MainContent): Pick<Extraction, 'links' | 'images'> {
  const { tree } = page;
  const blocks = main.blocks ?? [];
  const isLinkInMain = (node: number): boolean => holdsContent(tree, blocks, node);
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
  page: PageView,
  compiled: CompiledTemplate,
  context: ValueContext,
  selectors: Record<string, string | null>,
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
  }
  return fields;
}

const EVIDENCE_FIELDS: readonly EvidenceField[] = TEMPLATE_FIELDS;

function toEvidence(selectors: Readonly<Record<string, string | null>>): Extraction['evidence'] {
  return Object.fromEntries(EVIDENCE_FIELDS.map((field) => [field, { source: selectors[field] ?? null, rivals: [] }]));
}

function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
}
