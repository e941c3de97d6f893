import { compileTargets, isAddressLiteral } from './egress-policy.ts';

/** Proxies through which connections leave, after the address policy. */
export interface UpstreamOptions {
  /** For every project that names no other. Default: none, connections are direct. */
  readonly proxy?: URL;
  /** Proxies that projects may choose, by name. */
  readonly named?: ReadonlyMap<string, URL>;
  /**
   * Targets that are connected to directly whatever the proxy, written as in `NO_PROXY`: a name means itself and
   * every name below it (a leading `.` or `*.` changes nothing), an address or CIDR range means URLs that are
   * written with such an address, `*` means everything; each with an optional `:port`.
   */
  readonly bypass?: readonly string[];
}

/** The name by which a project says that it wants no proxy. */
export const DIRECT = 'direct';

/** Which proxy a target is reached through; undefined: none. */
export type ProxyFor = (host: string, port: number) => URL | undefined;

/**
 * Compiles the way out for a project that names a proxy, or none.
 * @throws {TypeError} for a name that is not in the list and for a bypass that cannot be read.
 */
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

/** A name in `NO_PROXY` means itself and what is below it; egress rules say that in two. */
function toRules(entry: string): readonly string[] {
  const [, host = '', port = ''] = /^(?:\*?\.)?([\p{L}\p{N}_.-]+)((?::\d+)?)$/u.exec(entry) ?? [];
  return host === '' || isAddressLiteral(host) ? [entry] : [host + port, `*.${host}${port}`];
}
