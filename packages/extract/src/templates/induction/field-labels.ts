import type { Extraction } from '../../types/extraction.ts';
import { readGeneric, toValueKey } from '../format/field-types.ts';
import type { TemplateField } from '../format/template.ts';

/** The extractor's values of a field on one page, by key, with their trust, 0 to 1. */
export type FieldLabels = ReadonlyMap<string, number>;

/** Trust of a rejected candidate: it may be right on most pages. */
const RIVAL_TRUST = 0.35;
const MAX_RIVALS = 4;

/** Trust of structured data where the extractor has no value. */
const STATED_TRUST = 0.6;

/** Less trusted labels are doubtful. */
export const LEAST_TRUST: number = STATED_TRUST;

/** Trust of a value shown near the title: above rejected candidates and constant values. */
const SHOWN_TRUST = 0.45;

/**
 * @param stated the field in structured data, or null
 * @param shown values shown near the title
 */
export function listFieldLabels(
  extraction: Extraction,
  field: TemplateField,
  stated: string | null,
  shown: readonly string[],
): FieldLabels {
  const labels = new Map<string, number>();
  const value = readGeneric(extraction, field);
  if (value !== null) labels.set(toValueKey(field, value), 1);
  else if (stated !== null) labels.set(toValueKey(field, stated), STATED_TRUST);
  for (const one of shown) if (!labels.has(toValueKey(field, one))) labels.set(toValueKey(field, one), SHOWN_TRUST);
  for (const rival of extraction.evidence[field]?.rivals.slice(0, MAX_RIVALS) ?? []) {
    const key = toValueKey(field, rival.value);
    if (key !== '' && !labels.has(key)) labels.set(key, RIVAL_TRUST);
  }
  return labels;
}

/** Only the extractor's chosen value. */
export function listClaims(extraction: Extraction, field: TemplateField): FieldLabels {
  const value = readGeneric(extraction, field);
  return value === null ? new Map() : new Map([[toValueKey(field, value), 1]]);
}
