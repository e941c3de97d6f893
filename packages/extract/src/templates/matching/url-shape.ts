import type { SegmentKind, UrlSegment, UrlShape } from '../format/template.ts';

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

/**
 * Learns shapes: addresses of equal depth form one shape. A constant segment is fixed; any other gets the narrowest
 * kind for its values.
 */
export function learnUrlShapes(addresses: readonly AddressParts[]): UrlShape[] {
  const byDepth = Map.groupBy(addresses, (parts) => parts.segments.length);
  const depths = [...byDepth.keys()].toSorted((a, b) => a - b);
  return depths.map((depth) => learnShape(byDepth.get(depth)!));
}

function learnShape(addresses: readonly AddressParts[]): UrlShape {
  const [first] = addresses;
  const segments: UrlSegment[] = [];
  for (const index of first.segments.keys()) {
    const values = addresses.map((parts) => parts.segments[index]);
    const last = index === first.segments.length - 1;
    segments.push(learnSegment(values, last, addresses.length, segments.at(-1)));
  }
  const query = first.query.filter((name) => addresses.every((parts) => parts.query.includes(name)));
  return { segments, query };
}

const KINDS_FROM_NARROW = ['date', 'number', 'slug'] as const;

/** The last segment names the page: one sample does not make it fixed. */
function learnSegment(
  values: readonly string[],
  last: boolean,
  samples: number,
  before: UrlSegment | undefined,
): UrlSegment {
  const [first] = values;
  const fixed = values.every((value) => value === first);
  if (fixed && !(last && samples === 1) && !NUMBER.test(first)) return { text: first };
  // A month or day follows a year; alone, a short number is a number.
  const afterDate = before !== undefined && 'any' in before && before.any === 'date';
  const kinds =
    afterDate || values.every((value) => value.length >= 4) ? KINDS_FROM_NARROW : KINDS_FROM_NARROW.slice(1);
  const kind = kinds.find((one) => values.every((value) => fitsKind(value, one)));
  return { any: kind ?? 'text' };
}
