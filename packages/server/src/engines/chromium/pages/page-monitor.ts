import type { Protocol } from 'devtools-protocol/types/protocol.js';
import type { Redirect } from '../../../domain/capture/capture-ports.ts';
import { isElsewhere } from '../../../domain/shells/find-refresh.ts';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';
import type { ResourceType } from './readiness.ts';

export interface DocumentResponse {
  readonly url: string;
  readonly status: number;
  readonly mimeType: string;
  readonly protocol: string | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface RawAnswer {
  readonly status: number;
  readonly location: string | undefined;
}

interface Navigation {
  readonly requestId: string;
  readonly method: string;
  readonly redirects: Redirect[];
  response: DocumentResponse | undefined;
  /** Includes responses that the browser drops. */
  answer: RawAnswer | undefined;
  failure: string | undefined;
  transferBytes: number | null;
  bytes: number;
}

interface OpenRequest {
  readonly type: ResourceType;
  /** Tells requests that are alike; undefined for ones that are not repeated. */
  readonly key: string | undefined;
  readonly since: number;
  readonly until: number;
  readonly url: string;
  isAnswered: boolean;
}

/** How long an announced navigation is awaited. */
const NAVIGATION_GRACE_MS = 3000;
/** An empty compressed stream with a name in its header. */
const MAX_EMPTY_STREAM_BYTES = 100;
const WORKER_START_MS = 1000;
/** How often one address is left before its refreshes count as a loop. */
const MAX_LEFT = 2;
/** How often one request is answered before its repetitions count as polling. */
const MAX_REPEATED = 3;
const MAX_KEY = 2000;
const MAX_KEYS = 2000;
/** A time in milliseconds or seconds, which makes each poll's address unlike the others. */
const TIME_OR_NUMBER = /\d{10,}/g;
/** How late a refresh may be. */
const REFRESH_GRACE_MS = 1000;

interface StatedRefresh {
  /** Without a fragment. */
  readonly url: string;
  /** Reading of performance.now. */
  readonly at: number;
}

export class PageMonitor {
  /** With the fragment, and as rewritten by scripts. */
  url: string | undefined;
  /** Also of a failed navigation. */
  lastDocumentUrl: string | undefined;
  hasDomContent = false;
  hasLoaded = false;
  /** Set by the browser's error page. */
  unreachableUrl: string | undefined;
  /** The document inherits its address or response from a document of another origin. */
  isForeign = false;
  /** The file to which the document led: its download left the document in place. */
  fileUrl: string | undefined;
  readonly #mainFrameId: string;
  readonly #open = new Map<string, OpenRequest>();
  readonly #sockets = new Set<string>();
  /** Has not committed a document. */
  #requested: Navigation | undefined;
  /** Before the first commit: the latest navigation with a response. */
  #shown: Navigation | undefined;
  #hasCommitted = false;
  #loaderId: string | undefined;
  /** A requested navigation did not happen; the parser had silently dropped the rest of the page. */
  #hasStayed = false;
  readonly #passed: Redirect[] = [];
  /** Readings of performance.now. */
  #documentAt = performance.now();
  readonly #endedAt = new Map<ResourceType, number>();
  /** Also of polls. */
  readonly #requestedAt = new Map<ResourceType, number>();
  /** Answers by the keys of requests. */
  readonly #answers = new Map<string, number>();
  #navigationAnnounced: number | undefined;
  /** Of the document: `<meta http-equiv=refresh>` or the header `Refresh`. */
  #refresh: StatedRefresh | undefined;
  #onEvent: () => void = () => {};

  constructor(session: DevtoolsSession, mainFrameId: string) {
    this.#mainFrameId = mainFrameId;
    this.#listenToNetwork(session);
    this.#listenToPage(session);
  }

  /** Later navigations count only when committed: a download keeps the current document. */
  get document(): DocumentResponse | undefined {
    return this.#shown?.response;
  }

  /** The network error (`net::ERR_…`) that interrupted the document. */
  get documentFailure(): string | undefined {
    return this.#hasCommitted && this.unreachableUrl === undefined ? this.#shown?.failure : undefined;
  }

  hasCommitted(loaderId: string): boolean {
    return this.#loaderId === loaderId;
  }

  responseOf(loaderId: string): DocumentResponse | undefined {
    return this.#navigationOf(loaderId)?.response;
  }

  isAt(loaderId: string): boolean {
    return this.#loaderId === undefined || this.#loaderId === loaderId;
  }

  get redirects(): readonly Redirect[] {
    return [...this.#passed, ...(this.#requested?.redirects ?? [])];
  }

  get redirectTarget(): string | undefined {
    if (this.#hasCommitted || !this.#requested || this.#requested.redirects.length === 0) return undefined;
    return this.lastDocumentUrl;
  }

  /** The last response, including ones that the browser drops; may arrive late. */
  get rawAnswer(): RawAnswer | undefined {
    return this.#hasCommitted ? undefined : this.#requested?.answer;
  }

  get documentBytes(): number {
    return this.#shown?.bytes ?? 0;
  }

  /** True if the network process lost a non-empty document. */
  get isBodyLost(): boolean {
    if (!this.#shown?.response || this.#shown.transferBytes === null || this.#shown.bytes > 0) return false;
    const { 'content-length': length, 'content-encoding': encoding } = this.#shown.response.headers;
    return Number(length ?? 0) > (encoding === undefined ? 0 : MAX_EMPTY_STREAM_BYTES);
  }

  get documentTransferBytes(): number | null {
    return this.#shown?.transferBytes ?? null;
  }

  onEvent(listener: () => void): void {
    this.#onEvent = listener;
  }

  /** Milliseconds since the document arrived or a request of these types ended. */
  quietMs(types: ReadonlySet<ResourceType>): number {
    let last = this.#documentAt;
    for (const type of types) last = Math.max(last, this.#endedAt.get(type) ?? 0);
    return performance.now() - last;
  }

  hasRequested(types: ReadonlySet<ResourceType>, since: number): boolean {
    return [...types].some((type) => (this.#requestedAt.get(type) ?? -1) >= since);
  }

  /** Counts running requests that began at `since` or later. */
  openSince(types: ReadonlySet<ResourceType>, since: number): number {
    return [...this.#open.values()].filter((request) => types.has(request.type) && request.since >= since).length;
  }

  /** Counts running requests without polls and those older than `patienceMs`. */
  openRequests(types: ReadonlySet<ResourceType>, patienceMs: number): number {
    const now = performance.now();
    let count = 0;
    for (const request of this.#open.values()) {
      if (!types.has(request.type) || now - request.since >= patienceMs || now >= request.until) continue;
      if (!this.#isPoll(request)) count += 1;
    }
    return count;
  }

  /** Addresses of requests that have had no answer for as long. */
  unanswered(types: ReadonlySet<ResourceType>, sinceMs: number): readonly string[] {
    const latest = performance.now() - sinceMs;
    return [...this.#open.values()].flatMap(({ type, since, url, isAnswered }) =>
      types.has(type) && !isAnswered && since <= latest ? [url] : [],
    );
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  /** Milliseconds until the document opens another address by a refresh that it states. */
  refreshMs(): number | undefined {
    if (this.#refresh === undefined) return undefined;
    const { url, at } = this.#refresh;
    const leftMs = at - performance.now();
    const isLoop = this.#passed.filter((step) => step.url === url).length >= MAX_LEFT;
    return isLoop || leftMs < -REFRESH_GRACE_MS ? undefined : Math.max(0, leftMs);
  }

  /** Counts the document as a redirect: its answer names another address. */
  passDocument(): void {
    if (this.#shown?.response) this.#passed.push(toRedirect(this.#shown.response));
  }

  isLeaving(): boolean {
    return (
      this.#navigationAnnounced !== undefined && performance.now() - this.#navigationAnnounced < NAVIGATION_GRACE_MS
    );
  }

  #listenToNetwork(session: DevtoolsSession): void {
    session.on('Network.requestWillBeSent', (event) => {
      if (this.#isMainDocument(event)) this.#noteDocumentRequest(event);
      const since = performance.now();
      // Only the worker's own session reports the end of its script.
      const until = event.loaderId === '' ? since + WORKER_START_MS : Infinity;
      const type = event.type ?? 'Other';
      this.#requestedAt.set(type, since);
      const { url } = event.request;
      this.#open.set(event.requestId, { type, key: keyOf(event), since, until, url, isAnswered: false });
    });
    session.on('Network.responseReceived', (event) => {
      this.#noteResponse(event.requestId, event.response);
      const request = this.#open.get(event.requestId);
      if (request) request.isAnswered = true;
      this.#onEvent();
    });
    session.on('Network.responseReceivedExtraInfo', (event) => {
      if (event.requestId !== this.#requested?.requestId) return;
      this.#requested.answer = { status: event.statusCode, location: withLowerNames(event.headers)['location'] };
    });
    session.on('Network.dataReceived', (event) => {
      const navigation = this.#navigationOf(event.requestId);
      if (navigation) navigation.bytes += event.dataLength;
    });
    session.on('Network.loadingFinished', (event) => {
      const navigation = this.#navigationOf(event.requestId);
      if (navigation) navigation.transferBytes = event.encodedDataLength;
      this.#close(event.requestId);
    });
    session.on('Network.webSocketCreated', ({ requestId }) => this.#sockets.add(requestId));
    session.on('Network.webSocketClosed', ({ requestId }) => this.#sockets.delete(requestId));
    session.on('Network.loadingFailed', (event) => {
      const isStopped = event.canceled === true || event.errorText === 'net::ERR_ABORTED';
      const navigation = isStopped ? undefined : this.#navigationOf(event.requestId);
      if (navigation) navigation.failure = event.errorText;
      if (event.requestId === this.#requested?.requestId) this.#forgetNavigation();
      this.#close(event.requestId);
    });
  }

  #isMainDocument({ type, frameId, requestId, loaderId }: Protocol.Network.RequestWillBeSentEvent): boolean {
    return type === 'Document' && frameId === this.#mainFrameId && requestId === loaderId;
  }

  #noteDocumentRequest(event: Protocol.Network.RequestWillBeSentEvent): void {
    const { requestId, request, redirectResponse } = event;
    this.lastDocumentUrl = request.url;
    if (this.#requested?.requestId !== requestId)
      this.#requested = {
        requestId,
        method: request.method,
        redirects: this.#refreshSteps(request.url),
        response: undefined,
        answer: undefined,
        failure: undefined,
        transferBytes: null,
        bytes: 0,
      };
    if (!redirectResponse || isRestart(event)) return;
    this.#requested.redirects.push({ url: redirectResponse.url, statusCode: redirectResponse.status });
    this.#onEvent();
  }

  /** Returns the document as a redirect if its refresh opens the address. */
  #refreshSteps(url: string): Redirect[] {
    const left = this.#shown?.response;
    return left !== undefined && this.#refresh?.url === url ? [toRedirect(left)] : [];
  }

  #noteRefresh({ delay, url: text }: Protocol.Page.FrameScheduledNavigationEvent): void {
    const url = URL.parse(text);
    if (!url || this.url === undefined || !isElsewhere(url, this.url)) return;
    url.hash = '';
    this.#refresh = { url: url.href, at: performance.now() + delay * 1000 };
    this.#onEvent();
  }

  #navigationOf(requestId: string): Navigation | undefined {
    return [this.#requested, this.#shown].find((navigation) => navigation?.requestId === requestId);
  }

  #noteResponse(requestId: string, response: Protocol.Network.Response): void {
    const navigation = this.#navigationOf(requestId);
    if (!navigation) return;
    navigation.response = toDocument(response);
    if (!this.#hasCommitted) this.#shown = navigation;
  }

  #commit({ loaderId, url, securityOrigin }: Protocol.Page.Frame): void {
    this.#loaderId = loaderId;
    const isRequested = this.#requested?.requestId === loaderId;
    if (this.#requested && isRequested) {
      this.#hasCommitted = true;
      this.#hasStayed = false;
      this.#shown = this.#requested;
      this.#passed.push(...this.#requested.redirects);
      this.#requested = undefined;
    }
    // A document without its own URL or response inherits that of its predecessor.
    const lender = isHttp(url) ? this.#shown?.response?.url : this.url;
    const hasBoth = isRequested && isHttp(url);
    this.isForeign = !hasBoth && lender !== undefined && URL.parse(lender)?.origin !== securityOrigin;
  }

  /** Before the first commit the result of `Page.navigate` reports the failure. */
  #forgetNavigation(): void {
    if (!this.#hasCommitted) return;
    if (this.#requested && isFile(this.#requested)) this.fileUrl = this.#requested.response?.url;
    this.#requested = undefined;
    this.#navigationAnnounced = undefined;
    this.#hasStayed = true;
  }

  #close(requestId: string): void {
    const request = this.#open.get(requestId);
    this.#open.delete(requestId);
    if (request && !this.#isPoll(request)) this.#endedAt.set(request.type, performance.now());
    if (request?.key !== undefined && this.#answers.size < MAX_KEYS)
      this.#answers.set(request.key, (this.#answers.get(request.key) ?? 0) + 1);
    this.#onEvent();
  }

  #isPoll({ key }: OpenRequest): boolean {
    return key !== undefined && (this.#answers.get(key) ?? 0) >= MAX_REPEATED;
  }

  #noteUrl(url: string): void {
    if (isHttp(url)) this.url = url;
  }

  /** Forgets requests of earlier documents, which may have no end event. */
  #forgetRequestsBefore(loaderId: string): void {
    for (const requestId of this.#open.keys()) {
      if (requestId !== loaderId) this.#open.delete(requestId);
    }
    this.#sockets.clear();
    this.#answers.clear();
  }

  #listenToPage(session: DevtoolsSession): void {
    session.on('Page.frameNavigated', ({ frame }) => {
      if (frame.parentId !== undefined) return;
      this.unreachableUrl = frame.unreachableUrl;
      this.#commit(frame);
      this.#forgetRequestsBefore(frame.loaderId);
      this.#noteUrl(frame.url + (frame.urlFragment ?? ''));
      this.hasDomContent = false;
      this.hasLoaded = false;
      this.fileUrl = undefined;
      this.#refresh = undefined;
      this.#navigationAnnounced = undefined;
      this.#documentAt = performance.now();
      this.#onEvent();
    });
    session.on('Page.frameRequestedNavigation', (event) => {
      if (event.frameId !== this.#mainFrameId || event.disposition !== 'currentTab') return;
      if (isHttp(event.url)) this.#navigationAnnounced = performance.now();
    });
    session.on('Page.frameScheduledNavigation', (event) => {
      if (event.frameId === this.#mainFrameId && event.reason.endsWith('Refresh')) this.#noteRefresh(event);
    });
    session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      if (frameId !== this.#mainFrameId) return;
      this.#navigationAnnounced = undefined;
      this.#noteUrl(url);
    });
    session.on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId !== this.#mainFrameId || !this.#hasStayed || this.#requested) return;
      this.hasDomContent = true;
      this.hasLoaded = true;
      this.#onEvent();
    });
    session.on('Page.domContentEventFired', () => {
      this.hasDomContent = true;
      this.#onEvent();
    });
    session.on('Page.loadEventFired', () => {
      this.hasLoaded = true;
      this.#onEvent();
    });
  }
}

function toRedirect({ url, status }: DocumentResponse): Redirect {
  return { url, statusCode: status };
}

/** Tests a navigation that showed nothing: its answer is a download that a plain request gets too. */
function isFile({ method, response }: Navigation): boolean {
  return method === 'GET' && response?.status === 200;
}

/** Scripts poll by the same request over and over. */
function keyOf({ type, request }: Protocol.Network.RequestWillBeSentEvent): string | undefined {
  if (type !== 'XHR' && type !== 'Fetch') return undefined;
  const { method, url, postData = '' } = request;
  // A long body is left out of the event.
  if (url.length + postData.length > MAX_KEY || (request.hasPostData === true && postData === '')) return undefined;
  return `${method} ${url.replaceAll(TIME_OR_NUMBER, '#')} ${postData}`;
}

function isHttp(url: string): boolean {
  return /^https?:/i.test(url);
}

/** A repeat with added headers (`Critical-CH`), which the browser reports as a redirect. */
function isRestart({
  request,
  redirectResponse,
  redirectHasExtraInfo,
}: Protocol.Network.RequestWillBeSentEvent): boolean {
  if (redirectHasExtraInfo) return false;
  return redirectResponse?.statusText === 'Internal Redirect' && redirectResponse.url === request.url;
}

function withLowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function toDocument(response: Protocol.Network.Response): DocumentResponse {
  return {
    url: response.url,
    status: response.status,
    mimeType: response.mimeType.toLowerCase(),
    protocol: response.protocol ?? null,
    headers: withLowerNames(response.headers),
  };
}
