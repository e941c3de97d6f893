import { compileTargets, isAddressLiteral } from '../policy/egress-policy.ts';

export interface UpstreamOptions {
  /** Default: direct connections. */
  readonly proxy?: URL;
  readonly named?: ReadonlyMap<string, URL>;
  /**
   * Direct targets, as in `NO_PROXY`: names cover subdomains, addresses and CIDR ranges cover URLs with literal
   * addresses, `*` covers everything; each with an optional `:port`.
   */
  readonly bypass?: readonly string[];
}

export const DIRECT = 'direct';

export type ProxyFor = (host: string, port: number) => URL | undefined;

/** @throws {TypeError} for an unknown proxy or an invalid bypass */
export function compileRoute(options: UpstreamOptions, name?: string): ProxyFor {
  const proxy = findProxy(options, name);
  if (proxy === undefined) return () => undefined;
  const isDirect = compileBypass(options.bypass ?? []);
  return (host, port) => (isDirect(host, port) ? undefined : proxy);
}

function findProxy({ proxy, named = new Map() }: UpstreamOptions, name: string | undefined): URL | undefined {
  if (name === undefined) return proxy;
  if (name === DIRECT) return undefined;
  const found = named.get(name);
  if (found === undefined) {
    const known = [...named.keys(), DIRECT].join(', ');
    throw new TypeError(`there is no upstream proxy "${name}"; there are: ${known}`);
  }
  return found;
}

function compileBypass(entries: readonly string[]): (host: string, port: number) => boolean {
  if (entries.includes('*')) return () => true;
  const matches = compileTargets(entries.flatMap(toRules));
  return (host, port) => matches({ host, port });
}

function toRules(entry: string): readonly string[] {
  const [, host = '', port = ''] = /^(?:\*?\.)?([\p{L}\p{N}_.-]+)((?::\d+)?)$/u.exec(entry) ?? [];
  return host === '' || isAddressLiteral(host) ? [entry] : [host + port, `*.${host}${port}`];
}
