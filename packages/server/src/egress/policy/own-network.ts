import os from 'node:os';
import ipaddr from 'ipaddr.js';
import { within } from '../../domain/shared/within.ts';

/** What the policy knows about the network that the service runs in. */
export interface OwnNetwork {
  /** True for the addresses of this machine's interfaces. */
  isOwn(address: ipaddr.IPv4 | ipaddr.IPv6): boolean;
  /** Returns the IPv4 address that a translator (NAT64) of the network reaches for this one. */
  translate(address: ipaddr.IPv6): ipaddr.IPv4 | undefined;
}

export const UNKNOWN_NETWORK: OwnNetwork = { isOwn: () => false, translate: () => undefined };

export interface OwnNetworkOptions {
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly listInterfaces?: () => NodeJS.Dict<readonly { readonly address: string }[]>;
  /** Milliseconds. */
  readonly now?: () => number;
}

/** The system reports no changes of interfaces; listing them takes 0.1 ms. */
const INTERFACES_MS = 5000;
const TRANSLATORS_MS = 10 * 60_000;
const RETRY_MS = 60_000;
const MAX_WAIT_MS = 2000;

/** RFC 7050: names without IPv6 addresses, except behind a DNS64. */
const PROBE_NAME = 'ipv4only.arpa';
const PROBE_ADDRESSES = new Set(['192.0.0.170', '192.0.0.171']);

/** RFC 6052, 2.2: bytes of the IPv4 address, by prefix length in bytes. Byte 8 is always zero. */
const EMBEDDINGS: readonly (readonly [length: number, places: readonly number[]])[] = [
  [4, [4, 5, 6, 7]],
  [5, [5, 6, 7, 9]],
  [6, [6, 7, 9, 10]],
  [7, [7, 9, 10, 11]],
  [8, [9, 10, 11, 12]],
  [12, [12, 13, 14, 15]],
];

interface Translator {
  readonly prefix: readonly number[];
  readonly places: readonly number[];
}

/** Watches the interfaces of this machine and discovers the NAT64 prefixes of its network (RFC 7050). */
export class WatchedNetwork implements OwnNetwork {
  readonly #resolve: OwnNetworkOptions['resolve'];
  readonly #listInterfaces: NonNullable<OwnNetworkOptions['listInterfaces']>;
  readonly #now: () => number;
  #own = new Set<string>();
  #ownUntil = -Infinity;
  #translators: readonly Translator[] = [];
  #translatorsUntil = -Infinity;
  #discovery: Promise<void> | undefined;

  constructor({ resolve, listInterfaces = os.networkInterfaces, now = () => performance.now() }: OwnNetworkOptions) {
    this.#resolve = resolve;
    this.#listInterfaces = listInterfaces;
    this.#now = now;
  }

  isOwn(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    if (this.#now() >= this.#ownUntil) {
      const addresses = Object.values(this.#listInterfaces()).flatMap((list) => list ?? []);
      this.#own = new Set(addresses.map((one) => ipaddr.parse(one.address).toNormalizedString()));
      this.#ownUntil = this.#now() + INTERFACES_MS;
    }
    return this.#own.has(address.toNormalizedString());
  }

  translate(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
    const bytes = address.toByteArray();
    const found = this.#translators.find(({ prefix }) => prefix.every((byte, index) => byte === bytes[index]));
    return found && embedded(bytes, found.places);
  }

  /** Call it before the policy checks an IPv6 address. A network without a DNS64 keeps what is known. */
  async discoverTranslators(): Promise<void> {
    if (this.#now() < this.#translatorsUntil) return;
    this.#discovery ??= this.#discover().finally(() => (this.#discovery = undefined));
    await within(this.#discovery, MAX_WAIT_MS);
  }

  async #discover(): Promise<void> {
    try {
      const addresses = await this.#resolve(PROBE_NAME);
      this.#translators = addresses.flatMap(findTranslators);
      this.#translatorsUntil = this.#now() + TRANSLATORS_MS;
    } catch {
      this.#translatorsUntil = this.#now() + RETRY_MS;
    }
  }
}

function findTranslators(address: string): Translator[] {
  if (!ipaddr.IPv6.isValid(address)) return [];
  const bytes = ipaddr.IPv6.parse(address).toByteArray();
  return EMBEDDINGS.filter(([, places]) => PROBE_ADDRESSES.has(embedded(bytes, places).toString())).map(
    ([length, places]) => ({ prefix: bytes.slice(0, length), places }),
  );
}

function embedded(bytes: readonly number[], places: readonly number[]): ipaddr.IPv4 {
  return new ipaddr.IPv4(places.map((place) => bytes[place] ?? 0));
}
