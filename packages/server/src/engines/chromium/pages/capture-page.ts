import type { ErrorCode } from '@winnow/contract';
import { describeRedirects } from '../../../domain/capture/describe-redirects.ts';
import { AppError } from '../../../domain/shared/errors.ts';
import { formatBytes } from '../../../domain/shared/format-bytes.ts';
import type { Capture, CaptureRequest } from '../../../domain/capture/capture-ports.ts';
import { checkUrl, findUrlFault } from '../../../egress/policy/check-url.ts';
import type { EgressGuard } from '../../../egress/egress.ts';
import type { BrowserProxy } from '../../../egress/browser-proxy.ts';
import { documentKindOf, isDocumentShown, readContentType } from '../../shared/content-type.ts';
import { within } from '../../../domain/shared/within.ts';
import type { Deadline } from '../../shared/deadline.ts';
import { isAccepted, notADocument, pageTooLarge, requirePage, statusError } from '../../shared/judge-response.ts';
import { BrowserFaultError } from '../browsers/browser-fault.ts';
import type { BrowserLease } from '../browsers/browser-source.ts';
import { forgetContext } from './context-pages.ts';
import { DevtoolsClosedError, DevtoolsError } from '../devtools/devtools-connection.ts';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';
import { watchHeap } from '../browsers/heap-watchdog.ts';
import { isBrowserFailure, isNetworkChange, mapNavigationError } from './navigation-error.ts';
import { openPage } from './open-page.ts';
import type { NavigateAnswer, OpenPage, OpenPageOptions } from './open-page.ts';
import { PageMonitor } from './page-monitor.ts';
import type { DocumentResponse } from './page-monitor.ts';
import { WORLD } from './page-scripts.ts';
import { READINESS } from './readiness.ts';
import type { Readiness } from './readiness.ts';
import { blockedTypes, filterRequests } from './request-filter.ts';
import type { RequestFilter } from './request-filter.ts';
import { serializePage } from './serialize-page.ts';
import { setCookies } from './set-cookies.ts';
import { deviceScaleFactorOf } from './emulate-device.ts';
import { takeMhtml } from '../attachments/take-mhtml.ts';
import { takeScreenshot } from '../attachments/take-screenshot.ts';
import { waitForContent } from './wait-for-content.ts';
import { waitReady } from './wait-ready.ts';

export interface PageOptions extends Omit<OpenPageOptions, 'emulation' | 'filter'> {
  readonly guard: EgressGuard;
  /** Bytes of the decoded document, characters of the serialised page. */
  readonly maxPageBytes: number;
  readonly maxTotalBytes: number;
  readonly maxRedirects: number;
}

/** Share of the deadline reserved for serialising the page. */
const SERIALIZE_SHARE = 0.15;
const MIN_RESERVE_MS = 300;
const MAX_RESERVE_MS = 2000;
const DISPOSE_TIMEOUT_MS = 3000;
/** Wait for the network process's report of the response. */
const ANSWER_GRACE_MS = 500;
/** Downloads, also with an error status. */
const UNSHOWN_STATUS = /^net::ERR_(?:ABORTED|INVALID_RESPONSE)$/;
/** A known error status is more informative. */
const STATUS_SAYS_MORE: ReadonlySet<ErrorCode> = new Set(['response_too_large', 'render_failed', 'fetch_timeout']);
/** The last attempt stops the page's scripts. */
const MAX_READS = 5;
/** Share of the time reserved for a screenshot and an MHTML file, within limits. */
const ATTACHMENT_SHARE = 0.25;
const MAX_ATTACHMENT_RESERVE_MS = 8000;
const MAX_ATTACHMENT_MS = 20_000;
const MARK_SHARE = 0.25;
const MAX_MARK_MS = 250;

/**
 * Captures one page in its own browser context. At the deadline it captures the current state.
 * @throws {AppError} of stage `fetch`; {@link DevtoolsClosedError}, {@link BrowserFaultError}
 */
export async function capturePage(
  lease: BrowserLease,
  request: CaptureRequest,
  deadline: Deadline,
  options: PageOptions,
): Promise<Capture> {
  checkUrl(request.url, options.guard.policy);
  const proxy = await options.guard.openBrowserProxy({
    maxBytes: options.maxTotalBytes,
    ...(lease.proxyListenHost === undefined ? {} : { listenHost: lease.proxyListenHost }),
  });
  const context = createContext(lease, proxy, request);
  const filter = {
    target: request.url,
    blocks: blockedTypes(READINESS[options.engine].blocks, request.options?.block),
    headers: request.options?.headers ?? {},
  };
  try {
    const page = await openPage(lease, context, deadline, { ...options, emulation: request.options ?? {}, filter });
    return await new PageCapture(page, proxy, lease, request, deadline, { ...options, filter }).run();
  } finally {
    await dispose(lease, context, proxy);
  }
}

async function createContext(
  { connection, proxyHost = '127.0.0.1' }: BrowserLease,
  proxy: BrowserProxy,
  { url, options }: CaptureRequest,
): Promise<string> {
  const { browserContextId } = await connection.send('Target.createBrowserContext', {
    disposeOnDetach: true,
    proxyServer: `http://${proxyHost}:${proxy.port}`,
    proxyBypassList: '<-loopback>',
  });
  if (options?.cookies !== undefined) await setCookies(connection, browserContextId, options.cookies, url);
  return browserContextId;
}

/** A browser that cannot close a page takes no further captures. */
async function dispose(lease: BrowserLease, context: Promise<string>, proxy: BrowserProxy): Promise<void> {
  const closing = proxy.close();
  const disposal = context.then((browserContextId) => {
    forgetContext(lease.connection, browserContextId);
    return lease.connection.send('Target.disposeBrowserContext', { browserContextId });
  });
  const isDone = await within(
    disposal.then(
      () => true,
      () => true,
    ),
    DISPOSE_TIMEOUT_MS,
  );
  if (!isDone) lease.distrust('a page could not be closed');
  await closing;
}

/** The browser stays on the current page (RFC 9110, 15.3.5). */
function isEmpty(status: number): boolean {
  return status === 204 || status === 205;
}

function networkChanged(): BrowserFaultError {
  const failure = new AppError(
    'render_failed',
    "the browser dropped its connections because the machine's network changed",
  );
  return new BrowserFaultError(failure, { isBrowserSound: true });
}

class PageCapture {
  readonly #page: OpenPage;
  readonly #session: DevtoolsSession;
  readonly #proxy: BrowserProxy;
  readonly #lease: BrowserLease;
  readonly #request: CaptureRequest;
  readonly #deadline: Deadline;
  readonly #options: PageOptions;
  readonly #filter: RequestFilter;
  readonly #readiness: Readiness;
  readonly #monitor: PageMonitor;
  readonly #timings: Record<string, number> = {};
  #isOver = false;
  #isFrozen = false;
  /** The page may also have cancelled them. */
  #hasLostRequests = false;
  #hasSeenNetworkChange = false;
  readonly #fatal = Promise.withResolvers<never>();

  constructor(
    page: OpenPage,
    proxy: BrowserProxy,
    lease: BrowserLease,
    request: CaptureRequest,
    deadline: Deadline,
    { filter, ...options }: PageOptions & { readonly filter: RequestFilter },
  ) {
    this.#page = page;
    this.#session = page.session;
    this.#proxy = proxy;
    this.#lease = lease;
    this.#request = request;
    this.#deadline = deadline;
    this.#options = options;
    this.#filter = filter;
    this.#readiness = READINESS[options.engine];
    this.#monitor = new PageMonitor(page.session, page.targetId);
    this.#fatal.promise.catch(() => {});
  }

  async run(): Promise<Capture> {
    const { connection } = this.#lease;
    this.#listen();
    const unlisten = connection.onClose(() => this.#fatal.reject(new DevtoolsClosedError()));
    const unwatch = this.#watchHeap();
    try {
      return await Promise.race([this.#capture(), this.#fatal.promise]);
    } catch (error) {
      throw this.#statusFailure(error) ?? error;
    } finally {
      this.#isOver = true;
      unlisten();
      unwatch();
      this.#session.end();
    }
  }

  /** The status is more informative than a fault of its page. */
  #statusFailure(error: unknown): AppError | undefined {
    const { document } = this.#monitor;
    const isOfPage = error instanceof AppError && STATUS_SAYS_MORE.has(error.code);
    if (!isOfPage || !document || this.#proxy.isOwnAnswer(document.headers)) return undefined;
    return isAccepted(document.status) ? undefined : statusError(document.status, { headers: document.headers });
  }

  async #capture(): Promise<Capture> {
    this.#mark('open');
    const budgetMs = this.#deadline.remainingMs();
    const reserveMs = this.#reserveMs(budgetMs);
    const softLimit = new Promise<'late'>((resolve) => setTimeout(resolve, budgetMs - reserveMs, 'late').unref());
    const navigated = await this.#deadline.race(Promise.race([this.#navigate(), softLimit]));
    this.#mark('navigate');
    this.#requireDocument();
    for (let reads = 1; ; reads += 1) {
      const isReady =
        navigated !== 'late' && (await this.#deadline.race(this.#waitReady(this.#deadline.remainingMs() - reserveMs)));
      this.#mark('ready');
      this.#requireDocument();
      await this.#deadline.race(this.#requireNetwork());
      const isLast = reads === MAX_READS;
      if (!isReady || isLast) this.#freeze();
      const html = await this.#deadline.race(this.#serialize(reserveMs, isLast));
      this.#mark('serialize');
      // In the monitor's tick, so that URL and response match the HTML.
      if (html !== undefined)
        return this.#withAttachments(this.#settle(this.#requireDocument(), html, !isReady || isLast));
    }
  }

  #reserveMs(budgetMs: number): number {
    const reading = Math.min(MAX_RESERVE_MS, Math.max(MIN_RESERVE_MS, budgetMs * SERIALIZE_SHARE));
    const { screenshot, mhtml } = this.#request.options ?? {};
    const attachments =
      screenshot === undefined && mhtml === undefined
        ? 0
        : Math.min(MAX_ATTACHMENT_RESERVE_MS, budgetMs * ATTACHMENT_SHARE);
    return Math.min(reading + attachments, budgetMs / 2);
  }

  /** The HTML has been read: a page that navigates now has attachments of another page, which are dropped. */
  async #withAttachments(capture: Capture): Promise<Capture> {
    const {
      screenshot: kind,
      screenshotFormat: format = 'webp',
      device,
      mhtml: isArchived,
    } = this.#request.options ?? {};
    const { document } = this.#monitor;
    const limitMs = (): number => Math.min(MAX_ATTACHMENT_MS, this.#deadline.remainingMs());
    const unlessMoved = <T>(attachment: T): T | null => (this.#monitor.document === document ? attachment : null);
    if (kind !== undefined) {
      const order = { kind, format, deviceScaleFactor: deviceScaleFactorOf(device), timeoutMs: limitMs() };
      const screenshot = await takeScreenshot(this.#session, order);
      this.#mark('screenshot');
      capture = { ...capture, screenshot: unlessMoved(screenshot) };
    }
    if (isArchived === undefined) return capture;
    const mhtml = await takeMhtml(this.#session, limitMs());
    this.#mark('mhtml');
    return { ...capture, mhtml: unlessMoved(mhtml) };
  }

  #listen(): void {
    const session = this.#session;
    this.#page.crashed.catch((error: unknown) => this.#fatal.reject(error));
    session.on('Page.javascriptDialogOpening', ({ type }) => {
      // Accepts only `beforeunload`.
      session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }).catch(() => {});
    });
    filterRequests(session, this.#filter);
    session.on('Network.responseReceived', () => this.#checkDocument());
    session.on('Page.frameNavigated', () => {
      this.#checkDocument();
      this.#checkFailure();
    });
    session.on('Network.loadingFailed', ({ type, errorText }) => {
      // A held page always cancels its initial document.
      if (type !== 'Document' && isBrowserFailure(errorText)) this.#hasLostRequests = true;
      if (isNetworkChange(errorText)) this.#hasSeenNetworkChange = true;
      this.#checkFailure();
    });
    session.on('Network.requestWillBeSent', () => this.#checkRedirects());
    session.on('Network.dataReceived', () => {
      if (this.#monitor.documentBytes > this.#options.maxPageBytes) this.#fatal.reject(this.#tooLarge());
    });
  }

  #watchHeap(): () => void {
    const { maxHeapBytes } = this.#lease;
    if (maxHeapBytes === undefined) return () => {};
    return watchHeap(this.#session, maxHeapBytes, (bytes) => {
      const size = `${Math.round(bytes / 1_048_576)} MiB`;
      this.#fatal.reject(new AppError('render_failed', `the page took too much memory (${size}) and was ended`));
    });
  }

  #checkRedirects(): void {
    const { maxRedirects } = this.#options;
    const refusal = this.#refuse('redirected', URL.parse(this.#monitor.redirectTarget ?? ''));
    if (refusal) this.#fatal.reject(refusal);
    if (this.#monitor.redirects.length <= maxRedirects) return;
    const details = { redirects: describeRedirects(this.#monitor.redirects) };
    this.#fatal.reject(new AppError('too_many_redirects', `more than ${maxRedirects} redirects`, { details }));
  }

  #refuse(moved: 'redirected' | 'moved on', target: URL | null): AppError | undefined {
    const fault = target && findUrlFault(target, this.#options.guard.policy);
    return fault ? new AppError('egress_denied', `${moved} to a refused target: ${fault}`) : undefined;
  }

  #checkDocument(): void {
    const { document } = this.#monitor;
    if (!document || this.#proxy.isOwnAnswer(document.headers)) return;
    if (documentKindOf(document.mimeType) !== 'other') return;
    // Chromium reports feeds as plain text.
    const { mediaType } = readContentType(document.headers['content-type']);
    this.#fatal.reject(notADocument(document.status, mediaType, document.headers));
  }

  #checkFailure(): void {
    const { documentFailure: errorText } = this.#monitor;
    if (errorText === undefined) return;
    this.#fatal.reject(
      this.#isBrowserFailure({ errorText }) ? this.#browserFault(errorText) : this.#navigationFailure(errorText),
    );
  }

  async #navigate(): Promise<void> {
    const arrival = this.#expectArrival();
    const answer = await this.#page.navigate(this.#request.url.href).finally(() => clearTimeout(arrival));
    const { errorText } = answer;
    if (errorText === undefined) return;
    // A page that redirects at once aborts its first navigation.
    if (errorText === 'net::ERR_ABORTED' && this.#monitor.isLeaving()) return;
    if (!this.#isBrowserFailure(answer)) throw this.#navigationFailure(errorText);
    throw (await this.#awaitUnshownAnswer(errorText)) ?? this.#browserFault(errorText);
  }

  /** The browser does not replace a hanging network process. */
  #expectArrival(): NodeJS.Timeout | undefined {
    const { openWithinMs } = this.#options;
    if (openWithinMs === undefined) return undefined;
    return setTimeout(() => {
      if (this.#proxy.isReached) return;
      this.#lease.distrust('it does not request pages');
      this.#fatal.reject(new BrowserFaultError(new AppError('render_failed', 'the browser did not request the page')));
    }, openWithinMs);
  }

  async #awaitUnshownAnswer(errorText: string): Promise<AppError | undefined> {
    if (errorText !== 'net::ERR_ABORTED' || this.#monitor.document) return undefined;
    const { promise, resolve } = Promise.withResolvers<AppError>();
    const judge = (): void => {
      const failure = this.#judgeUnshownAnswer();
      if (failure) resolve(failure);
    };
    this.#session.on('Network.responseReceivedExtraInfo', judge);
    judge();
    return within(promise, ANSWER_GRACE_MS);
  }

  /** Chromium shows no 304 and follows no redirect to `javascript:`. */
  #judgeUnshownAnswer(): AppError | undefined {
    const { rawAnswer, lastDocumentUrl } = this.#monitor;
    if (rawAnswer?.status === 304) return statusError(304);
    return this.#refuse('redirected', URL.parse(rawAnswer?.location ?? '', lastDocumentUrl));
  }

  #browserFault(errorText: string): BrowserFaultError {
    return new BrowserFaultError(new AppError('render_failed', `the browser aborted the page (${errorText})`));
  }

  /** Neither the proxy nor the response explains the failure. */
  #isBrowserFailure({ errorText = '', isDownload = false }: NavigateAnswer): boolean {
    const { document, lastDocumentUrl } = this.#monitor;
    const target = URL.parse(lastDocumentUrl ?? this.#request.url.href);
    if (isDownload || this.#proxy.isExhausted || (target && this.#proxy.failureOf(target))) return false;
    return isBrowserFailure(errorText) && (!document || (isAccepted(document.status) && !isEmpty(document.status)));
  }

  #navigationFailure(errorText: string): AppError | BrowserFaultError {
    const url = this.#monitor.lastDocumentUrl ?? this.#request.url.href;
    if (this.#proxy.isExhausted) return this.#tooLarge();
    if (isNetworkChange(errorText)) return networkChanged();
    const { document } = this.#monitor;
    if (UNSHOWN_STATUS.test(errorText) && document && !isAccepted(document.status))
      return statusError(document.status, { headers: document.headers });
    if (errorText === 'net::ERR_ABORTED')
      return new AppError('unsupported_content', 'the target is a download or has no content');
    const parsed = URL.parse(url);
    const failure = parsed && this.#proxy.failureOf(parsed);
    // The browser blocks bad ports itself.
    return failure ?? this.#refuse('moved on', parsed) ?? mapNavigationError(errorText, url);
  }

  #requireDocument(): DocumentResponse {
    const { document, unreachableUrl, lastDocumentUrl } = this.#monitor;
    if (unreachableUrl !== undefined) throw this.#navigationFailure('net::ERR_FAILED');
    if (this.#monitor.isForeign)
      throw new AppError('render_failed', 'the page navigated to a document without an address');
    if (!document) throw this.#deadline.tooLate();
    if (!this.#proxy.isOwnAnswer(document.headers)) return document;
    throw this.#navigationFailure(`no answer from ${lastDocumentUrl ?? document.url}`);
  }

  /** Rejects a capture that lost resources to a network failure. */
  async #requireNetwork(): Promise<void> {
    if (this.#hasSeenNetworkChange) throw networkChanged();
    if (!this.#hasLostRequests || !(await this.#lease.hasLostNetwork?.())) return;
    throw new BrowserFaultError(new AppError('render_failed', 'the browser lost its network process'));
  }

  #waitReady(timeoutMs: number): Promise<boolean> {
    const context = {
      monitor: this.#monitor,
      timeoutMs,
      evaluate: async (expression: string) => this.#evaluate(await this.#createWorld(), expression),
      isOver: () => this.#isOver,
    };
    const waitFor = this.#request.options?.waitFor;
    if (waitFor === undefined) return waitReady(this.#readiness, context);
    return waitForContent(waitFor, context, (rest) => waitReady(this.#readiness, rest));
  }

  /** Returns the context of the current document's isolated world. */
  async #createWorld(): Promise<number> {
    const world = { frameId: this.#page.targetId, worldName: WORLD };
    const { executionContextId } = await this.#session.send('Page.createIsolatedWorld', world);
    return executionContextId;
  }

  async #evaluate(contextId: number, expression: string): Promise<unknown> {
    const params = { expression, contextId, awaitPromise: true, returnByValue: true };
    const { result } = await this.#session.send('Runtime.evaluate', params);
    return result.value;
  }

  async #serialize(reserveMs: number, isLast: boolean): Promise<string | undefined> {
    const work = this.#readDocument(isLast, Math.min(MAX_MARK_MS, reserveMs * MARK_SHARE));
    work.catch(() => {});
    // An endless script blocks the page's answers.
    const timer = setTimeout(
      () => this.#stopScripts(),
      Math.max(100, Math.min(reserveMs, this.#deadline.remainingMs()) / 2),
    );
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Undefined if the page navigated: its content could appear under another address. */
  async #readDocument(isLast: boolean, markWithinMs: number): Promise<string | undefined> {
    const limits = { maxCharacters: this.#options.maxPageBytes, tooLarge: () => this.#tooLarge() };
    // Sent with the first commands: each round trip gives the renderer time to paint.
    const world = this.#createWorld();
    world.catch(() => {});
    try {
      const page = {
        session: this.#session,
        evaluate: async (expression: string) => this.#evaluate(await world, expression),
        isFrozen: () => this.#isFrozen,
        markWithinMs,
      };
      const { html, loaderId } = await serializePage(page, limits);
      if (this.#monitor.isAt(loaderId)) return html;
    } catch (error) {
      if (!(error instanceof DevtoolsError) || isLast) throw error;
    }
    if (isLast) throw new AppError('render_failed', 'the page kept navigating while it was read');
    return undefined;
  }

  #freeze(): void {
    this.#isFrozen = true;
    this.#session.send('Emulation.setScriptExecutionDisabled', { value: true }).catch(() => {});
    this.#session.send('Page.stopLoading').catch(() => {});
  }

  #stopScripts(): void {
    this.#lease.distrust('a page did not answer');
    this.#freeze();
    this.#session.send('Runtime.terminateExecution').catch(() => {});
  }

  #settle(response: DocumentResponse, html: string, partial: boolean): Capture {
    if (this.#monitor.isBodyLost) throw this.#browserFault('the body of the document was lost');
    if (partial && html.trim() === '' && isAccepted(response.status)) throw this.#deadline.tooLate();
    if (!isDocumentShown(html, response.mimeType))
      throw notADocument(response.status, response.mimeType, response.headers);
    const elapsedMs = Math.round(this.#deadline.elapsedMs());
    const { engine } = this.#options;
    const capture: Capture = {
      engine,
      finalUrl: this.#monitor.url ?? response.url,
      statusCode: response.status,
      fetchedAt: new Date(),
      html,
      contentType: response.headers['content-type'] ?? null,
      charset: null,
      contentLanguage: response.headers['content-language'] ?? null,
      redirects: this.#monitor.redirects,
      protocol: response.protocol,
      transferBytes: this.#monitor.documentTransferBytes,
      bodyBytes: this.#monitor.documentBytes,
      timings: this.#timings,
      blockedRequests: [...this.#proxy.blocked],
      partial,
      attempts: [{ engine, outcome: 'captured', reason: null, errorCode: null, elapsedMs }],
    };
    return requirePage(capture, response.headers);
  }

  #mark(phase: string): void {
    this.#timings[phase] = Math.round(this.#deadline.elapsedMs());
  }

  #tooLarge(): AppError {
    if (!this.#proxy.isExhausted) return pageTooLarge(this.#options.maxPageBytes);
    const limit = formatBytes(this.#options.maxTotalBytes);
    return new AppError('response_too_large', `the page and its sub-resources are larger than ${limit}`);
  }
}
