import { AppError } from '../../domain/errors.ts';
import { within } from '../deadline.ts';
import type { Deadline } from '../deadline.ts';
import { BrowserFaultError, isEndedByPage } from './browser-fault.ts';
import type { BrowserLease } from './browser-source.ts';
import { watchContext } from './context-pages.ts';
import type { DevtoolsConnection, DevtoolsSession } from './devtools-connection.ts';
import { languageList } from './launch-browser.ts';
import { OBSERVER_SCRIPT, WORLD } from './page-scripts.ts';
import { READINESS } from './readiness.ts';
import type { ChromiumEngineName } from './readiness.ts';

export interface OpenPageOptions {
  readonly engine: ChromiumEngineName;
  readonly userAgent: string;
  readonly acceptLanguage: string;
  /** Milliseconds after which a browser that has not opened a page counts as broken; left out: only the deadline counts. */
  readonly openWithinMs?: number;
}

/** An empty page whose renderer has answered. */
export interface OpenPage {
  /** To be ended by whoever asked for the page. */
  readonly session: DevtoolsSession;
  readonly targetId: string;
  /** Rejects with what the capture fails with, if the page's renderer ends. */
  readonly crashed: Promise<never>;
}

/**
 * Opens an empty page in a browser context, ready for its navigation.
 * @throws {BrowserFaultError} when the browser does not get that far; a browser that does not do it in time takes
 * no further captures.
 */
export async function openPage(
  lease: BrowserLease,
  context: Promise<string>,
  deadline: Deadline,
  options: OpenPageOptions,
): Promise<OpenPage> {
  const { openWithinMs } = options;
  const { promise: crashed, reject } = Promise.withResolvers<never>();
  crashed.catch(() => {});
  let session: DevtoolsSession | undefined;
  let isGivenUp = false;
  const open = async (): Promise<OpenPage> => {
    const contextId = await context;
    watchContext(lease.connection, contextId, (status) => reject(explainCrash(lease, status)));
    refuseRequests(lease.connection, contextId);
    const { targetId, sessionId } = await attach(lease.connection, contextId);
    session = lease.connection.session(sessionId);
    if (!isGivenUp) await prepare(session, options);
    return { session, targetId, crashed };
  };
  try {
    const opening = openWithinMs === undefined ? open() : within(open(), openWithinMs);
    const page = await deadline.race(Promise.race([opening, crashed]));
    if (page) return page;
    // A renderer that is killed while it is born is never reported, and nothing that is sent to it answered.
    lease.distrust('it does not open pages');
    throw new BrowserFaultError(new AppError('render_failed', 'the browser did not open a page'));
  } catch (error) {
    isGivenUp = true;
    session?.end();
    throw error;
  }
}

interface Attached {
  readonly targetId: string;
  readonly sessionId: string;
}

async function attach(connection: DevtoolsConnection, browserContextId: string): Promise<Attached> {
  const params = { url: 'about:blank', browserContextId };
  const { targetId } = await connection.send<{ targetId: string }>('Target.createTarget', params);
  const { sessionId } = await connection.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  return { targetId, sessionId };
}

/**
 * Nobody is there whom a page could ask: without an answer it would wait for it. Permissions that are not granted are
 * denied.
 */
function refuseRequests(connection: DevtoolsConnection, browserContextId: string): void {
  const commands = [
    connection.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
    connection.send('Browser.grantPermissions', { permissions: [], browserContextId }),
  ];
  // A browser that does not know one of them refuses nothing else for that.
  for (const command of commands) command.catch(() => {});
}

async function prepare(
  session: DevtoolsSession,
  { engine, userAgent, acceptLanguage }: OpenPageOptions,
): Promise<void> {
  const { blocks, quietMs } = READINESS[engine];
  const blocked = blocks.map((resourceType) => ({ urlPattern: '*', resourceType }));
  // Sent in one go: the protocol keeps the order.
  await Promise.all([
    session.send('Page.enable'),
    session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.send('Network.setBypassServiceWorker', { bypass: true }),
    session.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: languageList(acceptLanguage) }),
    ...(quietMs === null
      ? []
      : [session.send('Page.addScriptToEvaluateOnNewDocument', { source: OBSERVER_SCRIPT, worldName: WORLD })]),
    ...(blocked.length > 0 ? [session.send('Fetch.enable', { patterns: blocked })] : []),
  ]);
}

/** What a capture fails with when the renderer of its page ended, by the words of {@link watchContext}. */
function explainCrash(lease: BrowserLease, status: string): Error {
  const reason = lease.crashReason();
  if (reason !== undefined) return new AppError('render_failed', reason);
  if (isEndedByPage(status)) return new AppError('render_failed', 'the page crashed its renderer');
  // Such a browser stays up, but none of its pages ever will.
  if (status === 'failed to launch') lease.distrust('it cannot start renderers');
  return new BrowserFaultError(new AppError('render_failed', `the renderer of the page was ended (${status})`));
}
