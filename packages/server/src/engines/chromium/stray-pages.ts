import type { DevtoolsConnection } from './devtools-connection.ts';

interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly browserContextId?: string;
}

/** Contexts of captures on each connection, with the page of each as soon as it is known. */
const CONTEXTS = new WeakMap<DevtoolsConnection, Map<string, string | undefined>>();

/**
 * Closes every page but the first in a capture's browser context: what a page opens, nobody will look at.
 * The browser's other contexts, which may be somebody else's, are left alone.
 */
export function closeStrayPages(connection: DevtoolsConnection, contextId: string): void {
  const contexts = CONTEXTS.get(connection) ?? watchPages(connection);
  contexts.set(contextId, undefined);
}

/** Ends what {@link closeStrayPages} began. */
export function forgetContext(connection: DevtoolsConnection, contextId: string): void {
  CONTEXTS.get(connection)?.delete(contextId);
}

function watchPages(connection: DevtoolsConnection): Map<string, string | undefined> {
  const contexts = new Map<string, string | undefined>();
  CONTEXTS.set(connection, contexts);
  connection.on('Target.targetCreated', ({ targetInfo }: { targetInfo: TargetInfo }) => {
    const { targetId, type, browserContextId = '' } = targetInfo;
    if (type !== 'page' || !contexts.has(browserContextId)) return;
    const own = contexts.get(browserContextId);
    if (own === undefined) contexts.set(browserContextId, targetId);
    else if (own !== targetId) connection.send('Target.closeTarget', { targetId }).catch(() => {});
  });
  connection.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] }).catch(() => {});
  return contexts;
}
