import { within } from '../../../domain/shared/within.ts';
import type { BrowserLease } from '../browsers/browser-source.ts';
import type { DevtoolsConnection } from '../devtools/devtools-connection.ts';

export interface ContextListener {
  onHeld(sessionId: string): void;
  /** Reports the status of `Target.targetCrashed`, or `closed`. */
  onCrash(status: string, errorCode?: number): void;
}

interface Context {
  /** Later pages are popups. */
  page: string | undefined;
  readonly listener: ContextListener;
}

const PAGES = [{ type: 'page' }];
/** A popup that its opener cannot access has no renderer before its response, and blocks nothing. */
const RELEASE_TIMEOUT_MS = 500;
/** An accessible popup blocks its opener until released. */
const REACHABLE_RELEASE_TIMEOUT_MS = 10_000;
const CONTEXTS = new WeakMap<DevtoolsConnection, Map<string, Context>>();

/**
 * Closes every page of a capture's context except the first. In an exclusive browser pages are held until
 * `Runtime.runIfWaitingForDebugger`.
 */
export function watchContext(lease: BrowserLease, contextId: string, listener: ContextListener): void {
  const contexts = CONTEXTS.get(lease.connection) ?? watchPages(lease);
  contexts.set(contextId, { page: undefined, listener });
}

export function forgetContext(connection: DevtoolsConnection, contextId: string): void {
  CONTEXTS.get(connection)?.delete(contextId);
  connection.giveUpContext(contextId);
}

function watchPages({ connection, isExclusive }: BrowserLease): Map<string, Context> {
  const contexts = new Map<string, Context>();
  CONTEXTS.set(connection, contexts);
  const reportEnd = (targetId: string, status: string, errorCode?: number): void => {
    for (const context of contexts.values()) if (context.page === targetId) context.listener.onCrash(status, errorCode);
  };
  connection.on('Target.targetCreated', ({ targetInfo }) => {
    const { targetId, type, browserContextId = '' } = targetInfo;
    const context = contexts.get(browserContextId);
    if (type !== 'page' || !context) return;
    context.page ??= targetId;
    if (context.page !== targetId && !isExclusive) closePage(connection, targetId);
  });
  connection.on('Target.targetCrashed', ({ targetId, status, errorCode }) => {
    reportEnd(targetId, status, errorCode);
  });
  connection.on('Target.targetDestroyed', ({ targetId }) => reportEnd(targetId, 'closed'));
  connection.send('Target.setDiscoverTargets', { discover: true, filter: PAGES }).catch(() => {});
  if (isExclusive) holdPages(connection, contexts);
  return contexts;
}

function holdPages(connection: DevtoolsConnection, contexts: ReadonlyMap<string, Context>): void {
  connection.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    const { targetId, browserContextId = '' } = targetInfo;
    const context = contexts.get(browserContextId);
    // The creation event came first.
    if (context?.page === targetId) return context.listener.onHeld(sessionId);
    const stray = connection.session(sessionId);
    const released = stray.send('Runtime.runIfWaitingForDebugger').catch(() => {});
    const timeoutMs = targetInfo.canAccessOpener ? REACHABLE_RELEASE_TIMEOUT_MS : RELEASE_TIMEOUT_MS;
    void within(released, timeoutMs).then(() => {
      stray.end();
      if (context) closePage(connection, targetId);
    });
  });
  const params = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: PAGES };
  connection.send('Target.setAutoAttach', params).catch(() => {});
}

function closePage(connection: DevtoolsConnection, targetId: string): void {
  connection.send('Target.closeTarget', { targetId }).catch(() => {});
}
