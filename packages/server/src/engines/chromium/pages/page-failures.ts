import type { ErrorCode } from '@winnow/contract';
import { describeRedirects } from '../../../domain/capture/describe-capture.ts';
import { AppError } from '../../../domain/shared/errors.ts';
import { formatBytes } from '../../../domain/shared/format-bytes.ts';
import { findUrlFault } from '../../../egress/policy/check-url.ts';
import type { EgressGuard } from '../../../egress/egress.ts';
import type { BrowserProxy, TrafficLimits } from '../../../egress/browser-proxy.ts';
import { documentKindOf, isDocumentShown, readContentType } from '../../shared/content-type.ts';
import { within } from '../../../domain/shared/within.ts';
import type { Deadline } from '../../shared/deadline.ts';
import { isAccepted, notADocument, pageTooLarge, statusError } from '../../shared/judge-response.ts';
import { BrowserFaultError } from '../browsers/browser-fault.ts';
import type { BrowserLease } from '../browsers/browser-source.ts';
import { DevtoolsClosedError } from '../devtools/devtools-connection.ts';
import { watchHeap } from '../browsers/watchdogs.ts';
import {
  BrokenOffPage,
  isBrokenOff,
  isBrowserFailure,
  isNetworkChange,
  mapNavigationError,
} from './navigation-error.ts';
import type { NavigateAnswer, OpenPage, OpenPageOptions } from './open-page.ts';
import type { DocumentResponse, PageMonitor } from './page-monitor.ts';

/** A page that exceeds them fails, except for its traffic. */
export interface PageLimits extends Pick<OpenPageOptions, 'openWithinMs'> {
  readonly guard: EgressGuard;
  /** Bytes of the decoded document, characters of the serialised page. */
  readonly maxPageBytes: number;
  readonly maxTotalBytes: number;
  readonly traffic?: TrafficLimits;
  readonly maxRedirects: number;
}

interface FailureContext {
  readonly url: URL;
  readonly page: OpenPage;
  readonly monitor: PageMonitor;
  readonly proxy: BrowserProxy;
  readonly lease: BrowserLease;
  readonly deadline: Deadline;
  readonly limits: PageLimits;
}

/** Wait for the network process's report of the response. */
const ANSWER_GRACE_MS = 500;
/** Downloads, also with an error status. */
const UNSHOWN_STATUS = /^net::ERR_(?:ABORTED|INVALID_RESPONSE)$/;
/** A known error status is more informative. */
const STATUS_SAYS_MORE: ReadonlySet<ErrorCode> = new Set(['response_too_large', 'render_failed', 'fetch_timeout']);

/** The address that an answer with status 300 names. */
function choiceOf({ status, headers, url }: DocumentResponse): URL | null {
  return status === 300 && headers['location'] !== undefined ? URL.parse(headers['location'], url) : null;
}

function networkChanged(): BrowserFaultError {
  const failure = new AppError(
    'render_failed',
    "the browser dropped its connections because the machine's network changed",
  );
  return new BrowserFaultError(failure, { isBrowserSound: true });
}

/** Watches one page for failures that end its capture, and explains why its navigation or document failed. */
export class PageFailures {
  readonly #context: FailureContext;
  /** Includes requests that the page has cancelled. */
  #hasLostRequests = false;
  #hasSeenNetworkChange = false;
  readonly #fatal = Promise.withResolvers<never>();

  constructor(context: FailureContext) {
    this.#context = context;
    this.#fatal.promise.catch(() => {});
  }

  /** Rejects with the first failure that ends the capture. */
  get failed(): Promise<never> {
    return this.#fatal.promise;
  }

  /** @returns stops the watch */
  watch(): () => void {
    this.#listen();
    const unlisten = this.#context.lease.connection.onClose(() => this.#fatal.reject(new DevtoolsClosedError()));
    const unwatch = this.#watchHeap();
    return () => {
      unlisten();
      unwatch();
    };
  }

  #listen(): void {
    const session = this.#context.page.session;
    this.#context.page.crashed.catch((error: unknown) => this.#fatal.reject(error));
    session.on('Network.responseReceived', () => {
      this.#context.lease.noteNetwork?.();
      this.#checkDocument();
    });
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
      if (this.#context.monitor.documentBytes > this.#context.limits.maxPageBytes) this.#fatal.reject(this.tooLarge());
    });
  }

  #watchHeap(): () => void {
    const { maxHeapBytes } = this.#context.lease;
    if (maxHeapBytes === undefined) return () => {};
    return watchHeap(this.#context.page.session, maxHeapBytes, (bytes) => {
      const size = `${Math.round(bytes / 1_048_576)} MiB`;
      this.#fatal.reject(new AppError('render_failed', `the page took too much memory (${size}) and was ended`));
    });
  }

  #checkRedirects(): void {
    const refusal = this.#refuse('redirected', URL.parse(this.#context.monitor.redirectTarget ?? ''));
    if (refusal) this.#fatal.reject(refusal);
    const excess = this.#excessRedirects();
    if (excess) this.#fatal.reject(excess);
  }

  #excessRedirects(): AppError | undefined {
    const { maxRedirects } = this.#context.limits;
    if (this.#context.monitor.redirects.length <= maxRedirects) return undefined;
    const details = { redirects: describeRedirects(this.#context.monitor.redirects) };
    return new AppError('too_many_redirects', `more than ${maxRedirects} redirects`, { details });
  }

  #refuse(moved: 'redirected' | 'moved on', target: URL | null): AppError | undefined {
    const fault = target && findUrlFault(target, this.#context.limits.guard.policy);
    return fault ? new AppError('egress_denied', `${moved} to a refused target: ${fault}`) : undefined;
  }

  #checkDocument(): void {
    const { document } = this.#context.monitor;
    if (!document || this.#context.proxy.isOwnAnswer(document.headers)) return;
    if (documentKindOf(document.mimeType) !== 'other' || choiceOf(document)) return;
    // Chromium reports feeds as plain text.
    const { mediaType } = readContentType(document.headers['content-type']);
    this.#fatal.reject(notADocument(document.status, mediaType, document.headers));
  }

  #checkFailure(): void {
    const { documentFailure: errorText } = this.#context.monitor;
    if (errorText === undefined) return;
    this.#fatal.reject(
      this.#isBrowserFailure({ errorText }) ? this.#browserFault(errorText) : this.#navigationFailure(errorText),
    );
  }

  /** The browser does not replace a hanging network process. */
  expectArrival(): NodeJS.Timeout | undefined {
    const { openWithinMs } = this.#context.limits;
    if (openWithinMs === undefined) return undefined;
    return setTimeout(() => {
      if (this.#context.proxy.isReached) return;
      this.#context.lease.distrust('it does not request pages');
      this.#fatal.reject(new BrowserFaultError(new AppError('render_failed', 'the browser did not request the page')));
    }, openWithinMs);
  }

  /**
   * Returns the address that a committed answer with status 300 names; the answer then counts as a redirect.
   * @throws {AppError} `egress_denied`, `too_many_redirects`
   */
  takeChoice(loaderId: string): URL | undefined {
    const document = this.#context.monitor.responseOf(loaderId);
    const target = document && choiceOf(document);
    if (!target) return undefined;
    const refusal = this.#refuse('redirected', target);
    if (refusal) throw refusal;
    if (target.hash === '') target.hash = URL.parse(this.#context.monitor.url ?? '')?.hash ?? '';
    this.#context.monitor.passDocument();
    const excess = this.#excessRedirects();
    if (excess) throw excess;
    return target;
  }

  /** Rejects an answer without a page, unless another navigation follows. */
  async requireNavigation(answer: NavigateAnswer): Promise<void> {
    const { errorText } = answer;
    if (errorText === undefined) return;
    // A page that redirects at once aborts its first navigation.
    if (errorText === 'net::ERR_ABORTED' && this.#context.monitor.isLeaving()) return;
    if (!this.#isBrowserFailure(answer)) throw this.#navigationFailure(errorText);
    throw (await this.#awaitUnshownAnswer(errorText)) ?? this.#browserFault(errorText);
  }

  async #awaitUnshownAnswer(errorText: string): Promise<AppError | undefined> {
    if (errorText !== 'net::ERR_ABORTED' || this.#context.monitor.document) return undefined;
    const { promise, resolve } = Promise.withResolvers<AppError>();
    const judge = (): void => {
      const failure = this.#judgeUnshownAnswer();
      if (failure) resolve(failure);
    };
    this.#context.page.session.on('Network.responseReceivedExtraInfo', judge);
    judge();
    return within(promise, ANSWER_GRACE_MS);
  }

  /** Chromium shows no 304 and follows no redirect to `javascript:`. */
  #judgeUnshownAnswer(): AppError | undefined {
    const { rawAnswer, lastDocumentUrl } = this.#context.monitor;
    if (rawAnswer?.status === 304) return statusError(304);
    return this.#refuse('redirected', URL.parse(rawAnswer?.location ?? '', lastDocumentUrl));
  }

  #browserFault(errorText: string): BrowserFaultError {
    return new BrowserFaultError(new AppError('render_failed', `the browser aborted the page (${errorText})`));
  }

  /** Neither the proxy nor the response explains the failure. */
  #isBrowserFailure({ errorText = '', isDownload = false }: NavigateAnswer): boolean {
    const { document, lastDocumentUrl } = this.#context.monitor;
    const target = URL.parse(lastDocumentUrl ?? this.#context.url.href);
    if (isDownload || this.#context.proxy.isExhausted || (target && this.#context.proxy.failureOf(target)))
      return false;
    // After an empty answer the browser stays on the current page (RFC 9110, 15.3.5).
    return (
      isBrowserFailure(errorText) &&
      (!document || (isAccepted(document.status) && ![204, 205].includes(document.status)))
    );
  }

  #navigationFailure(errorText: string): AppError | BrowserFaultError {
    const url = this.#context.monitor.lastDocumentUrl ?? this.#context.url.href;
    if (this.#context.proxy.isExhausted) return this.tooLarge();
    if (isNetworkChange(errorText)) return networkChanged();
    const { document, documentBytes } = this.#context.monitor;
    if (documentBytes > 0 && isBrokenOff(errorText)) return new BrokenOffPage(errorText, URL.parse(url)?.host ?? url);
    if (UNSHOWN_STATUS.test(errorText) && document && !isAccepted(document.status))
      return statusError(document.status, { headers: document.headers });
    if (errorText === 'net::ERR_ABORTED')
      return new AppError('unsupported_content', 'the target is a download or has no content');
    const parsed = URL.parse(url);
    const failure = parsed && this.#context.proxy.failureOf(parsed);
    // The browser blocks bad ports itself.
    return failure ?? this.#refuse('moved on', parsed) ?? mapNavigationError(errorText, url);
  }

  /** The status is more informative than a fault of its page. */
  statusFailure(error: unknown): AppError | undefined {
    const { document } = this.#context.monitor;
    const isOfPage = error instanceof AppError && STATUS_SAYS_MORE.has(error.code);
    if (!isOfPage || !document || this.#context.proxy.isOwnAnswer(document.headers)) return undefined;
    return isAccepted(document.status) ? undefined : statusError(document.status, { headers: document.headers });
  }

  /** @throws {AppError} {@link BrowserFaultError} without a response of the target */
  requireDocument(): DocumentResponse {
    const { document, unreachableUrl, lastDocumentUrl } = this.#context.monitor;
    if (unreachableUrl !== undefined) throw this.#navigationFailure('net::ERR_FAILED');
    if (this.#context.monitor.isForeign)
      throw new AppError('render_failed', 'the page navigated to a document without an address');
    if (!document) throw this.#context.deadline.tooLate();
    if (!this.#context.proxy.isOwnAnswer(document.headers)) return document;
    throw this.#navigationFailure(`no answer from ${lastDocumentUrl ?? document.url}`);
  }

  /** Rejects a capture that lost resources to a network failure. */
  async requireNetwork(): Promise<void> {
    if (this.#hasSeenNetworkChange) throw networkChanged();
    if (!this.#hasLostRequests || !(await this.#context.lease.hasLostNetwork?.())) return;
    throw new BrowserFaultError(new AppError('render_failed', 'the browser lost its network process'));
  }

  /** Rejects HTML that does not show the document. */
  requireContent(response: DocumentResponse, html: string, partial: boolean): void {
    if (this.#context.monitor.isBodyLost) throw this.#browserFault('the body of the document was lost');
    if (partial && html.trim() === '' && isAccepted(response.status)) throw this.#context.deadline.tooLate();
    if (!isDocumentShown(html, response.mimeType))
      throw notADocument(response.status, response.mimeType, response.headers);
  }

  tooLarge(): AppError {
    if (!this.#context.proxy.isExhausted) return pageTooLarge(this.#context.limits.maxPageBytes);
    const limit = formatBytes(this.#context.limits.maxTotalBytes);
    return new AppError('response_too_large', `the page and its sub-resources are larger than ${limit}`);
  }
}
