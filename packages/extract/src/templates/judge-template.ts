import type { Extraction } from '../extraction.ts';

/** How a template's answer for a page compares with the generic extractor's. */
export interface Judgement {
  readonly ok: boolean;
  /** Word F1 between the two main texts. */
  readonly agreement: number;
  readonly reason: string;
}

/** Agreement that is enough by itself. */
const AGREES = 0.6;
/** An extractor that is as sure as this is believed over a template that says something else. */
const SURE = 0.8;
/** Share of the template's words that an unsure extractor must have too. */
const CONTAINED = 0.85;

/**
 * Judges a template on a page that it was not learned from: it must hold its invariants and agree with the
 * generic extractor, or have kept a part of an answer of which the extractor itself is not sure.
 */
export function judgeTemplate(faults: readonly string[], text: string, generic: Extraction): Judgement {
  const { f1, precision } = compareTexts(text, generic.mainText);
  const agreement = Math.round(f1 * 1000) / 1000;
  if (faults.length > 0) return { ok: false, agreement, reason: faults.join('; ') };
  if (generic.mainText === '') return { ok: true, agreement: 0, reason: 'the generic extractor finds nothing' };
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

const WORD = /[\p{L}\p{N}_]+/gu;

/** Agreement of two texts as multisets of words; `precision` is the share of the first's words that the second has. */
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
