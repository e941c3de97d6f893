import type { Protocol } from 'devtools-protocol/types/protocol.js';
import { AppError } from '../../../domain/shared/errors.ts';
import { within } from '../../../domain/shared/within.ts';
import type { Deadline } from '../../shared/deadline.ts';
import { BrowserFaultError, isEndedByPage } from '../browsers/browser-fault.ts';
import type { BrowserLease } from '../browsers/browser-source.ts';
import { watchContext } from './context-pages.ts';
import type { DevtoolsConnection, DevtoolsSession } from '../devtools/devtools-connection.ts';
import { languageList } from '../../shared/request-identity.ts';
import { clientHintsOf, emulateDevice, type Emulation } from './emulate-device.ts';
import { OBSERVER_SCRIPT, STAY_OPEN_SCRIPT, WORLD } from './page-scripts.ts';
import { READINESS, type ChromiumEngineName } from './readiness.ts';
import { pauseRequests, type RequestFilter } from './request-filter.ts';

export interface OpenPageOptions {
  readonly engine: ChromiumEngineName;
  readonly userAgent: string;
  readonly acceptLanguage: string;
  readonly emulation: Emulation;
  readonly filter: RequestFilter;
  /**
   * Milliseconds until a browser that has not requested or opened the page counts as broken; absent: only the deadline
   * counts.
   */
  readonly openWithinMs?: number;
}

export interface OpenPage {
  readonly session: DevtoolsSession;
  readonly targetId: string;
  /** Rejects if the renderer ends or does not start. */
  readonly crashed: Promise<never>;
  /** Call it once, after registering listeners. */
  navigate(url: string): Promise<NavigateAnswer>;
}

export type NavigateAnswer = Pick<Protocol.Page.NavigateResponse, 'errorText' | 'isDownload' | 'loaderId'>;

/** Unreachable (RFC 2606). */
const NOWHERE = 'http://winnow.invalid/';

/** @throws {BrowserFaultError} when the browser fails or is too slow; it then takes no further captures */
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
  let isAbandoned = false;
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
    if (!isAbandoned) await prepare(page, options, lease);
    return { session, targetId, crashed, navigate: (url) => page.send('Page.navigate', { url }) };
  };
  try {
    const opening = openWithinMs === undefined ? open() : within(open(), openWithinMs);
    const page = await deadline.race(Promise.race([opening, crashed]));
    if (page) return page;
    throw failToOpen(lease);
  } catch (error) {
    isAbandoned = true;
    session?.end();
    throw error;
  }
}

/** A renderer killed during its start is never reported. */
function failToOpen(lease: BrowserLease): BrowserFaultError {
  lease.distrust('it does not open pages');
  return new BrowserFaultError(new AppError('render_failed', 'the browser did not open a page'));
}

interface Created {
  readonly targetId: string;
  readonly sessionId: string;
}

async function createBlank(connection: DevtoolsConnection, browserContextId: string): Promise<Created> {
  const params = { url: 'about:blank', browserContextId };
  const { targetId } = await connection.send('Target.createTarget', params);
  const { sessionId } = await connection.send('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  return { targetId, sessionId };
}

/** Avoids a blank page, whose renderer costs as much as another's. */
async function createHeld(
  connection: DevtoolsConnection,
  browserContextId: string,
  held: Promise<string>,
): Promise<Created> {
  const params = { url: NOWHERE, browserContextId };
  const creation = connection.send('Target.createTarget', params);
  const [{ targetId }, sessionId] = await Promise.all([creation, held]);
  return { targetId, sessionId };
}

interface Release extends OpenPageOptions {
  readonly lease: BrowserLease;
  readonly crash: (error: unknown) => void;
}

/** Navigates and releases a held page. Earlier commands take effect before it loads. */
function release(
  session: DevtoolsSession,
  targetId: string,
  url: string,
  { lease, crash, ...options }: Release,
): Promise<NavigateAnswer> {
  const { openWithinMs } = options;
  const answered = Promise.withResolvers<void>();
  session.on('Network.responseReceived', ({ frameId }) => {
    if (frameId === targetId) answered.resolve();
  });
  const alive = Promise.all([
    prepare(session, options, lease),
    // The history has a single entry, so scripts could close the page.
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: STAY_OPEN_SCRIPT }),
  ]);
  const answer = session.send('Page.navigate', { url });
  const released = session.send('Runtime.runIfWaitingForDebugger');
  const isOpen = Promise.all([alive, released]);
  isOpen.catch(crash);
  if (openWithinMs !== undefined) {
    void answered.promise
      .then(() => within(isOpen, openWithinMs))
      .then(
        (opened) => opened ?? crash(failToOpen(lease)),
        () => {},
      );
  }
  return answer;
}

/** Denies permission prompts: nobody would answer them. */
function refuseRequests(connection: DevtoolsConnection, browserContextId: string): void {
  const commands = [
    connection.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
    connection.send('Browser.grantPermissions', { permissions: [], browserContextId }),
  ];
  // The browser may not support all of them.
  for (const command of commands) command.catch(() => {});
}

async function prepare(
  session: DevtoolsSession,
  { engine, userAgent, acceptLanguage, emulation, filter }: OpenPageOptions,
  { isExclusive }: BrowserLease,
): Promise<void> {
  const { quietMs } = READINESS[engine];
  // Sent together: the protocol keeps the order.
  await Promise.all([
    session.send('Page.enable'),
    session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.send('Network.setBypassServiceWorker', { bypass: true }),
    session.send('Emulation.setUserAgentOverride', {
      userAgent,
      acceptLanguage: languageList(acceptLanguage),
      userAgentMetadata: clientHintsOf(userAgent),
    }),
    emulateDevice(session, emulation, isExclusive),
    ...(quietMs === null
      ? []
      : [session.send('Page.addScriptToEvaluateOnNewDocument', { source: OBSERVER_SCRIPT, worldName: WORLD })]),
    pauseRequests(session, filter),
  ]);
}

function explainCrash(lease: BrowserLease, status: string, errorCode: number | undefined): Error {
  if (isEndedByPage(status)) return new AppError('render_failed', 'the page crashed its renderer');
  const reason = errorCode === undefined ? undefined : lease.killReason(errorCode);
  if (reason !== undefined) return new AppError('render_failed', reason);
  if (status === 'closed' && lease.isExclusive) return new AppError('render_failed', 'the page closed itself');
  // None of its pages would start.
  if (status === 'failed to launch') lease.distrust('it cannot start renderers');
  return new BrowserFaultError(new AppError('render_failed', `the renderer of the page was ended (${status})`));
}
