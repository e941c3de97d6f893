import type { Protocol } from 'devtools-protocol/types/protocol.js';
import type { BlockableResource } from '@winnow/contract';
import { isOfTarget } from '../../../domain/request-options/target-site.ts';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';
import type { ResourceType } from './readiness.ts';

export interface RequestFilter {
  readonly target: URL;
  readonly blocks: readonly ResourceType[];
  /** Only for requests to the target's site. */
  readonly headers: Readonly<Record<string, string>>;
}

const RESOURCE_TYPES: Readonly<Record<BlockableResource, ResourceType>> = {
  images: 'Image',
  fonts: 'Font',
  media: 'Media',
  styles: 'Stylesheet',
};

export function blockedTypes(
  ofEngine: readonly ResourceType[],
  ofRequest: readonly BlockableResource[] = [],
): readonly ResourceType[] {
  return [...new Set([...ofEngine, ...ofRequest.map((name) => RESOURCE_TYPES[name])])];
}

/** Makes the browser pause the requests that {@link filterRequests} decides on. Call it before the page loads. */
export async function pauseRequests(session: DevtoolsSession, { blocks, headers }: RequestFilter): Promise<void> {
  const patterns: Protocol.Fetch.RequestPattern[] =
    Object.keys(headers).length > 0
      ? [{ urlPattern: '*' }]
      : blocks.map((resourceType) => ({ urlPattern: '*', resourceType }));
  if (patterns.length > 0) await session.send('Fetch.enable', { patterns });
}

/** Decides on each paused request and redirect: blocks it, or adds headers for the target's site. */
export function filterRequests(session: DevtoolsSession, filter: RequestFilter): void {
  session.on('Fetch.requestPaused', ({ requestId, resourceType, request }) => {
    const fail = (): Promise<unknown> =>
      session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => {});
    if (filter.blocks.includes(resourceType)) {
      void fail();
      return;
    }
    const headers = headersFor(request, filter);
    session.send('Fetch.continueRequest', { requestId, ...(headers && { headers }) }).catch(fail);
  });
}

/** Returns undefined for unchanged headers. */
function headersFor(
  request: Protocol.Network.Request,
  { target, headers }: RequestFilter,
): Protocol.Fetch.HeaderEntry[] | undefined {
  const url = URL.parse(request.url);
  if (url === null || !isOfTarget(target, url)) return undefined;
  const kept = Object.entries(request.headers).filter(([name]) => headers[name.toLowerCase()] === undefined);
  return [...kept, ...Object.entries(headers)].map(([name, value]) => ({ name, value }));
}
