import { AppError } from '../../../domain/shared/errors.ts';
import type { Capture, CaptureRequest } from '../../../domain/capture/capture-ports.ts';
import { checkUrl } from '../../../egress/policy/check-url.ts';
import type { BrowserProxy } from '../../../egress/browser-proxy.ts';
import { judgeShell } from '../../../domain/shells/judge-shell.ts';
import { within } from '../../../domain/shared/within.ts';
import type { Deadline } from '../../shared/deadline.ts';
import { PageConsent } from '../consent/page-consent.ts';
import { requirePage } from '../../shared/judge-response.ts';
import type { BrowserLease } from '../browsers/browser-source.ts';
import { forgetContext } from './context-pages.ts';
import { DevtoolsError, type DevtoolsSession } from '../devtools/devtools-connection.ts';
import { openPage, type OpenPage, type OpenPageOptions } from './open-page.ts';
import { PageFailures, type PageLimits } from './page-failures.ts';
import { PageMonitor, type DocumentResponse } from './page-monitor.ts';
import { PageScroll } from './page-scroll.ts';
import { WORLD } from './page-scripts.ts';
import { READINESS, SETTLED, type Readiness } from './readiness.ts';
import { blockedTypes, filterRequests, type RequestFilter } from './request-filter.ts';
import { listForeignFrames, serializePage, unlessGone } from './serialize-page.ts';
import { readCookies, setCookies } from './set-cookies.ts';
import { deviceScaleFactorOf } from './emulate-device.ts';
import { takeMhtml } from '../attachments/take-mhtml.ts';
import { takeScreenshot } from '../attachments/take-screenshot.ts';
import { waitForContent } from './wait-for-content.ts';
import { waitReady, type ReadyContext } from './wait-ready.ts';

export type PageOptions = Omit<OpenPageOptions, 'emulation' | 'filter'> & PageLimits;

/** Share of the deadline reserved for serialising the page. */
const SERIALIZE_SHARE = 0.15;
const MIN_RESERVE_MS = 300;
const MAX_RESERVE_MS = 2000;
const DISPOSE_TIMEOUT_MS = 3000;
/** The last attempt stops the page's scripts. */
const MAX_READS = 5;
/** Share of the time reserved for a screenshot and an MHTML file, within limits. */
const ATTACHMENT_SHARE = 0.25;
const MAX_ATTACHMENT_RESERVE_MS = 8000;
const MAX_ATTACHMENT_MS = 20_000;
const MARK_SHARE = 0.25;
const MAX_MARK_MS = 250;
/** Longest wait for an unrendered app shell that requests nothing, before its consent dialog is answered. */
const MAX_UNANSWERED_MS = 3000;
/** Frames that are asked for what they show. */
const MAX_ASKED_FRAMES = 5;

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
    ...(options.traffic === undefined ? {} : { traffic: options.traffic }),
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
    return await new PageCapture({ page, proxy, lease, request, deadline, options, filter }).run();
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

/** Tells the extraction that a page was scrolled, also when its snapshot is read later. */
function markScrolled(html: string, mark: 'end' | 'limit' | undefined): string {
  return mark === undefined ? html : html.replace(/<html(?=[\s>])/i, `$& data-winnow-scrolled="${mark}"`);
}

/** Characters; judging longer pages would block the event loop. */
const MAX_JUDGED = 1024 * 1024;

interface CaptureParts {
  readonly page: OpenPage;
  readonly proxy: BrowserProxy;
  readonly lease: BrowserLease;
  readonly request: CaptureRequest;
  readonly deadline: Deadline;
  readonly options: PageOptions;
  readonly filter: RequestFilter;
}

class PageCapture {
  readonly #parts: CaptureParts;
  readonly #session: DevtoolsSession;
  readonly #readiness: Readiness;
  readonly #monitor: PageMonitor;
  readonly #failures: PageFailures;
  readonly #scroll: PageScroll;
  readonly #consent: PageConsent;
  readonly #timings: Record<string, number> = {};
  #isOver = false;
  #isFrozen = false;
  #isSuspect = false;

  constructor(parts: CaptureParts) {
    const { page, request, options } = parts;
    this.#parts = parts;
    this.#session = page.session;
    this.#scroll = new PageScroll(request.options?.scroll);
    const readiness = READINESS[options.engine];
    this.#readiness = this.#scroll.isOrdered ? { ...readiness, scrolls: true } : readiness;
    this.#monitor = new PageMonitor(page.session, page.targetId);
    this.#consent = this.#createConsent();
    this.#failures = new PageFailures({ ...parts, url: request.url, monitor: this.#monitor, limits: options });
  }

  #createConsent(): PageConsent {
    const page = {
      session: this.#session,
      mainFrameId: this.#parts.page.targetId,
      createWorld: (frameId: string) => this.#createWorld(frameId),
      url: () => this.#monitor.url ?? this.#parts.request.url.href,
      document: () => this.#monitor.document,
      isFrozen: () => this.#isFrozen,
    };
    return new PageConsent(page, this.#parts.request.options?.consent);
  }

  async run(): Promise<Capture> {
    this.#listen();
    const unwatch = this.#failures.watch();
    try {
      return await Promise.race([this.#capture(), this.#failures.failed]);
    } catch (error) {
      throw this.#failures.statusFailure(error) ?? error;
    } finally {
      this.#isOver = true;
      unwatch();
      this.#session.end();
    }
  }

  async #capture(): Promise<Capture> {
    this.#mark('open');
    const budgetMs = this.#parts.deadline.remainingMs();
    const reserveMs = this.#reserveMs(budgetMs);
    const softLimit = new Promise<'late'>((resolve) => setTimeout(resolve, budgetMs - reserveMs, 'late').unref());
    const navigated = await this.#parts.deadline.race(Promise.race([this.#navigate(), softLimit]));
    this.#mark('navigate');
    this.#failures.requireDocument();
    for (let reads = 1; ; reads += 1) {
      const isReady =
        navigated !== 'late' &&
        (await this.#parts.deadline.race(this.#waitReady(this.#parts.deadline.remainingMs() - reserveMs)));
      this.#mark('ready');
      this.#failures.requireDocument();
      await this.#parts.deadline.race(this.#failures.requireNetwork());
      const isLast = reads === MAX_READS;
      if (!isReady || isLast) this.#freeze();
      const html = await this.#parts.deadline.race(this.#serialize(reserveMs, isLast));
      this.#mark('serialize');
      if (html !== undefined && isReady && !isLast && this.#isFirstSuspicion(html)) continue;
      // Same tick as the monitor's check, so that URL and response match the HTML.
      if (html !== undefined) {
        const marked = markScrolled(html, this.#scroll.mark);
        const capture = this.#settle(this.#failures.requireDocument(), marked, !isReady || isLast);
        const { fileUrl } = this.#monitor;
        const whole = await this.#withFile(await this.#withAttachments(capture), fileUrl);
        const [scroll, consent] = [this.#scroll.report, this.#consent.report];
        return { ...whole, ...(scroll && { scroll }), ...(consent && { consent }) };
      }
    }
  }

  /** Asking each page whether it is an app shell would delay the finished ones; its HTML is here anyway. */
  #isFirstSuspicion(html: string): boolean {
    if (this.#isSuspect || this.#readiness.quietMs !== null || !this.#readiness.isFilled) return false;
    if (html.length > MAX_JUDGED) return false;
    const { refresh } = this.#monitor.document?.headers ?? {};
    const finalUrl = this.#monitor.url ?? this.#parts.request.url.href;
    // As plain HTTP: when the document has loaded, scripts may not yet have read the fragment of its address.
    const page = { engine: 'http' as const, finalUrl, html, ...(refresh === undefined ? {} : { refresh }) };
    this.#isSuspect = !judgeShell(page).sufficient;
    return this.#isSuspect;
  }

  #reserveMs(budgetMs: number): number {
    const reading = Math.min(MAX_RESERVE_MS, Math.max(MIN_RESERVE_MS, budgetMs * SERIALIZE_SHARE));
    const { screenshot, mhtml } = this.#parts.request.options ?? {};
    const attachments =
      screenshot === undefined && mhtml === undefined
        ? 0
        : Math.min(MAX_ATTACHMENT_RESERVE_MS, budgetMs * ATTACHMENT_SHARE);
    return Math.min(reading + attachments, budgetMs / 2);
  }

  /** Drops attachments if the page has navigated since its HTML was read. */
  async #withAttachments(capture: Capture): Promise<Capture> {
    const {
      screenshot: kind,
      screenshot_format: format = 'webp',
      device,
      mhtml: isArchived,
    } = this.#parts.request.options ?? {};
    const { document } = this.#monitor;
    const limitMs = (): number => Math.min(MAX_ATTACHMENT_MS, this.#parts.deadline.remainingMs());
    const unlessNavigated = <T>(attachment: T): T | null => (this.#monitor.document === document ? attachment : null);
    if (kind !== undefined) {
      const screenshot = await this.#consent.hideWhile(limitMs(), () => {
        const order = { kind, format, deviceScaleFactor: deviceScaleFactorOf(device), timeoutMs: limitMs() };
        return takeScreenshot(this.#session, order);
      });
      this.#mark('screenshot');
      capture = { ...capture, screenshot: unlessNavigated(screenshot) };
    }
    if (isArchived === undefined) return capture;
    const mhtml = await takeMhtml(this.#session, limitMs());
    this.#mark('mhtml');
    return { ...capture, mhtml: unlessNavigated(mhtml) };
  }

  /** Adds the file to which the page led, unless the browser no longer tells its cookies. */
  async #withFile(capture: Capture, fileUrl: string | undefined): Promise<Capture> {
    if (fileUrl === undefined) return capture;
    const url = new URL(fileUrl);
    const reading = readCookies(this.#session, url).catch(() => undefined);
    const cookies = await within(reading, this.#parts.deadline.remainingMs());
    return cookies === undefined ? capture : { ...capture, file: { url, cookies } };
  }

  #listen(): void {
    const session = this.#session;
    session.on('Page.javascriptDialogOpening', ({ type }) => {
      // Accepts only `beforeunload`.
      session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }).catch(() => {});
    });
    session.on('Network.requestWillBeSent', ({ request: { url } }) => {
      // The proxy itself sees requests by plain HTTP.
      if (url.startsWith('https:')) this.#parts.proxy.countRequest(url);
    });
    session.on('Network.webSocketCreated', ({ url }) => this.#parts.proxy.countRequest(url));
    filterRequests(session, this.#parts.filter);
  }

  async #navigate(): Promise<void> {
    const arrival = this.#failures.expectArrival();
    let answer = await this.#parts.page.navigate(this.#parts.request.url.href).finally(() => clearTimeout(arrival));
    for (;;) {
      await this.#failures.requireNavigation(answer);
      const { loaderId } = answer;
      // Browsers show an answer that names several addresses, and the server's choice among them.
      if (loaderId === undefined || this.#monitor.responseOf(loaderId)?.status !== 300) return;
      await this.#commitOf(loaderId);
      const url = this.#failures.takeChoice(loaderId)?.href;
      if (url === undefined) return;
      answer = await this.#session.send('Page.navigate', { url });
    }
  }

  #commitOf(loaderId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.#monitor.hasCommitted(loaderId)) resolve();
    };
    this.#session.on('Page.frameNavigated', look);
    look();
    return promise;
  }

  #waitReady(timeoutMs: number): Promise<boolean> {
    const context = {
      monitor: this.#monitor,
      scroll: this.#scroll,
      timeoutMs,
      idleMs: this.#parts.request.shellIdleMs,
      isSuspect: this.#isSuspect,
      evaluate: async (expression: string) => this.#evaluate(await this.#createWorld(), expression),
      evaluateInFrames: (expression: string) => this.#evaluateInFrames(expression),
      movePointer: () => {
        this.#session.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 1, y: 1 }).catch(() => {});
      },
      hangUp: (address: string) => {
        const url = URL.parse(address);
        if (url) this.#parts.proxy.hangUp(url);
      },
      isOver: () => this.#isOver,
    };
    const waitFor = this.#parts.request.options?.wait_for;
    const waitWithin = async (rest: ReadyContext): Promise<boolean> => {
      if (waitFor === undefined) return waitReady(this.#readiness, rest);
      return waitForContent(waitFor, rest, (last) => waitReady(this.#readiness, last));
    };
    return this.#consent.isDue ? this.#answerConsent(context, waitWithin) : waitWithin(context);
  }

  /** Answers a dialog as soon as the page is ready: what is awaited or scrolled to may be behind it. */
  async #answerConsent(context: ReadyContext, waitWithin: (rest: ReadyContext) => Promise<boolean>): Promise<boolean> {
    const until = performance.now() + context.timeoutMs;
    const rest = (): ReadyContext => ({ ...context, timeoutMs: Math.max(0, until - performance.now()) });
    // A page may show nothing before the answer.
    const idleMs = Math.min(MAX_UNANSWERED_MS, context.idleMs ?? Infinity);
    if (!(await waitReady({ ...this.#readiness, scrolls: false }, { ...context, idleMs }))) {
      this.#consent.skip();
      return waitWithin(rest());
    }
    return this.#consent.answer(rest().timeoutMs, async () => {
      if (this.#readiness.quietMs === null) await waitReady(SETTLED, rest());
      return waitWithin(rest());
    });
  }

  /** Returns the context of an isolated world, by default of the current document's. */
  async #createWorld(frameId: string = this.#parts.page.targetId): Promise<number> {
    const world = { frameId, worldName: WORLD };
    const { executionContextId } = await this.#session.send('Page.createIsolatedWorld', world);
    return executionContextId;
  }

  async #evaluate(contextId: number, expression: string): Promise<unknown> {
    const params = { expression, contextId, awaitPromise: true, returnByValue: true };
    const { result } = await this.#session.send('Runtime.evaluate', params);
    return result.value;
  }

  async #evaluateInFrames(expression: string): Promise<unknown[]> {
    const { frameTree } = await this.#session.send('Page.getFrameTree');
    const frames = listForeignFrames(frameTree).slice(0, MAX_ASKED_FRAMES);
    const ask = async (frameId: string): Promise<unknown> =>
      this.#evaluate(await this.#createWorld(frameId), expression);
    return Promise.all(frames.map(({ id }) => ask(id).catch(unlessGone)));
  }

  async #serialize(reserveMs: number, isLast: boolean): Promise<string | undefined> {
    const work = this.#readDocument(isLast, Math.min(MAX_MARK_MS, reserveMs * MARK_SHARE));
    work.catch(() => {});
    // An endless script blocks the page's answers.
    const timer = setTimeout(
      () => this.#stopScripts(),
      Math.max(100, Math.min(reserveMs, this.#parts.deadline.remainingMs()) / 2),
    );
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Undefined if the page navigated: its content could appear under another address. */
  async #readDocument(isLast: boolean, markWithinMs: number): Promise<string | undefined> {
    const limits = { maxCharacters: this.#parts.options.maxPageBytes, tooLarge: () => this.#failures.tooLarge() };
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
    this.#parts.lease.distrust('a page did not answer');
    this.#freeze();
    this.#session.send('Runtime.terminateExecution').catch(() => {});
  }

  #settle(response: DocumentResponse, html: string, partial: boolean): Capture {
    this.#failures.requireContent(response, html, partial);
    const elapsedMs = Math.round(this.#parts.deadline.elapsedMs());
    const { engine } = this.#parts.options;
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
      blockedRequests: [...this.#parts.proxy.blocked],
      partial,
      attempts: [{ engine, outcome: 'captured', reason: null, errorCode: null, elapsedMs }],
    };
    return requirePage(capture, response.headers);
  }

  #mark(phase: string): void {
    this.#timings[phase] = Math.round(this.#parts.deadline.elapsedMs());
  }
}
