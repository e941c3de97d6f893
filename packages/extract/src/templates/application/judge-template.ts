import type { Extraction } from '../../types/extraction.ts';
import type { Template } from '../format/template.ts';

export interface Judgement {
  readonly ok: boolean;
  readonly agreement: number;
  readonly reason: string;
}

/** Sufficient agreement. */
const AGREES = 0.6;
export const SURE: number = 0.8;
const CONTAINED = 0.85;
/** Share of a sure extractor's words that the template must have, unless it usually has fewer. */
const LEAST_RECALL = 0.85;
/** The share of excluded text varies between pages. */
const USUAL_PART = 0.9;

/**
 * Judges a template on a page that it was not learned from. It must satisfy its invariants and agree with the extractor.
 * From a sure extractor's text it must keep its usual share; of an unsure one's, a part suffices.
 */
export function judgeTemplate(
  { invariants }: Pick<Template, 'invariants'>,
  faults: readonly string[],
  text: string,
  generic: Extraction,
): Judgement {
  const { f1, precision, recall } = compareTexts(text, generic.mainText);
  const agreement = Math.round(f1 * 1000) / 1000;
  if (faults.length > 0) return { ok: false, agreement, reason: faults.join('; ') };
  if (generic.mainText === '') return { ok: true, agreement: 0, reason: 'the generic extractor finds nothing' };
  const least = invariants.recall === undefined ? 0 : Math.min(LEAST_RECALL, USUAL_PART * invariants.recall);
  if (generic.confidence >= SURE && recall < least) {
    const share = Math.round(recall * 1000) / 1000;
    return { ok: false, agreement, reason: `it keeps too little of what the generic extractor, sure, keeps: ${share}` };
  }
  if (f1 >= AGREES) return { ok: true, agreement, reason: `it agrees with the generic extractor: ${agreement}` };
  if (generic.confidence < SURE && precision >= CONTAINED) {
    return {
      ok: true,
      agreement,
      reason: `it keeps a part of what the generic extractor, unsure, keeps: ${agreement}`,
    };
  }
  return { ok: false, agreement, reason: `it disagrees with the generic extractor: ${agreement}` };
}

/** Smallest share of a sure extractor's words in the template's texts; undefined without such pages. */
export function findUsualRecall(pages: readonly { text: string; generic: Extraction }[]): number | undefined {
  const sure = pages.filter(({ generic }) => generic.confidence >= SURE && generic.mainText !== '');
  if (sure.length === 0) return undefined;
  return Math.min(...sure.map(({ text, generic }) => compareTexts(text, generic.mainText).recall));
}

const WORD = /[\p{L}\p{N}_]+/gu;

/** Compares two texts as multisets of words; `precision` is the share of the first text's words in the second. */
export function compareTexts(text: string, other: string): { f1: number; precision: number; recall: number } {
  const words = text.toLowerCase().match(WORD) ?? [];
  const others = other.toLowerCase().match(WORD) ?? [];
  const counts = new Map<string, number>();
  for (const word of others) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of words) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    shared++;
  }
  if (shared === 0) return { f1: 0, precision: 0, recall: 0 };
  const precision = shared / words.length;
  const recall = shared / others.length;
  return { f1: (2 * precision * recall) / (precision + recall), precision, recall };
}
