import type { DevtoolsConnection } from './devtools-connection.ts';

interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly browserContextId?: string;
}

/** The browser context of one capture. */
interface Context {
  /** Its first page; the others are strays. */
  page: string | undefined;
  readonly onCrash: (status: string) => void;
}

const CONTEXTS = new WeakMap<DevtoolsConnection, Map<string, Context>>();

/**
 * Looks after the pages of a capture's browser context: closes every page but the first, as nobody will look
 * at what a page opens, and tells how the renderer of the first ended if it does (the status of
 * `Target.targetCrashed`, or `closed`: no page can close itself, so somebody else did). The browser's other contexts,
 * which may be somebody else's, are left alone.
 */
export function watchContext(connection: DevtoolsConnection, contextId: string, onCrash: Context['onCrash']): void {
  const contexts = CONTEXTS.get(connection) ?? watchPages(connection);
  contexts.set(contextId, { page: undefined, onCrash });
}

/** Ends what {@link watchContext} began. */
export function forgetContext(connection: DevtoolsConnection, contextId: string): void {
  CONTEXTS.get(connection)?.delete(contextId);
}

function watchPages(connection: DevtoolsConnection): Map<string, Context> {
  const contexts = new Map<string, Context>();
  CONTEXTS.set(connection, contexts);
  const tellEnd = (targetId: string, status: string): void => {
    for (const context of contexts.values()) if (context.page === targetId) context.onCrash(status);
  };
  connection.on('Target.targetCreated', ({ targetInfo }: { targetInfo: TargetInfo }) => {
    const { targetId, type, browserContextId = '' } = targetInfo;
    const context = contexts.get(browserContextId);
    if (type !== 'page' || !context) return;
    context.page ??= targetId;
    if (context.page !== targetId) connection.send('Target.closeTarget', { targetId }).catch(() => {});
  });
  connection.on('Target.targetCrashed', ({ targetId, status }: { targetId: string; status: string }) => {
    tellEnd(targetId, status);
  });
  connection.on('Target.targetDestroyed', ({ targetId }: { targetId: string }) => tellEnd(targetId, 'closed'));
  connection.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] }).catch(() => {});
  return contexts;
}
