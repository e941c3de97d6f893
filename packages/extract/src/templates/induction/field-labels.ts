import type { Extraction } from '../../types/extraction.ts';
import { toKey } from '../format/field-types.ts';
import type { TemplateField } from '../format/template.ts';

/** What the generic extractor says of a field on one page: values by key, with how far each is trusted, 0 to 1. */
export type FieldLabels = ReadonlyMap<string, number>;

/** A value that lost on this page may still be the one that is right on most. */
const RIVAL_TRUST = 0.35;
const MAX_RIVALS = 4;

/** What the page's structured data says where the extractor says nothing. */
const STATED_TRUST = 0.6;

/** Labels trusted less than this are doubts. */
export const LEAST_TRUST: number = STATED_TRUST;

/** What stands where pages show such a value: more likely than a rival, and than a value that never changes. */
const SHOWN_TRUST = 0.45;

/**
 * @param stated the field in the page's structured data; null when it is not there
 * @param shown values that stand where pages show the field
 */
export function listLabels(
  extraction: Extraction,
  field: TemplateField,
  stated: string | null,
  shown: readonly string[],
): FieldLabels {
  const labels = new Map<string, number>();
  const value = getValue(extraction, field);
  if (value !== null) labels.set(toKey(field, value), 1);
  else if (stated !== null) labels.set(toKey(field, stated), STATED_TRUST);
  for (const one of shown) if (!labels.has(toKey(field, one))) labels.set(toKey(field, one), SHOWN_TRUST);
  for (const rival of extraction.evidence[field]?.rivals.slice(0, MAX_RIVALS) ?? []) {
    const key = toKey(field, rival.value);
    if (key !== '' && !labels.has(key)) labels.set(key, RIVAL_TRUST);
  }
  return labels;
}

/** What the extractor says of a page, without its doubts and what else the page states or shows. */
export function listClaims(extraction: Extraction, field: TemplateField): FieldLabels {
  const value = getValue(extraction, field);
  return value === null ? new Map() : new Map([[toKey(field, value), 1]]);
}

export function getValue(extraction: Extraction, field: TemplateField): string | null {
  return extraction[field === 'publish_time' ? 'publishTime' : field];
}
