import { findEndTag } from '@winnow/extract/tags';

export interface Refresh {
  readonly delayS: number;
  readonly url: URL;
}

/** Characters of the page's own text; on a page with more, a late redirect does not count. */
export const MAX_REFRESH_TEXT = 400;

/** Fast exit for most pages. */
const MENTION = /http-equiv\s*=\s*(?:["']\s*)?refresh/i;

/** Comments, `meta` and `base` tags, and elements whose content is skipped. */
const STOP = /<(?:!--|meta\b|base\b|(script|style|noscript|template|textarea|title|iframe|svg)\b)/gi;
const TAG = /[^<>]*/y;
const CONTENT = /(?<![\w-])content\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/i;
const BASE = /(?<![\w-])href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/i;

/** HTML standard: `url=`, quotes and the URL are optional. */
const VALUE = /^\s*(?=[\d.])(\d{1,9})?(?:\.[\d.]*)?(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is;

/** Finds the earliest redirect by `<meta http-equiv=refresh>` or header. Ignores reloads of the same page. */
export function findRefresh(html: string, pageUrl: string, header?: string): Refresh | undefined {
  const { values, base } = MENTION.test(html) ? readMeta(html) : { values: [], base: '' };
  const baseUrl = URL.parse(base, pageUrl)?.href ?? pageUrl;
  const [first] = [
    ...values.map((value) => readRefresh(value, baseUrl, pageUrl)),
    header === undefined ? undefined : readRefresh(header, pageUrl, pageUrl),
  ]
    .filter((refresh) => refresh !== undefined)
    .toSorted((one, other) => one.delayS - other.delayS);
  return first;
}

/** Returns the address from which the relative ones of a page start. */
export function findBase(html: string, pageUrl: string): string {
  const { base } = /<base\b/i.test(html) ? readMeta(html) : { base: '' };
  return URL.parse(base, pageUrl)?.href ?? pageUrl;
}

/** Returns the refreshes of a page and the address that its relative ones start from. */
function readMeta(html: string): { values: string[]; base: string } {
  const values: string[] = [];
  let base = '';
  STOP.lastIndex = 0;
  for (let stop = STOP.exec(html); stop; stop = STOP.exec(html)) {
    if (stop[1] !== undefined) {
      const end = findEndTag(html, stop[1].toLowerCase(), STOP.lastIndex);
      // Unterminated elements extend to the end.
      if (end < 0) break;
      STOP.lastIndex = end;
    } else if (stop[0] === '<!--') {
      const close = html.indexOf('-->', STOP.lastIndex - 2);
      if (close < 0) break;
      STOP.lastIndex = close;
    } else {
      TAG.lastIndex = STOP.lastIndex;
      const [tag] = TAG.exec(html) ?? [''];
      STOP.lastIndex = TAG.lastIndex;
      if (stop[0].toLowerCase() === '<base') base ||= readValue(BASE, tag) ?? '';
      else if (MENTION.test(tag)) {
        const value = readValue(CONTENT, tag);
        if (value !== undefined) values.push(value);
      }
    }
  }
  return { values, base };
}

function readValue(pattern: RegExp, tag: string): string | undefined {
  const [, ...values] = pattern.exec(tag) ?? [];
  return values
    .find((one) => one !== undefined)
    ?.replace(/&amp;/gi, '&')
    .replace(/&#0?39;/g, "'")
    .replace(/&quot;/gi, '"');
}

function readRefresh(value: string, baseUrl: string, pageUrl: string): Refresh | undefined {
  const [, delay = '0', ...quoted] = VALUE.exec(value.slice(0, 4000)) ?? [];
  const target = quoted.find((one) => one !== undefined)?.trim() ?? '';
  const url = target === '' ? null : URL.parse(target, baseUrl);
  if (!url || !isElsewhere(url, pageUrl)) return undefined;
  return { delayS: Number(delay), url };
}

/** Tests for another address than the page's own. */
export function isElsewhere(url: URL, pageUrl: string): boolean {
  return /^https?:$/.test(url.protocol) && withoutHash(url) !== withoutHash(new URL(pageUrl));
}

function withoutHash({ href, hash }: URL): string {
  return hash === '' ? href.replace(/#$/, '') : href.slice(0, -hash.length);
}
