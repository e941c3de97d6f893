import { compileTargets, isAddressLiteral } from '../policy/egress-policy.ts';

/** Proxies for outgoing connections, after the address policy. */
export interface UpstreamOptions {
  /** Default proxy of projects. Default: direct connections. */
  readonly proxy?: URL;
  /** Proxies that projects may choose, by name. */
  readonly named?: ReadonlyMap<string, URL>;
  /**
   * Targets reached directly, as in `NO_PROXY`: a name covers its subdomains (a leading `.` or `*.` is ignored), an
   * address or CIDR range covers URLs with a literal address, `*` covers everything; each with an optional `:port`.
   */
  readonly bypass?: readonly string[];
}

/** Name with which a project chooses no proxy. */
export const DIRECT = 'direct';

/** Returns the proxy of a target; undefined: direct. */
export type ProxyFor = (host: string, port: number) => URL | undefined;

/**
 * Compiles the routes of a project.
 * @throws {TypeError} for an unknown proxy and for an invalid bypass
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

/** Converts a `NO_PROXY` name to egress rules for itself and its subdomains. */
function toRules(entry: string): readonly string[] {
  const [, host = '', port = ''] = /^(?:\*?\.)?([\p{L}\p{N}_.-]+)((?::\d+)?)$/u.exec(entry) ?? [];
  return host === '' || isAddressLiteral(host) ? [entry] : [host + port, `*.${host}${port}`];
}
