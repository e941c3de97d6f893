import type { Extraction } from '../../types/extraction.ts';
import { compileTemplate } from '../selectors/compile-template.ts';
import { type AppliedTemplate, applyTemplate } from '../application/apply-template.ts';
import { compareTexts, findUsualRecall, SURE } from '../application/judge-template.ts';
import { computeSignature, getSignatureDistance } from '../matching/signature.ts';
import type { Template, TemplateField } from '../format/template.ts';
import { learnUrlShapes, splitAddress } from '../matching/url-shape.ts';
import { collapse, getNodeText } from '../../tree/text/node-text.ts';
import { induceContent, isPrice } from './induce-content.ts';
import { induceFields } from './induce-fields.ts';
import { type InductionPage, readSamplePage, type SamplePage } from './sample-page.ts';

/** More pages cost more and add little. */
export const MAX_INDUCTION_PAGES = 12;

export type Induction =
  | { readonly ok: true; readonly template: Template }
  /** Why the pages give no template. */
  | { readonly ok: false; readonly reason: string };

/**
 * Learns a template from two or more pages of one host and layout. The generic extractor's answers are the labels;
 * agreement over the pages corrects them. Deterministic for the same pages in the same order.
 */
export function induceTemplate(pages: readonly InductionPage[]): Induction {
  const used = pages.slice(0, MAX_INDUCTION_PAGES);
  const addresses = used.map((page) => splitAddress(page.url)).filter((parts) => parts !== undefined);
  const hosts = [...new Set(addresses.map((parts) => parts.host))].toSorted();
  if (used.length < 2 || addresses.length < used.length)
    return { ok: false, reason: 'fewer than two pages with an address' };
  const samples = used.map(readSamplePage);
  const content = induceContent(samples);
  if (content === undefined) return { ok: false, reason: 'no place holds the content of most pages' };
  const template: Template = {
    hosts,
    url_shapes: learnUrlShapes(addresses),
    signature: learnSignature(used),
    page_type: findMostCommon(samples.map((sample) => sample.generic.pageType)),
    confidence: round(mean(samples.map((sample) => sample.generic.confidence))),
    fields: induceFields(samples),
    content,
    custom: [],
    invariants: { required: [], main_text_words: null },
    provenance: { source: 'induced' },
  };
  const outputs = applyToAll(template, samples);
  if (!isDoubtful(outputs, samples) && !losesPrices(outputs, samples)) return addInvariants(template, outputs, samples);
  const withoutContent = { ...template, content: null };
  return addInvariants(withoutContent, applyToAll(withoutContent, samples), samples);
}

function applyToAll(template: Template, samples: readonly SamplePage[]): AppliedTemplate[] {
  const compiled = compileTemplate(template);
  return samples.map((sample) => applyTemplate(sample.tree, compiled, { url: sample.url }, () => sample.generic));
}

const GUESS = 0.9;
const LOST = 0.2;

/**
 * Whether the main text cannot be learned: the extractor is unsure, and the best selector disagrees with it. If the
 * extractor is almost certainly wrong, the selector is used.
 */
export function isDoubtful(
  outputs: readonly Pick<AppliedTemplate, 'found'>[],
  samples: readonly { readonly generic: Pick<Extraction, 'mainText' | 'confidence'> }[],
): boolean {
  const confidence = mean(samples.map((sample) => sample.generic.confidence));
  if (confidence >= SURE || confidence < LOST) return false;
  const agreement = mean(
    outputs.map(({ found }, page) => compareTexts(found['main_text'] ?? '', samples[page].generic.mainText).f1),
  );
  return agreement < GUESS;
}

/** Whether most pages with a price lose the first one that the extractor keeps: usually the product's. */
function losesPrices(outputs: readonly AppliedTemplate[], samples: readonly SamplePage[]): boolean {
  const losses = samples.flatMap((sample, page) => {
    const price = sample.blocks.findIndex((_, index) => sample.kept[index] && isPrice(sample, index));
    if (price < 0) return [];
    const text = collapse(outputs[page].found['main_text'] ?? '');
    return [!text.includes(getNodeText(sample.tree, sample.blocks[price].element))];
  });
  return losses.filter(Boolean).length > losses.length / 2;
}

/** Limits of a page's distance from the middle sample; learned from the farthest sample. */
const LEAST_DISTANCE = 0.3;
const MOST_DISTANCE = 0.75;

function learnSignature(pages: readonly InductionPage[]): Template['signature'] {
  const signatures = pages.map((page) => computeSignature(page.html));
  const farthest = signatures.map((one) => Math.max(...signatures.map((other) => getSignatureDistance(one, other))));
  const middle = farthest.indexOf(Math.min(...farthest));
  const limit = Math.min(MOST_DISTANCE, Math.max(LEAST_DISTANCE, 1.5 * farthest[middle] + 0.1));
  return { values: [...signatures[middle]], max_distance: round(limit) };
}

/** Texts shorter or longer by these factors are compared with the generic extractor's. */
const SHORTER = 6;
const LONGER = 6;

function addInvariants(
  template: Template,
  outputs: readonly AppliedTemplate[],
  samples: readonly SamplePage[],
): Induction {
  const words = outputs.map((output) => output.words);
  if (words.some((count) => count === 0))
    return { ok: false, reason: 'on a page that it was learned from, the template finds no main text' };
  const required: (TemplateField | 'main_text')[] = ['main_text'];
  for (const field of ['title', 'author', 'publish_time'] as const)
    if (template.fields[field] !== undefined && outputs.every(({ found }) => found[field] !== null))
      required.push(field);
  const band: [number, number] = [
    Math.max(3, Math.floor(Math.min(...words) / SHORTER)),
    Math.ceil(Math.max(...words) * LONGER) + 200,
  ];
  const exclusions = Math.min(...outputs.map((output) => output.exclusions));
  const recall = findUsualRecall(
    outputs.map(({ found }, page) => ({ text: found['main_text'] ?? '', generic: samples[page].generic })),
  );
  const invariants = {
    required,
    main_text_words: band,
    exclusions,
    ...(recall === undefined ? {} : { recall: Math.floor(recall * 1000) / 1000 }),
  };
  return { ok: true, template: { ...template, invariants } };
}

function findMostCommon<T>(values: readonly T[]): T {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
