import type { SegmentKind, UrlSegment, UrlShape } from '../format/template.ts';

/** The parts of an address that its shape is made of. */
export interface AddressParts {
  /** Host name with a port that is not the usual one, lower case. */
  readonly host: string;
  readonly segments: readonly string[];
  readonly query: readonly string[];
}

/** Splits an http(s) address; undefined when it is none. */
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

/** Whether a template's list of hosts names a host; a name that begins with a dot stands for all below it. */
export function matchesHost(hosts: readonly string[], host: string): boolean {
  return hosts.some((name) => (name.startsWith('.') ? host.endsWith(name) || host === name.slice(1) : host === name));
}

/**
 * How well an address fits a shape: 0 when it does not, else up to 1, the more of its segments are fixed
 * the better.
 */
export function scoreUrl(shape: UrlShape, parts: AddressParts): number {
  if (shape.segments.length !== parts.segments.length) return 0;
  if (!shape.query.every((name) => parts.query.includes(name))) return 0;
  let fixed = shape.query.length;
  for (const [index, segment] of shape.segments.entries()) {
    const text = parts.segments[index]!;
    if ('text' in segment) {
      if (segment.text !== text) return 0;
      fixed++;
    } else if (!fitsKind(text, segment.any)) return 0;
  }
  return 0.5 + (0.5 * fixed) / (shape.segments.length + shape.query.length || 1);
}

/** A segment of letters, digits and separators: two words and more. */
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
 * Learns the shapes of a set of addresses: addresses of equal depth make one shape, in which a segment that
 * is always the same is fixed and any other is of the narrowest kind that holds all of its values.
 */
export function learnUrlShapes(addresses: readonly AddressParts[]): UrlShape[] {
  const byDepth = Map.groupBy(addresses, (parts) => parts.segments.length);
  const depths = [...byDepth.keys()].toSorted((a, b) => a - b);
  return depths.map((depth) => learnShape(byDepth.get(depth)!));
}

function learnShape(addresses: readonly AddressParts[]): UrlShape {
  const [first] = addresses;
  const segments: UrlSegment[] = [];
  for (const index of first!.segments.keys()) {
    const values = addresses.map((parts) => parts.segments[index]!);
    const last = index === first!.segments.length - 1;
    segments.push(learnSegment(values, last, addresses.length, segments.at(-1)));
  }
  const query = first!.query.filter((name) => addresses.every((parts) => parts.query.includes(name)));
  return { segments, query };
}

const KINDS_FROM_NARROW = ['date', 'number', 'slug'] as const;

/** The last segment names the page itself: one sample of it proves nothing fixed. */
function learnSegment(
  values: readonly string[],
  last: boolean,
  samples: number,
  before: UrlSegment | undefined,
): UrlSegment {
  const [first] = values;
  const fixed = values.every((value) => value === first);
  if (fixed && !(last && samples === 1) && !NUMBER.test(first!)) return { text: first! };
  // A month or a day comes after a year; alone, a short number is a number.
  const afterDate = before !== undefined && 'any' in before && before.any === 'date';
  const kinds =
    afterDate || values.every((value) => value.length >= 4) ? KINDS_FROM_NARROW : KINDS_FROM_NARROW.slice(1);
  const kind = kinds.find((one) => values.every((value) => fitsKind(value, one)));
  return { any: kind ?? 'text' };
}
