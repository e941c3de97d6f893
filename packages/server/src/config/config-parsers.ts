/** Parsers of values. Errors complete the sentence "NAME: …". */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { isAcceptLanguage } from '@winnow/contract';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { ProjectEgress } from '../domain/capture/capture-ports.ts';
import { compileTargets } from '../egress/policy/egress-policy.ts';
import { readRegularFile } from './regular-file.ts';
import { DIRECT } from '../egress/dialing/upstream-routes.ts';

export function text(value: string): string {
  return value;
}

export function name(value: string): string {
  if (!/^[a-z][a-z0-9]{0,31}$/.test(value)) throw new Error('must be a lower-case word of letters and digits');
  return value;
}

export function address(value: string): string {
  if (isIP(value) === 0) throw new Error('must be an IP address');
  return value;
}

/** Host or address to listen on, with optional brackets for IPv6. */
export function listenHost(value: string): string {
  return value.replace(/^\[(.*)\]$/, '$1');
}

/** Host or address without a port; adds brackets to IPv6. */
export function host(value: string): string {
  if (isIP(value) === 6) return `[${value}]`;
  const labels = value.split('.');
  if (!labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label)))
    throw new Error('must be a host name or an IP address');
  return value;
}

const MAX_CERTIFICATES_BYTES = 4 * 1024 * 1024;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=]+-----END CERTIFICATE-----/g;

/** The certificates in a PEM file, or none. */
export function authorities(file: string): readonly string[] {
  if (file === '') return [];
  const found = readRegularFile(file, MAX_CERTIFICATES_BYTES).toString('latin1').match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new Error('must be a file with certificates in PEM');
  for (const [index, pem] of found.entries()) {
    try {
      void new X509Certificate(pem);
    } catch (error) {
      throw new Error(`certificate ${index + 1} of the file cannot be read`, { cause: error });
    }
  }
  return found;
}

export function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`);
    return number;
  };
}

export function ratio(value: string): number {
  const number = Number(value);
  if (!/^(?:\d+|\d*\.\d+)$/.test(value) || number > 1) throw new Error('must be a number from 0 to 1');
  return number;
}

export function choice<T extends string>(values: readonly T[]): (value: string) => T {
  return (value) => {
    const found = values.find((candidate) => candidate === value.toLowerCase());
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  };
}

export function flag(value: string): boolean {
  const found = { true: true, false: false }[value.toLowerCase()];
  if (found === undefined) throw new Error('must be true or false');
  return found;
}

/** Normalises to a trailing slash and no leading one. */
export function keyPrefix(value: string): string {
  if (value === '') return '';
  const trimmed = value.replaceAll(/^\/+|(?<!\/)\/+$/g, '');
  if (!/^[\w!.*'()/-]{1,200}$/.test(trimmed)) throw new Error('may only contain letters, digits and /-_.!*()');
  return `${trimmed}/`;
}

/** Parses values separated by commas or white space; `none` adds no value. */
export function choices<T extends string>(values: readonly T[]): (value: string) => readonly T[] {
  const parse = choice([...values, 'none']);
  return (value) => {
    const items = list(value).map(parse);
    return values.filter((one) => items.includes(one));
  };
}

export function list(value: string): readonly string[] {
  return value.split(/[\s,]+/).filter((item) => item !== '');
}

export function egressRules(value: string): readonly string[] {
  const rules = list(value);
  compileTargets(rules);
  return rules;
}

export function acceptLanguage(value: string): string {
  if (!isAcceptLanguage(value))
    throw new Error('must be the value of an Accept-Language header, such as de-CH,de;q=0.9');
  return value;
}

const MIN_SECRET_LENGTH = 32;

export function secretKey(value: string): string {
  if (value.length < MIN_SECRET_LENGTH) throw new Error(`must have at least ${MIN_SECRET_LENGTH} characters`);
  return value;
}

export function headerValue(value: string): string {
  if (!/^[\t\u0020-\u007E\u0080-\u00FF]+$/.test(value))
    throw new Error('must be a header value: one line of Latin-1 characters');
  return value;
}

/** `name=value,…` with percent-encoding, as OpenTelemetry writes headers and attributes. */
export function pairs(value: string): Readonly<Record<string, string>> {
  const entries = value.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(entries.map((pair) => readPair(pair)));
}

function readPair(pair: string): [string, string] {
  const end = pair.indexOf('=');
  const key = pair.slice(0, end).trim();
  try {
    if (end > 0 && /^[\w.!#$%&'*+^`|~/-]+$/.test(key))
      return [key, headerValue(decodeURIComponent(pair.slice(end + 1).trim()))];
  } catch {
    // The same error.
  }
  throw new Error('must be pairs name=value, separated by commas, whose values are percent-encoded');
}

/** Named ranges of reverse proxies. */
const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);

export function addressRanges(value: string): readonly string[] {
  const ranges = list(value);
  const fault = ranges.find((range) => !NAMED_RANGES.has(range) && !isAddressRange(range));
  if (fault !== undefined) throw new Error(`must be addresses and CIDR ranges (${fault} is neither)`);
  return ranges;
}

/**
 * Rejects the range of all addresses and misleading forms: `10/8` means 0.0.0.10/8, `010.0.0.0/8` means 8.0.0.0/8.
 */
function isAddressRange(range: string): boolean {
  const [start = '', bits] = range.split('/');
  if (!ipaddr.IPv4.isValidFourPartDecimal(start) && !ipaddr.IPv6.isValid(start)) return false;
  return bits === undefined || (ipaddr.isValidCIDR(range) && ipaddr.parseCIDR(range)[1] > 0);
}

/** Parses an absolute URL; removes trailing slashes. */
export function url(...schemes: readonly string[]): (value: string) => string {
  return (value) => {
    if (!schemes.includes(URL.parse(value)?.protocol ?? '')) {
      throw new Error(`must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`);
    }
    return value.replace(/(?<!\/)\/+$/, '');
  };
}

/**
 * Removes trailing slashes. Like libpq, allows a socket folder instead of a host:
 * `postgres://user:password@/name?host=/folder`.
 */
export function postgresUrl(value: string): string {
  if (!/^postgres(?:ql)?:\/\//i.test(value))
    throw new Error('must be a URL that begins with postgres:// or postgresql://');
  if (!URL.canParse(value.replace('@/', '@localhost/')))
    throw new Error('is not a complete URL; write characters such as / ? # of a name or password as %2F %3F %23');
  return value.replace(/(?<!\/)\/+$/, '');
}

export function urls(...schemes: readonly string[]): (value: string) => readonly string[] {
  const parse = url(...schemes);
  return (value) => list(value).map(parse);
}

/** Parses a proxy URL with an optional scheme; null for `direct`. */
export function proxy(value: string): URL | null {
  if (value.toLowerCase() === DIRECT) return null;
  const parsed = URL.parse(value.includes('://') ? value : `http://${value}`);
  const isProxy = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  if (parsed === null || !isProxy || parsed.pathname !== '/' || parsed.search !== '' || parsed.hash !== '')
    throw new Error(`must be http://[user:password@]host:port, https:// likewise, or ${DIRECT}`);
  return parsed;
}

export function namedProxies(value: string): ReadonlyMap<string, URL> {
  const proxies = new Map<string, URL>();
  for (const item of list(value)) {
    const [, key = '', written = ''] = /^([a-z][a-z0-9_-]{0,31})=(.+)$/.exec(item) ?? [];
    const parsed = key === '' || key === DIRECT ? null : proxy(written);
    if (parsed === null) throw new Error('must be names with proxies, such as eu=http://host:port,us=http://host:port');
    if (proxies.has(key)) throw new Error(`names ${key} twice`);
    proxies.set(key, parsed);
  }
  return proxies;
}

const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `20s`, `5m`, `2h`, `7d` → milliseconds. Requires a unit. */
export function duration(minMs: number, maxMs: number): (value: string) => number {
  return (value) => {
    const [, number, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(value) ?? [];
    if (number === undefined) throw new Error('must be a time with its unit, such as 500ms, 20s, 5m, 2h or 7d');
    const ms = Math.round(Number(number) * (DURATION_UNITS[unit ?? ''] ?? Number.NaN));
    if (ms < minMs || ms > maxMs) throw new Error(`must be from ${showDuration(minMs)} to ${showDuration(maxMs)}`);
    return ms;
  };
}

function showDuration(ms: number): string {
  const [unit, size] = Object.entries(DURATION_UNITS).findLast(([, unitMs]) => ms >= unitMs && ms % unitMs === 0) ?? [
    'ms',
    1,
  ];
  return `${ms / size}${unit}`;
}

const SIZE_UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
};

/** `1048576`, `1MiB`, `10GB` → bytes. */
export function bytes(min: number, max: number): (value: string) => number {
  return (value) => {
    const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?b)?$/i.exec(value) ?? [];
    if (number === undefined) throw new Error('must be a size, such as 1048576, 512KiB, 10MiB or 2GB');
    const size = Math.round(Number(number) * (SIZE_UNITS[unit.toLowerCase()] ?? Number.NaN));
    if (size < min || size > max) throw new Error(`must be from ${min} to ${max} bytes`);
    return size;
  };
}

const projectRulesSchema = z.record(
  z.string().min(1),
  z.strictObject({
    allow: z.array(z.string()).default([]),
    deny: z.array(z.string()).default([]),
    proxy: z.string().optional(),
  }),
);

/** Parses JSON keyed by project id; empty text: no rules. Rules and proxies are checked when egress opens. */
export function projectRules(value: string): ReadonlyMap<string, ProjectEgress> {
  const { success, data } = projectRulesSchema.safeParse(value === '' ? {} : parseJson(value));
  if (!success) throw new Error('must be JSON such as {"prj_…":{"allow":["10.0.5.0/24"],"deny":["*.example.com"]}}');
  return new Map(Object.entries(data));
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}
