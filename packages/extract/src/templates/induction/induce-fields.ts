import type { PageType } from '../../types/extraction.ts';
import { collapse, getNodeText } from '../../tree/text/node-text.ts';
import { createUrlResolver } from '../../tree/url-resolver.ts';
import { TAG, TEXT } from '../../tree/tags.ts';
import { getAttribute } from '../../tree/tree.ts';
import { compileTemplate } from '../selectors/compile-template.ts';
import { FIELD_TYPES, findTopLevelDomain, readGeneric, toValueKey, type ValueContext } from '../format/field-types.ts';
import { readPath } from '../selectors/json-ld-selector.ts';
import { isStatement, mayStateOther } from '../application/stated-fields.ts';
import { PageIndex } from '../selectors/page-index.ts';
import { readValue } from '../application/read-value.ts';
import {
  type FieldRule,
  type Selector,
  TEMPLATE_FIELDS,
  type Template,
  type TemplateField,
} from '../format/template.ts';
import { listSelectors } from './candidate-selectors.ts';
import { type FieldLabels, LEAST_TRUST, listClaims, listFieldLabels } from './field-labels.ts';
import type { SamplePage } from './sample-page.ts';

/** A selector for a field, and its robustness, 0 to 1. */
interface Candidate {
  readonly selector: Selector;
  readonly rating: number;
}

/** Smallest agreement with the generic extractor over the pages, 0 to 1. */
const LEAST_SCORE = 0.25;
const LEAST_FALLBACK_RATING = 0.4;
const MAX_SELECTORS = 3;
/** Values and contradictions on at most this share of the pages are ignored. */
const FEW = 0.34;
const MAX_CANDIDATES = 300;
/** Fields whose shown values are compared with structured data. */
const COMPARED: ReadonlySet<TemplateField> = new Set(['author', 'publish_time']);
/** On other page types, names are mostly customers' and dates are mostly releases'. */
const SIGNED: ReadonlySet<PageType> = new Set(['article', 'forum']);

/**
 * Learns the selectors of each field from the extractor's values; the selector that is right on most pages wins. A rare
 * field is read only where structured data mentions it. Values that the samples share are not generalised.
 */
export function induceFields(pages: readonly SamplePage[]): Template['fields'] {
  const rules: [TemplateField, FieldRule][] = [];
  for (const field of TEMPLATE_FIELDS) {
    const rule = induceField(field, pages);
    if (rule !== undefined) rules.push([field, rule]);
  }
  return Object.fromEntries(rules);
}

function induceField(field: TemplateField, pages: readonly SamplePage[]): FieldRule | undefined {
  const labels = pages.map((page) =>
    COMPARED.has(field) && !SIGNED.has(page.generic.pageType)
      ? listClaims(page.generic, field)
      : listFieldLabels(page.generic, field, readStated(page, field), listShownDates(page, field)),
  );
  const named = labels.filter((one) => [...one.values()].some((trust) => trust >= LEAST_TRUST)).length;
  const candidates = offerCandidates(field, pages, labels);
  // Without a certain value, a selector must find a doubtful value on every page.
  const isClaimed = named > 0 || field === 'language';
  const scored = scoreCandidates(field, pages, labels, candidates).filter((one) => isClaimed || one.isEverywhere);
  const [best, ...others] = scored;
  if (best === undefined || best.score < LEAST_SCORE) return undefined;
  const fallbacks = others.filter(
    (one) => one.score >= Math.max(LEAST_SCORE, best.score - 0.1) && one.rating >= LEAST_FALLBACK_RATING,
  );
  const selectors = [best, ...fallbacks].slice(0, MAX_SELECTORS).map((one) => one.selector);
  const agrees =
    COMPARED.has(field) &&
    isRarelyContradicted(field, pages, best.values) &&
    agreesWithStated(field, pages, best.values);
  return agrees ? { selectors, agrees } : { selectors };
}

/** Whether structured data rarely contradicts the field; otherwise its agreement proves nothing. */
function isRarelyContradicted(
  field: TemplateField,
  pages: readonly SamplePage[],
  values: readonly (string | null)[],
): boolean {
  const contradicted = pages.filter(({ tree }, page) => mayStateOther(tree, field, values[page] ?? null));
  return contradicted.length <= pages.length * FEW;
}

function agreesWithStated(
  field: TemplateField,
  pages: readonly SamplePage[],
  values: readonly (string | null)[],
): boolean {
  return pages.every(({ generic }, page) => {
    const value = readGeneric(generic, field);
    const read = values[page] ?? null;
    if (value === null || !isStatement(generic.evidence[field]?.source)) return true;
    return read !== null && toValueKey(field, value) === toValueKey(field, read);
  });
}

function offerCandidates(
  field: TemplateField,
  pages: readonly SamplePage[],
  labels: readonly FieldLabels[],
): Candidate[] {
  const found = new Map<string, Candidate>();
  const offer: Offer = (selector, rating) => {
    const key = JSON.stringify(selector);
    const known = found.get(key);
    if (known === undefined || known.rating < rating) found.set(key, { selector, rating });
  };
  for (const [index, page] of pages.entries()) {
    const wanted = labels[index];
    if (field === 'language') offer({ css: 'html', attribute: 'lang' }, 1);
    if (wanted.size === 0) continue;
    offerFromElements(field, page, wanted, offer);
    offerFromJsonLd(field, page, wanted, offer);
  }
  return [...found.values()].toSorted((a, b) => b.rating - a.rating).slice(0, MAX_CANDIDATES);
}

type Offer = (selector: Selector, rating: number) => void;

const VALUE_ATTRIBUTES: Readonly<Record<TemplateField, readonly string[]>> = {
  title: ['content'],
  description: ['content'],
  author: ['content'],
  publish_time: ['datetime', 'content', 'title', 'data-date', 'data-time'],
  language: ['content'],
};

const MAX_TEXT: Readonly<Record<TemplateField, number>> = {
  title: 400,
  description: 1_000,
  author: 160,
  publish_time: 120,
  language: 0,
};

function offerFromElements(field: TemplateField, page: SamplePage, wanted: FieldLabels, offer: Offer): void {
  const { tree } = page;
  const context = createContext(page);
  let above = -1;
  for (let node = 1; node < tree.size; node++) {
    const code = tree.tag[node];
    if (code === TEXT) {
      const holder = tree.parent[node];
      if (holder === above || tree.value[node].length > MAX_TEXT[field] || tree.tag[holder] === TAG.script) continue;
      above = holder;
      offerFromText(field, page, holder, wanted, context, offer);
      continue;
    }
    for (const attribute of VALUE_ATTRIBUTES[field]) {
      const value = getAttribute(tree, node, attribute);
      if (value === undefined || value.length > 2_000) continue;
      const match = matchText(field, collapse(value), wanted, context);
      if (match === undefined) continue;
      for (const { css, rating } of listValueSelectors(page, node)) offer({ css, attribute, ...match }, rating);
    }
  }
}

function offerFromText(
  field: TemplateField,
  page: SamplePage,
  holder: number,
  wanted: FieldLabels,
  context: ValueContext,
  offer: Offer,
): void {
  const { tree } = page;
  let node = holder;
  for (let level = 0; level < 3 && node > 0; level++, node = tree.parent[node]) {
    const text = getNodeText(tree, node);
    if (text === '' || text.length > MAX_TEXT[field]) return;
    const match = matchText(field, text, wanted, context);
    if (match === undefined) {
      if (field === 'title' || level > 0) return;
      continue;
    }
    const tightness = (level === 0 ? 1 : 0.9) * (holdsMore(field, text, wanted) ? LOOSE : 1);
    for (const { css, rating } of listSelectors(tree, node)) offer({ css, ...match }, rating * tightness);
  }
}

/** Factor for an element with more than the value: another page may have it elsewhere. */
const LOOSE = 0.8;
/** "Wednesday, 3 May 2024" and "3 de mayo de 2024" are only a date. */
const MAX_DAY_WORDS = 3;

function holdsMore(field: TemplateField, text: string, wanted: FieldLabels): boolean {
  if (field === 'publish_time') return (text.match(/\p{L}+/gu)?.length ?? 0) > MAX_DAY_WORDS;
  return field === 'author' && !wanted.has(toValueKey(field, text));
}

function listValueSelectors(page: SamplePage, node: number): { css: string; rating: number }[] {
  const { tree } = page;
  if (tree.tag[node] !== TAG.meta) return listSelectors(tree, node).filter(({ css }) => !css.startsWith('meta'));
  for (const name of ['property', 'name', 'itemprop']) {
    const value = getAttribute(tree, node, name);
    if (value !== undefined && /^[\w:.-]{1,80}$/.test(value))
      return [{ css: `meta[${name}="${value}"]`, rating: 0.97 }];
  }
  return [];
}

function matchText(
  field: TemplateField,
  text: string,
  wanted: FieldLabels,
  context: ValueContext,
): Pick<Selector, 'post'> | undefined {
  const value = FIELD_TYPES[field]([text], context);
  if (value !== null && wanted.has(toValueKey(field, value))) return {};
  if (field !== 'title') return undefined;
  // Titles have the site's name at one end.
  for (const separator of [' | ', ' - ', ' – ', ' — ', ' · ', ' :: ', ' » ', ': ']) {
    const last = text.lastIndexOf(separator);
    if (last > 0 && wanted.has(toValueKey(field, text.slice(0, last))))
      return { post: [{ op: 'strip_suffix', text: text.slice(last) }] };
    const first = text.indexOf(separator);
    if (first > 0 && wanted.has(toValueKey(field, text.slice(first + separator.length)))) {
      return { post: [{ op: 'strip_prefix', text: text.slice(0, first + separator.length) }] };
    }
  }
  return undefined;
}

const LINKED_PATHS: Readonly<Record<TemplateField, readonly string[]>> = {
  title: ['headline', 'name'],
  description: ['description'],
  author: ['author.name', 'author', 'creator.name', 'creator'],
  publish_time: ['datePublished', 'dateCreated', 'uploadDate'],
  language: ['inLanguage'],
};

function offerFromJsonLd(field: TemplateField, page: SamplePage, wanted: FieldLabels, offer: Offer): void {
  for (const { type, path, value } of listStated(page, field)) {
    if (!wanted.has(toValueKey(field, value))) continue;
    offer({ json_ld: `${type}:${path}`, ...(field === 'author' ? { all: true } : {}) }, 0.95);
  }
}

/** Maximum nodes from the title to a shown date, and longest text around it. */
const SHOWN_NODES = 60;
const SHOWN_LENGTH = 40;

function listShownDates(page: SamplePage, field: TemplateField): string[] {
  const { tree, generic, blocks, kept } = page;
  if (field !== 'publish_time' || generic.title === null) return [];
  const title = toValueKey('title', generic.title);
  const heading = blocks.find((block) => toValueKey('title', getNodeText(tree, block.element)) === title);
  if (heading === undefined) return [];
  const context = createContext(page);
  const dates: string[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.first < heading.end) continue;
    if (block.first > heading.end + SHOWN_NODES || (kept[index] && block.words > SHOWN_LENGTH)) break;
    const text = getNodeText(tree, block.element);
    const date = text.length > SHOWN_LENGTH ? null : FIELD_TYPES.publish_time([text], context);
    if (date !== null) dates.push(date);
  }
  return dates;
}

/** Other objects describe sites, pictures or lists. */
const STORY_TYPE = /(?:Article|Posting|Report|Review)$/;

function readStated(page: SamplePage, field: TemplateField): string | null {
  return listStated(page, field).find(({ type }) => STORY_TYPE.test(type))?.value ?? null;
}

interface Stated {
  readonly type: string;
  readonly path: string;
  readonly value: string;
}

function listStated(page: SamplePage, field: TemplateField): Stated[] {
  const { view, context } = openPage(page, [{ json_ld: '*:name' }]);
  const found: Stated[] = [];
  for (const object of view.linkedData.objects) {
    const type = object.types.find((one) => /^[A-Za-z]+$/.test(one));
    if (type === undefined) continue;
    for (const path of LINKED_PATHS[field]) {
      const values = readPath(object.properties, path.split('.'), view.linkedData);
      const value = values.length === 0 ? null : FIELD_TYPES[field](values, context);
      if (value !== null) found.push({ type, path, value });
    }
  }
  return found;
}

interface Scored {
  readonly selector: Selector;
  readonly rating: number;
  readonly score: number;
  readonly values: readonly (string | null)[];
  /** Whether it has a labelled value on every page, not always the same. */
  readonly isEverywhere: boolean;
}

function scoreCandidates(
  field: TemplateField,
  pages: readonly SamplePage[],
  labels: readonly FieldLabels[],
  candidates: readonly Candidate[],
): Scored[] {
  const opened = pages.map((page) =>
    openPage(
      page,
      candidates.map((one) => one.selector),
    ),
  );
  const scored = candidates.map(({ selector, rating }, index) => {
    const values = opened.map(({ view, compiled, context }) => {
      const value = compiled.fields.get('title')!.values[index];
      return readValue(view, [value], (texts) => FIELD_TYPES[field](texts, context))?.value ?? null;
    });
    const exact = values.filter(
      (value, page) => value !== null && value === readGeneric(pages[page].generic, field),
    ).length;
    const score = scoreValues(field, values, labels) * (0.8 + 0.2 * rating) * (0.95 + (0.05 * exact) / pages.length);
    const keys = values.map((value, page) => (value === null ? '' : matchKey(toValueKey(field, value), labels[page])));
    const isEverywhere = !keys.includes('') && new Set(keys).size > 1;
    return { selector, rating, score, values, isEverywhere };
  });
  return scored.toSorted(
    (a, b) => b.score - a.score || JSON.stringify(a.selector).localeCompare(JSON.stringify(b.selector)),
  );
}

function matchKey(key: string, labels: FieldLabels): string {
  return labels.has(key) ? key : '';
}

/** Factor for a value that is the same on all pages, and likely the site's. */
const CONSTANT_FACTOR: Readonly<Record<TemplateField, number>> = {
  title: 0.3,
  publish_time: 0.3,
  author: 0.9,
  description: 0.9,
  language: 1,
};
/** Cost of a value on a page without labels, or unlike all labels. */
const UNLABELLED = -0.25;
const WRONG = -0.5;

function scoreValues(field: TemplateField, values: readonly (string | null)[], labels: readonly FieldLabels[]): number {
  const keys = values.map((value) => (value === null ? null : toValueKey(field, value)));
  const given = keys.filter((key) => key !== null);
  if (given.length === 0) return 0;
  let sum = 0;
  let pages = 0;
  for (const [index, key] of keys.entries()) {
    const wanted = labels[index];
    if (wanted.size > 0 || key !== null) pages++;
    if (key !== null) sum += wanted.size === 0 ? UNLABELLED : (wanted.get(key) ?? WRONG);
  }
  const constant = given.length > 2 && new Set(given).size === 1;
  return (sum / pages) * (constant ? CONSTANT_FACTOR[field] : 1);
}

interface OpenedPage {
  readonly view: PageIndex;
  readonly compiled: ReturnType<typeof compileTemplate>;
  readonly context: ValueContext;
}

function openPage(page: SamplePage, selectors: readonly Selector[]): OpenedPage {
  const compiled = compileTemplate({
    hosts: [],
    url_shapes: [],
    signature: null,
    fields: { title: { selectors } },
    content: null,
    custom: [],
    invariants: { required: [], main_text_words: null },
  });
  return { view: new PageIndex(page.tree, compiled.wanted), compiled, context: createContext(page) };
}

function createContext(page: SamplePage): ValueContext {
  const urls = createUrlResolver(page.url, null);
  return { urls, language: page.generic.language, topLevelDomain: findTopLevelDomain(urls) };
}
