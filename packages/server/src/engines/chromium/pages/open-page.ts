import { AppError } from '../../../domain/shared/errors.ts';
import { within } from '../../shared/deadline.ts';
import type { Deadline } from '../../shared/deadline.ts';
import { BrowserFaultError, isEndedByPage } from '../browsers/browser-fault.ts';
import type { BrowserLease } from '../browsers/browser-source.ts';
import { watchContext } from './context-pages.ts';
import type { DevtoolsConnection, DevtoolsSession } from '../devtools/devtools-connection.ts';
import { languageList } from '../browsers/launch-browser.ts';
import { OBSERVER_SCRIPT, STAY_OPEN_SCRIPT, WORLD } from './page-scripts.ts';
import { READINESS } from './readiness.ts';
import type { ChromiumEngineName } from './readiness.ts';

export interface OpenPageOptions {
  readonly engine: ChromiumEngineName;
  readonly userAgent: string;
  readonly acceptLanguage: string;
  /**
   * Milliseconds after which a browser counts as broken that has not asked for a page, or not opened it; left out: only
   * the deadline counts.
   */
  readonly openWithinMs?: number;
}

/** An empty page, ready for its navigation. */
export interface OpenPage {
  /** To be ended by whoever asked for the page. */
  readonly session: DevtoolsSession;
  readonly targetId: string;
  /** Rejects with what the capture fails with, if the page's renderer ends or does not come to life. */
  readonly crashed: Promise<never>;
  /** Sends the page to its address; to be called once, when whoever captures it listens. */
  navigate(url: string): Promise<NavigateAnswer>;
}

export interface NavigateAnswer {
  readonly errorText?: string;
  readonly isDownload?: boolean;
}

/** Where a page would go that is held: nowhere (RFC 2606). It is told its own address before it is let go. */
const NOWHERE = 'http://winnow.invalid/';

/**
 * Opens an empty page in a browser context.
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
  const { promise: crashed, reject: crash } = Promise.withResolvers<never>();
  crashed.catch(() => {});
  let session: DevtoolsSession | undefined;
  let isGivenUp = false;
  const open = async (): Promise<OpenPage> => {
    const contextId = await context;
    const held = Promise.withResolvers<string>();
    const onCrash = (status: string, errorCode?: number): void => crash(explainCrash(lease, status, errorCode));
    watchContext(lease, contextId, { onHeld: held.resolve, onCrash });
    refuseRequests(lease.connection, contextId);
    if (lease.isExclusive) {
      const { targetId, sessionId } = await createHeld(lease.connection, contextId, held.promise);
      const page = (session = lease.connection.session(sessionId));
      return {
        session,
        targetId,
        crashed,
        navigate: (url) => release(page, targetId, url, { ...options, lease, crash }),
      };
    }
    const { targetId, sessionId } = await createBlank(lease.connection, contextId);
    const page = (session = lease.connection.session(sessionId));
    if (!isGivenUp) await prepare(page, options);
    return { session, targetId, crashed, navigate: (url) => page.send('Page.navigate', { url }) };
  };
  try {
    const opening = openWithinMs === undefined ? open() : within(open(), openWithinMs);
    const page = await deadline.race(Promise.race([opening, crashed]));
    if (page) return page;
    throw giveUpOn(lease);
  } catch (error) {
    isGivenUp = true;
    session?.end();
    throw error;
  }
}

/** A renderer that is killed while it is born is never reported, and nothing that is sent to it answered. */
function giveUpOn(lease: BrowserLease): BrowserFaultError {
  lease.distrust('it does not open pages');
  return new BrowserFaultError(new AppError('render_failed', 'the browser did not open a page'));
}

interface Created {
  readonly targetId: string;
  readonly sessionId: string;
}

/** A page whose renderer is started, with a blank document. */
async function createBlank(connection: DevtoolsConnection, browserContextId: string): Promise<Created> {
  const params = { url: 'about:blank', browserContextId };
  const { targetId } = await connection.send<{ targetId: string }>('Target.createTarget', params);
  const { sessionId } = await connection.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  return { targetId, sessionId };
}

/**
 * A page that waits before its first navigation, without a document or a renderer: a blank one would cost as much as
 * another page.
 */
async function createHeld(
  connection: DevtoolsConnection,
  browserContextId: string,
  held: Promise<string>,
): Promise<Created> {
  const params = { url: NOWHERE, browserContextId };
  const creation = connection.send<{ targetId: string }>('Target.createTarget', params);
  const [{ targetId }, sessionId] = await Promise.all([creation, held]);
  return { targetId, sessionId };
}

interface Release extends OpenPageOptions {
  readonly lease: BrowserLease;
  readonly crash: (error: unknown) => void;
}

/**
 * Lets a held page go, to its address. What is sent to it is in force before any of it is loaded, and answered when its
 * renderer comes to life, which is not before the target has answered.
 */
function release(
  session: DevtoolsSession,
  targetId: string,
  url: string,
  { lease, crash, ...options }: Release,
): Promise<NavigateAnswer> {
  const { openWithinMs } = options;
  const answered = Promise.withResolvers<void>();
  session.on('Network.responseReceived', ({ frameId }: { frameId?: string }) => {
    if (frameId === targetId) answered.resolve();
  });
  const alive = Promise.all([
    prepare(session, options),
    // Without a blank document before it a page has a history of one entry.
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: STAY_OPEN_SCRIPT }),
  ]);
  const answer = session.send<NavigateAnswer>('Page.navigate', { url });
  const released = session.send('Runtime.runIfWaitingForDebugger');
  const isOpen = Promise.all([alive, released]);
  isOpen.catch(crash);
  if (openWithinMs !== undefined) {
    void answered.promise
      .then(() => within(isOpen, openWithinMs))
      .then(
        (opened) => opened ?? crash(giveUpOn(lease)),
        () => {},
      );
  }
  return answer;
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
function explainCrash(lease: BrowserLease, status: string, errorCode: number | undefined): Error {
  if (isEndedByPage(status)) return new AppError('render_failed', 'the page crashed its renderer');
  const reason = errorCode === undefined ? undefined : lease.killReason(errorCode);
  if (reason !== undefined) return new AppError('render_failed', reason);
  // Nobody else is there who could have closed it.
  if (status === 'closed' && lease.isExclusive) return new AppError('render_failed', 'the page closed itself');
  // Such a browser stays up, but none of its pages ever will.
  if (status === 'failed to launch') lease.distrust('it cannot start renderers');
  return new BrowserFaultError(new AppError('render_failed', `the renderer of the page was ended (${status})`));
}
