import ipaddr from 'ipaddr.js';
import { withoutRootDot } from '../../domain/capture/check-target.ts';
import type { EgressRules } from '../../domain/capture/capture-ports.ts';
import {
  GLOBAL_UNICAST_IPV6,
  IPV4_IN_IPV6,
  ISATAP_IDENTIFIERS,
  REFUSED_IPV4,
  REFUSED_IPV6,
  REFUSED_NAMES,
  REFUSED_PORTS,
} from './address-table.ts';
import { UNKNOWN_NETWORK, type OwnNetwork } from './own-network.ts';

export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

/** A host and port; with the address once it is resolved. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly address?: string;
}

export interface EgressPolicy {
  /** Requests with the same key may share connections. */
  readonly key: string;
  check(target: Target): Verdict;
}

export const NO_RULES: EgressRules = { allow: [], deny: [] };

/**
 * Merges and compiles rule sets. Deny rules override allow rules, which override the built-in table.
 * @throws {TypeError} naming an invalid rule
 */
export function compileEgressPolicy(...sets: readonly EgressRules[]): EgressPolicy {
  return compilePolicyIn(UNKNOWN_NETWORK, ...sets);
}

/** As {@link compileEgressPolicy}; also refuses this machine's addresses, and what translators of the network hide. */
export function compilePolicyIn(network: OwnNetwork, ...sets: readonly EgressRules[]): EgressPolicy {
  const allow = sets.flatMap((set) => set.allow).map(parseRule);
  const deny = sets.flatMap((set) => set.deny).map(parseRule);
  return {
    key: JSON.stringify(sets),
    check(target) {
      const facts = describeTarget(target);
      const { wrapped } = facts;
      const translated = wrapped instanceof ipaddr.IPv6 ? network.translate(wrapped) : undefined;
      // Deny rules match any form of an embedded address, allow rules only the judged one.
      const forms = [facts.address, wrapped, ...(translated ? [translated] : [])];
      const denial = deny.find((rule) => forms.some((address) => rule.matches({ ...facts, address })));
      if (denial)
        return refuse(target, `${denial.text} is in the deny list (WINNOW_EGRESS_DENY or WINNOW_PROJECT_EGRESS)`);
      const isAllowed = (address: Address | undefined): boolean =>
        allow.some((rule) => rule.matches({ ...facts, address }));
      // A permitted range of IPv6 does not permit what a translator hides in it.
      const hidden = translated && !isAllowed(translated) ? refusedKind(translated, network) : undefined;
      if (hidden !== undefined) return refuse(target, `it leads to ${hidden}`, formatHostRule(facts));
      if (isAllowed(facts.address)) return { allowed: true };
      if (REFUSED_PORTS.has(target.port))
        return refuse(target, `port ${target.port} belongs to another protocol`, formatHostRule(facts, target.port));
      const name =
        facts.address === undefined ? REFUSED_NAMES.find((row) => matchName(row.name, facts.host)) : undefined;
      if (name) return refuse(target, `it is ${name.kind}`, formatHostRule(facts));
      const kind = facts.address && refusedKind(facts.address, network);
      // Omits resolved addresses: answers of an internal name server are confidential.
      return kind
        ? refuse(target, `it ${target.address === undefined ? 'is' : 'resolves to'} ${kind}`, formatHostRule(facts))
        : { allowed: true };
    },
  };
}

/**
 * Compiles rules without the built-in table.
 * @throws {TypeError} naming an invalid rule
 */
export function compileTargets(rules: readonly string[]): (target: Target) => boolean {
  const parsed = rules.map(parseRule);
  return (target) => {
    const facts = describeTarget(target);
    return parsed.some((rule) => rule.matches(facts));
  };
}

function refuse({ host, port }: Target, why: string, rule?: string): Verdict {
  const remedy = rule === undefined ? '' : `; to allow it set WINNOW_EGRESS_ALLOW=${rule}`;
  return { allowed: false, reason: `${host}:${port} is refused by the egress policy: ${why}${remedy}` };
}

function formatHostRule({ host }: Facts, port?: number): string {
  if (port === undefined) return host;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Normalises to lower case, without trailing dots and brackets. */
export function normalizeHost(host: string): string {
  return withoutRootDot(host.toLowerCase().replace(/^\[(.*)\]$/, '$1'));
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

interface Facts {
  readonly host: string;
  readonly port: number;
  readonly address: Address | undefined;
  /** As given; it may embed the judged address. */
  readonly wrapped: Address | undefined;
}

function describeTarget({ host, port, address }: Target): Facts {
  const plain = normalizeHost(host);
  const literal = address ?? (isAddressLiteral(plain) ? plain : undefined);
  const wrapped = literal === undefined ? undefined : ipaddr.parse(literal);
  return { host: plain, port, wrapped, address: wrapped && unwrap(wrapped) };
}

export function isAddressLiteral(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host);
}

function unwrap(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address;
  const bytes = address.toByteArray();
  const isCarrier = IPV4_IN_IPV6.some(({ cidr }) => inRange(address, cidr));
  // `::` and `::1` have rows of their own.
  return isCarrier && bytes.slice(0, 15).some((byte) => byte !== 0) ? new ipaddr.IPv4(bytes.slice(12)) : address;
}

function refusedKind(address: Address, network: OwnNetwork): string | undefined {
  return specialKind(address) ?? (network.isOwn(address) ? 'an address of this machine' : undefined);
}

function specialKind(address: Address): string | undefined {
  if (address instanceof ipaddr.IPv4) return REFUSED_IPV4.find(({ cidr }) => inRange(address, cidr))?.kind;
  const kind = REFUSED_IPV6.find(({ cidr }) => inRange(address, cidr))?.kind;
  if (kind) return kind;
  if (!inRange(address, GLOBAL_UNICAST_IPV6)) return 'a reserved address';
  const identifier = address.toByteArray().slice(8, 12);
  const isIsatap = ISATAP_IDENTIFIERS.some((bytes) => bytes.every((byte, index) => byte === identifier[index]));
  return isIsatap ? 'an ISATAP tunnel address' : undefined;
}

function inRange(address: Address, cidr: string): boolean {
  return matchesRange(address, parseRange(cidr));
}

type Range = readonly [Address, number];

const RANGES = new Map<string, Range>();

function parseRange(cidr: string): Range {
  let range = RANGES.get(cidr);
  if (!range) {
    range = ipaddr.parseCIDR(cidr);
    RANGES.set(cidr, range);
  }
  return range;
}

function matchesRange(address: Address, [start, bits]: Range): boolean {
  if (address instanceof ipaddr.IPv4) return start instanceof ipaddr.IPv4 && address.match(start, bits);
  return start instanceof ipaddr.IPv6 && address.match(start, bits);
}

interface Rule {
  readonly text: string;
  matches(facts: Facts): boolean;
}

const RULE = /^(?<host>\[[^\]]+\](?:\/\d+)?|[^:[\]]+|[0-9a-f:.]+(?:\/\d+)?)(?::(?<port>\d{1,5}))?$/i;
/** Has several colons and therefore no port. */
const BARE_IPV6 = /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*(?:\/\d+)?$/i;
const NAME = /^(?:\*\.)?[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*$/u;

function parseRule(text: string): Rule {
  const trimmed = text.trim();
  const match = BARE_IPV6.test(trimmed) ? { groups: { host: trimmed, port: undefined } } : RULE.exec(trimmed);
  const host = match?.groups?.['host'];
  const port = match?.groups?.['port'];
  if (host === undefined || Number(port ?? 1) > 65_535) throw unreadable(text);
  const matchesHost = parseHostRule(host, text);
  return {
    text: trimmed,
    matches: (facts) => (port === undefined || facts.port === Number(port)) && matchesHost(facts),
  };
}

function parseHostRule(host: string, text: string): (facts: Facts) => boolean {
  const plain = host.replace(/[[\]]/g, '');
  const range = toRange(plain);
  // `localhost` is judged before it is resolved, so rules for loopback must match it.
  if (range) return (facts) => loopbackOf(facts).some((address) => matchesRange(address, range));
  const ascii = toAsciiName(plain);
  if (!NAME.test(plain) || ascii === undefined) throw unreadable(text);
  return (facts) => matchName(ascii, facts.host);
}

const LOOPBACK: readonly Address[] = [ipaddr.parse('127.0.0.1'), ipaddr.parse('::1')];

function loopbackOf({ host, address }: Facts): readonly Address[] {
  if (address) return [address];
  return matchName('localhost', host) || matchName('*.localhost', host) ? LOOPBACK : [];
}

function toRange(text: string): Range | undefined {
  // Rejects forms that ipaddr.js misreads: `10/8` as 0.0.0.10/8, `010.0.0.0/8` as 8.0.0.0/8.
  if (ipaddr.isValidCIDR(text) && isAddressLiteral(text.replace(/\/\d+$/, ''))) return ipaddr.parseCIDR(text);
  if (!isAddressLiteral(text)) return undefined;
  const address = unwrap(ipaddr.parse(text));
  return [address, address instanceof ipaddr.IPv4 ? 32 : 128];
}

/** Returns the URL parser's spelling, with a leading `*.`; undefined for an address. */
function toAsciiName(name: string): string | undefined {
  const wildcard = name.startsWith('*.') ? '*.' : '';
  const url = URL.parse(`http://${name.slice(wildcard.length)}/`);
  const ascii = url && normalizeHost(url.hostname);
  return ascii === null || isAddressLiteral(ascii) ? undefined : wildcard + ascii;
}

function matchName(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

function unreadable(text: string): TypeError {
  // URL parsers treat names whose last label is a number as addresses.
  if (/^(?:\*\.)?[\d.]+(?:\/\d+)?(?::\d+)?$/.test(text.trim()))
    return new TypeError(
      `egress rule "${text}" is not an IPv4 address or CIDR range (four numbers from 0 to 255, /0 to /32)`,
    );
  return new TypeError(
    `egress rule "${text}" is neither an address, a CIDR range nor a host name, with an optional :port`,
  );
}
