import type { SegmentKind, UrlShape } from '../format/template.ts';

export interface AddressParts {
  /** Lower-case host name, with its port if not the default. */
  readonly host: string;
  readonly segments: readonly string[];
  readonly query: readonly string[];
}

/** Splits an http(s) address; undefined for others. */
export function splitAddress(address: string): AddressParts | undefined {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  return {
    host: url.host,
    segments: segments.slice(0, 40),
    query: [...new Set(url.searchParams.keys())].toSorted().slice(0, 40),
  };
}

/** Whether a list of hosts includes a host; a leading dot includes subdomains. */
export function matchesHost(hosts: readonly string[], host: string): boolean {
  return hosts.some((name) => (name.startsWith('.') ? host.endsWith(name) || host === name.slice(1) : host === name));
}

/** Match of an address, 0 to 1: more fixed segments, higher score. */
export function scoreUrl(shape: UrlShape, parts: AddressParts): number {
  if (shape.segments.length !== parts.segments.length) return 0;
  if (!shape.query.every((name) => parts.query.includes(name))) return 0;
  let fixed = shape.query.length;
  for (const [index, segment] of shape.segments.entries()) {
    const text = parts.segments[index];
    if ('text' in segment) {
      if (segment.text !== text) return 0;
      fixed++;
    } else if (!fitsKind(text, segment.any)) return 0;
  }
  return 0.5 + (0.5 * fixed) / (shape.segments.length + shape.query.length || 1);
}

const SLUG = /^[^/]*[a-z\p{L}\p{N}][-_+.]|%[0-9a-f]{2}/iu;
const NUMBER = /^\d+$/;
const DATE = /^(?:(?:19|20)\d\d|(?:19|20)\d\d-?\d\d(?:-?\d\d)?|\d{1,2})$/;

const KINDS: Readonly<Record<SegmentKind, (text: string) => boolean>> = {
  number: (text) => NUMBER.test(text),
  date: (text) => DATE.test(text),
  slug: (text) => SLUG.test(text),
  text: () => true,
};

function fitsKind(text: string, kind: SegmentKind): boolean {
  return KINDS[kind](text);
}

/** A word that names a section of a site. */
const SECTION = /^\p{L}{1,30}$/u;
const MAX_SHAPE_LENGTH = 200;

/**
 * Describes the addresses that are like one, for instance `/news/{number}/{slug}?page`: the words before its last segment,
 * which names the page, the kinds of its other segments, and the names in its query.
 */
export function describePath({ segments, query }: AddressParts): string {
  const path = segments.map((text, index) =>
    index < segments.length - 1 && SECTION.test(text) ? text : describe(text),
  );
  return `/${path.join('/')}${query.length === 0 ? '' : `?${query.join('&')}`}`.slice(0, MAX_SHAPE_LENGTH);
}

function describe(segment: string): string {
  const kind = (['number', 'slug'] as const).find((one) => fitsKind(segment, one));
  return `{${kind ?? 'text'}}`;
}
