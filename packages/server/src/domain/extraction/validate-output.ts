import { isLocale } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import { AppError } from '../shared/errors.ts';

const MAX_SHORT_TEXT = 10_000;
/** A page of 10 MiB has fewer characters. */
const MAX_MAIN_TEXT = 20_000_000;

const PUBLISH_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

interface Check {
  readonly name: string;
  readonly find: (extraction: Extraction, pageUrl: string) => string | undefined;
}

const CHECKS: readonly Check[] = [
  {
    name: 'main_text is not empty, except on a page that does not exist',
    find: ({ mainText, warnings }) =>
      mainText.trim() === '' && !warnings.some(({ code }) => code === 'soft_404') ? 'main_text is empty' : undefined,
  },
  {
    name: 'main_text has a sane length',
    find: ({ mainText }) =>
      mainText.length > MAX_MAIN_TEXT ? `main_text has ${mainText.length} characters` : undefined,
  },
  {
    name: 'title, description, author and language are short texts or null',
    find: ({ title, description, author, language }) => findLongText({ title, description, author, language }),
  },
  {
    name: 'publish_time is a date or null',
    find: ({ publishTime }) =>
      publishTime === null || (PUBLISH_TIME.test(publishTime) && !Number.isNaN(Date.parse(publishTime)))
        ? undefined
        : `publish_time is not a date: ${publishTime.slice(0, 40)}`,
  },
  {
    name: 'language is a BCP 47 tag or null',
    find: ({ language }) =>
      language === null || isLocale(language) ? undefined : `language is not a BCP 47 tag: ${language.slice(0, 40)}`,
  },
  { name: 'links are absolute URLs', find: ({ links }) => findBadUrl('links', links) },
  { name: 'images are absolute URLs', find: ({ images }) => findBadUrl('images', images) },
  {
    name: 'confidence is a number from 0 to 1',
    find: ({ confidence }) => (confidence >= 0 && confidence <= 1 ? undefined : `confidence is ${confidence}`),
  },
  {
    name: 'final_url is an absolute URL',
    find: (_, pageUrl) => (URL.canParse(pageUrl) ? undefined : 'final_url is not absolute'),
  },
];

/**
 * @returns names of the passed checks
 * @throws {AppError} `validation_failed`, naming every fault
 */
export function validateOutput(extraction: Extraction, pageUrl: string): string[] {
  const faults = findOutputFaults(extraction, pageUrl);
  if (faults.length > 0)
    throw new AppError('validation_failed', `the extracted output is not valid: ${faults.join('; ')}`);
  return CHECKS.map((check) => check.name);
}

export function findOutputFaults(extraction: Extraction, pageUrl: string): string[] {
  return CHECKS.flatMap((check) => check.find(extraction, pageUrl) ?? []);
}

function findLongText(fields: Readonly<Record<string, string | null>>): string | undefined {
  const long = Object.entries(fields).find(([, value]) => value !== null && value.length > MAX_SHORT_TEXT);
  return long && `${long[0]} has more than ${MAX_SHORT_TEXT} characters`;
}

function findBadUrl(name: string, items: readonly { readonly url: string }[]): string | undefined {
  const index = items.findIndex((item) => !URL.canParse(item.url));
  return index === -1 ? undefined : `${name}[${index}].url is not absolute`;
}
