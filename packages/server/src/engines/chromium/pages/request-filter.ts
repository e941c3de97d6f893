import type { BlockableResource } from '@winnow/contract';
import { isOfTarget } from '../../../domain/request-options/target-site.ts';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';
import type { ResourceType } from './readiness.ts';

/** What becomes of the requests of a page before they are sent. */
export interface RequestFilter {
  /** The URL of the capture. */
  readonly target: URL;
  /** Types that are never requested. */
  readonly blocks: readonly ResourceType[];
  /** Sent with requests to the site of the target alone. */
  readonly headers: Readonly<Record<string, string>>;
}

interface PausedRequest {
  readonly requestId: string;
  readonly resourceType: ResourceType;
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

interface HeaderEntry {
  readonly name: string;
  readonly value: string;
}

const RESOURCE_TYPES: Readonly<Record<BlockableResource, ResourceType>> = {
  images: 'Image',
  fonts: 'Font',
  media: 'Media',
  styles: 'Stylesheet',
};

/** Returns the types that an engine and a request block together. */
export function blockedTypes(
  ofEngine: readonly ResourceType[],
  ofRequest: readonly BlockableResource[] = [],
): readonly ResourceType[] {
  return [...new Set([...ofEngine, ...ofRequest.map((name) => RESOURCE_TYPES[name])])];
}

/** Has the browser pause the requests that {@link filterRequests} decides on. To be sent before the page is loaded. */
export async function pauseRequests(session: DevtoolsSession, { blocks, headers }: RequestFilter): Promise<void> {
  const patterns =
    Object.keys(headers).length > 0
      ? [{ urlPattern: '*' }]
      : blocks.map((resourceType) => ({ urlPattern: '*', resourceType }));
  if (patterns.length > 0) await session.send('Fetch.enable', { patterns });
}

/**
 * Decides on each paused request, and on each redirect of it again: what is blocked fails, and what goes to the site of the
 * target gets the headers.
 */
export function filterRequests(session: DevtoolsSession, filter: RequestFilter): void {
  session.on('Fetch.requestPaused', ({ requestId, resourceType, request }: PausedRequest) => {
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

/** Undefined: as the browser has them. */
function headersFor(request: PausedRequest['request'], { target, headers }: RequestFilter): HeaderEntry[] | undefined {
  const url = URL.parse(request.url);
  if (url === null || !isOfTarget(target, url)) return undefined;
  const kept = Object.entries(request.headers).filter(([name]) => headers[name.toLowerCase()] === undefined);
  return [...kept, ...Object.entries(headers)].map(([name, value]) => ({ name, value }));
}
