import { parseDate } from '../../fields/date/parse-date.ts';
import { readNumber } from '../../fields/shared/read-number.ts';
import { cleanByline, cleanName, opensByline, refuseName, splitNames } from '../../page/person-names.ts';
import type { UrlResolver } from '../../tree/url-resolver.ts';
import type { CustomField, TemplateField } from './template.ts';

export interface ValueContext {
  readonly urls: UrlResolver;
  readonly language: string | null;
  readonly topLevelDomain: string | undefined;
}

export function findTopLevelDomain({ page }: UrlResolver): string | undefined {
  return page === null ? undefined : /^https?:\/\/(?:[^/:.]*\.)*([^/:.]*)/.exec(page)?.[1];
}

export type TypeReader = (values: readonly string[], context: ValueContext) => string | null;

/** The generic extractor's rules for the five fields of every page. */
export const FIELD_TYPES: Readonly<Record<TemplateField, TypeReader>> = {
  title: ([text]) => (text === undefined || text.length > 1_000 ? null : text),
  description: ([text]) => text ?? null,
  author: (values, { language }) => readAuthor(values, language),
  publish_time: ([text], context) => readDate(text, context),
  language: ([text]) => readLanguage(text),
};

/** The generic extractor's value of a field. */
export function readGeneric(
  extraction: Readonly<Record<Exclude<TemplateField, 'publish_time'> | 'publishTime', string | null>>,
  field: TemplateField,
): string | null {
  return extraction[field === 'publish_time' ? 'publishTime' : field];
}

/** Key of equal values: ignores case and punctuation, and the time of a date. */
export function toValueKey(field: TemplateField, value: string): string {
  if (field === 'publish_time') return value.slice(0, 10);
  if (field === 'language') return value.toLowerCase();
  return value
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

export const CUSTOM_TYPES: Readonly<
  Record<CustomField['type'], (values: readonly string[], context: ValueContext) => string | number | string[] | null>
> = {
  text: ([text]) => text ?? null,
  number: ([text]) => readNumber(text),
  date: ([text], context) => readDate(text, context),
  url: ([text], { urls }) => (text === undefined ? null : urls.resolve(text)),
  list: (values) => [...values],
};

function readAuthor(values: readonly string[], language: string | null): string | null {
  const names: string[] = [];
  const parts = values.flatMap((value) =>
    splitNames(opensByline(value) ? cleanByline(value) : cleanName(value), language),
  );
  for (const name of parts.map((part) => cleanName(part))) {
    if (name !== '' && refuseName(name) === null && !names.includes(name)) names.push(name);
  }
  return names.length === 0 ? null : names.join(', ');
}

function readDate(text: string | undefined, context: ValueContext): string | null {
  if (text === undefined) return null;
  const { language, topLevelDomain } = context;
  return parseDate(text, { language, ...(topLevelDomain === undefined ? {} : { topLevelDomain }) })?.value ?? null;
}

function readLanguage(text: string | undefined): string | null {
  if (text === undefined || text.length > 35) return null;
  try {
    return Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}
