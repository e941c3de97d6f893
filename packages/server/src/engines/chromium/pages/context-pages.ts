import { within } from '../../shared/deadline.ts';
import type { BrowserLease } from '../browsers/browser-source.ts';
import type { DevtoolsConnection } from '../devtools/devtools-connection.ts';

interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly browserContextId?: string;
  /** Whether a script that opened it can reach it. */
  readonly canAccessOpener: boolean;
}

interface Attached {
  readonly sessionId: string;
  readonly targetInfo: TargetInfo;
}

interface Crashed {
  readonly targetId: string;
  readonly status: string;
  readonly errorCode: number;
}

/** Told what happens to the page of a browser context. */
export interface ContextListener {
  /** The page has opened and is held, in a browser that is exclusive: its session. */
  onHeld(sessionId: string): void;
  /**
   * The page's renderer ended: the status and the error code of `Target.targetCrashed`, or `closed`: by a script of its own,
   * or, in a browser that is not exclusive, by somebody else.
   */
  onCrash(status: string, errorCode?: number): void;
}

/** The browser context of one capture. */
interface Context {
  /** Its first page; the others are strays. */
  page: string | undefined;
  readonly listener: ContextListener;
}

const PAGES = [{ type: 'page' }];
/** A page that nobody can reach has no renderer before its target answers, which may be never, and keeps nobody waiting. */
const RELEASE_TIMEOUT_MS = 500;
/**
 * A held page that the one that opened it can reach keeps that one from running: for good, if it is closed meanwhile. It
 * has a renderer, and answers as soon as the machine lets it.
 */
const REACHABLE_RELEASE_TIMEOUT_MS = 10_000;
const CONTEXTS = new WeakMap<DevtoolsConnection, Map<string, Context>>();

/**
 * Looks after the pages of a capture's browser context: closes every page but the first, as nobody will look
 * at what a page opens, and tells of the first. The browser's other contexts, which may be somebody else's, are left
 * alone. In an exclusive browser every page is held when it opens: it loads nothing before `Runtime.runIfWaitingForDebugger`.
 */
export function watchContext(lease: BrowserLease, contextId: string, listener: ContextListener): void {
  const contexts = CONTEXTS.get(lease.connection) ?? watchPages(lease);
  contexts.set(contextId, { page: undefined, listener });
}

/** Ends what {@link watchContext} began, and gives up what is under way for the context. */
export function forgetContext(connection: DevtoolsConnection, contextId: string): void {
  CONTEXTS.get(connection)?.delete(contextId);
  connection.giveUpContext(contextId);
}

function watchPages({ connection, isExclusive }: BrowserLease): Map<string, Context> {
  const contexts = new Map<string, Context>();
  CONTEXTS.set(connection, contexts);
  const tellEnd = (targetId: string, status: string, errorCode?: number): void => {
    for (const context of contexts.values()) if (context.page === targetId) context.listener.onCrash(status, errorCode);
  };
  connection.on('Target.targetCreated', ({ targetInfo }: { targetInfo: TargetInfo }) => {
    const { targetId, type, browserContextId = '' } = targetInfo;
    const context = contexts.get(browserContextId);
    if (type !== 'page' || !context) return;
    context.page ??= targetId;
    // Where pages are held, it is let go before it is closed.
    if (context.page !== targetId && !isExclusive) closePage(connection, targetId);
  });
  connection.on('Target.targetCrashed', ({ targetId, status, errorCode }: Crashed) => {
    tellEnd(targetId, status, errorCode);
  });
  connection.on('Target.targetDestroyed', ({ targetId }: { targetId: string }) => tellEnd(targetId, 'closed'));
  connection.send('Target.setDiscoverTargets', { discover: true, filter: PAGES }).catch(() => {});
  if (isExclusive) holdPages(connection, contexts);
  return contexts;
}

function holdPages(connection: DevtoolsConnection, contexts: ReadonlyMap<string, Context>): void {
  connection.on('Target.attachedToTarget', ({ sessionId, targetInfo }: Attached) => {
    const { targetId, browserContextId = '' } = targetInfo;
    const context = contexts.get(browserContextId);
    // That it was created is told before.
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
