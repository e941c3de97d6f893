import { isIP } from 'node:net';
import { readFile, stat } from 'node:fs/promises';
import { normalizeHost } from '../policy/egress-policy.ts';

/** Parses a hosts file (hosts(5)) into addresses by name, in the order of the lines. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const [address = '', ...names] of fieldsOf(text)) {
    // An address with a zone is valid on one link of this machine only.
    if (isIP(address) === 0 || address.includes('%')) continue;
    for (const name of names.map(normalizeHost)) {
      const known = hosts.get(name);
      if (known === undefined) hosts.set(name, [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return hosts;
}

/** Parses the name servers of a resolv.conf(5), including OpenBSD's `[address]:port`. */
export function parseNameServers(text: string): readonly string[] {
  return fieldsOf(text).flatMap(([keyword, server = '']) => {
    if (keyword !== 'nameserver') return [];
    const address = /^\[(.+)\]:\d{1,5}$/.exec(server)?.[1] ?? server;
    return isIP(address) === 0 ? [] : [server.replace(/^\[([\d.]+)\]/, '$1')];
  });
}

function fieldsOf(text: string): string[][] {
  return text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
}

/** A small system file, reloaded on change. An unreadable file counts as empty. */
export class SystemFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  #stamp = '';
  #value: T;

  constructor(path: string, parse: (text: string) => T) {
    this.#path = path;
    this.#parse = parse;
    this.#value = parse('');
  }

  async read(): Promise<T> {
    const stamp = await stat(this.#path).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => '',
    );
    if (stamp !== this.#stamp) {
      this.#value = this.#parse(await readFile(this.#path, 'utf8').catch(() => ''));
      this.#stamp = stamp;
    }
    return this.#value;
  }
}
