import { isIP } from 'node:net';
import { normalizeHost } from './egress-policy.ts';

/** Addresses by name, as a hosts file (hosts(5)) gives them: those of all lines that name it, in their order. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const [address = '', ...names] of fieldsOf(text)) {
    // An address with a zone is good on one link of this machine alone.
    if (isIP(address) === 0 || address.includes('%')) continue;
    for (const name of names.map(normalizeHost)) {
      const known = hosts.get(name);
      if (known === undefined) hosts.set(name, [address]);
      else if (!known.includes(address)) known.push(address);
    }
  }
  return hosts;
}

/** The name servers of a resolv.conf(5), in their order; `[address]:port` is understood too, as OpenBSD writes it. */
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
