import type { Redirect } from '../../../domain/capture/capture-ports.ts';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';
import type { ResourceType } from './readiness.ts';

/** Response of the page's document. */
export interface DocumentResponse {
  readonly url: string;
  readonly status: number;
  readonly mimeType: string;
  readonly protocol: string | null;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

interface NetworkResponse {
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly mimeType: string;
  readonly protocol?: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface RequestEvent {
  readonly requestId: string;
  readonly loaderId: string;
  readonly frameId?: string;
  readonly type: ResourceType;
  readonly request: { readonly url: string };
  readonly redirectResponse?: NetworkResponse;
  /** True if the redirect came from the network. */
  readonly redirectHasExtraInfo?: boolean;
}

interface CommittedFrame {
  readonly url: string;
  readonly urlFragment?: string;
  readonly parentId?: string;
  readonly loaderId: string;
  /** `://` for URLs without an origin, for example `about:blank`. */
  readonly securityOrigin: string;
  /** Set for the browser's error page. */
  readonly unreachableUrl?: string;
}

/** Response as reported by the network process. */
export interface RawAnswer {
  readonly status: number;
  readonly location: string | undefined;
}

/** A navigation of the main frame. */
interface Navigation {
  readonly requestId: string;
  readonly redirects: Redirect[];
  response: DocumentResponse | undefined;
  /** The last response, including ones that the browser does not treat as a response. */
  answer: RawAnswer | undefined;
  /** Network error that broke off the document. */
  failure: string | undefined;
  /** Bytes of the document, on the wire and decoded. */
  transferBytes: number | null;
  bytes: number;
}

interface OpenRequest {
  readonly type: ResourceType;
  readonly since: number;
  /** Time at which it counts as ended. */
  readonly until: number;
}

/** Time for an announced navigation to start, in milliseconds. */
const NAVIGATION_GRACE_MS = 3000;
/** Maximum bytes of an empty compressed stream, with a name in its header. */
const MAX_EMPTY_STREAM_BYTES = 100;
/** Time for a worker's script to load and start, in milliseconds. */
const WORKER_START_MS = 1000;

/** Tracks a page's document, requests and changes by protocol events. */
export class PageMonitor {
  /** URL of the address bar: with the fragment, and as rewritten by scripts. */
  url: string | undefined;
  /** Last requested document URL: the target of a failed navigation. */
  lastDocumentUrl: string | undefined;
  hasDomContent = false;
  hasLoaded = false;
  /** Set when a navigation ended in the browser's error page. */
  unreachableUrl: string | undefined;
  /**
   * True if the shown document lacks an address or response of its own and has another origin than the previous one.
   */
  isForeign = false;
  readonly #mainFrameId: string;
  readonly #open = new Map<string, OpenRequest>();
  /** The current navigation, until it commits a document. */
  #asked: Navigation | undefined;
  /** Navigation of the shown document; before the first one, the last answered. */
  #shown: Navigation | undefined;
  #hasCommitted = false;
  /** Loader of the last document, also without a request. */
  #loaderId: string | undefined;
  /** True if the page requested a navigation and stayed: the parser silently dropped the rest of the document. */
  #hasStayed = false;
  /** Redirects of all shown documents. */
  readonly #passed: Redirect[] = [];
  /** Last change by request type (performance.now). */
  #documentAt = performance.now();
  readonly #endedAt = new Map<ResourceType, number>();
  #navigationAnnounced: number | undefined;
  #onEvent: () => void = () => {};

  constructor(session: DevtoolsSession, mainFrameId: string) {
    this.#mainFrameId = mainFrameId;
    this.#listenToNetwork(session);
    this.#listenToPage(session);
  }

  /**
   * Response of the shown document; only the first navigation counts from its response on, since a download or an empty
   * response keeps the current document.
   */
  get document(): DocumentResponse | undefined {
    return this.#shown?.response;
  }

  /** The network error (`net::ERR_…`) that broke off the shown document. */
  get documentFailure(): string | undefined {
    return this.#hasCommitted && this.unreachableUrl === undefined ? this.#shown?.failure : undefined;
  }

  /** Tests whether {@link url} and {@link document} describe this loader's document. */
  isAt(loaderId: string): boolean {
    return this.#loaderId === undefined || this.#loaderId === loaderId;
  }

  /** Redirects to the document, including those of the current navigation. */
  get redirects(): readonly Redirect[] {
    return [...this.#passed, ...(this.#asked?.redirects ?? [])];
  }

  /** Redirect target of the first navigation. */
  get redirectTarget(): string | undefined {
    if (this.#hasCommitted || !this.#asked || this.#asked.redirects.length === 0) return undefined;
    return this.lastDocumentUrl;
  }

  /**
   * Last response to the first navigation, including ones that the browser drops. It may arrive slightly after other
   * events.
   */
  get rawAnswer(): RawAnswer | undefined {
    return this.#hasCommitted ? undefined : this.#asked?.answer;
  }

  get documentBytes(): number {
    return this.#shown?.bytes ?? 0;
  }

  /** True if a complete, non-empty document arrived without data: the network process lost it. */
  get isBodyLost(): boolean {
    if (!this.#shown?.response || this.#shown.transferBytes === null || this.#shown.bytes > 0) return false;
    const { 'content-length': length, 'content-encoding': encoding } = this.#shown.response.headers;
    return Number(length ?? 0) > (encoding === undefined ? 0 : MAX_EMPTY_STREAM_BYTES);
  }

  /** Bytes of the document on the wire; null while it loads. */
  get documentTransferBytes(): number | null {
    return this.#shown?.transferBytes ?? null;
  }

  /** Calls back after every event that may end a wait. */
  onEvent(listener: () => void): void {
    this.#onEvent = listener;
  }

  /** Milliseconds since the document arrived or a request of these types ended. */
  quietMs(types: ReadonlySet<ResourceType>): number {
    let last = this.#documentAt;
    for (const type of types) last = Math.max(last, this.#endedAt.get(type) ?? 0);
    return performance.now() - last;
  }

  /** Counts running requests of these types, without those older than `patienceMs`. */
  openRequests(types: ReadonlySet<ResourceType>, patienceMs: number): number {
    const now = performance.now();
    let count = 0;
    for (const request of this.#open.values()) {
      if (types.has(request.type) && now - request.since < patienceMs && now < request.until) count += 1;
    }
    return count;
  }

  /** True if the page announced a navigation that is not complete. */
  isLeaving(): boolean {
    return (
      this.#navigationAnnounced !== undefined && performance.now() - this.#navigationAnnounced < NAVIGATION_GRACE_MS
    );
  }

  #listenToNetwork(session: DevtoolsSession): void {
    session.on('Network.requestWillBeSent', (event: RequestEvent) => {
      if (this.#isMainDocument(event)) this.#noteDocumentRequest(event);
      const since = performance.now();
      // Worker scripts have no loader, and only the worker's session reports their end.
      const until = event.loaderId === '' ? since + WORKER_START_MS : Infinity;
      this.#open.set(event.requestId, { type: event.type, since, until });
    });
    session.on(
      'Network.responseReceived',
      (event: { requestId: string; loaderId: string; type: string; frameId?: string; response: NetworkResponse }) => {
        this.#noteResponse(event.requestId, event.response);
        this.#onEvent();
      },
    );
    session.on(
      'Network.responseReceivedExtraInfo',
      (event: { requestId: string; statusCode: number; headers: Readonly<Record<string, string>> }) => {
        if (event.requestId !== this.#asked?.requestId) return;
        this.#asked.answer = { status: event.statusCode, location: withLowerNames(event.headers)['location'] };
      },
    );
    session.on('Network.dataReceived', (event: { requestId: string; dataLength: number }) => {
      const navigation = this.#navigationOf(event.requestId);
      if (navigation) navigation.bytes += event.dataLength;
    });
    session.on('Network.loadingFinished', (event: { requestId: string; encodedDataLength: number }) => {
      const navigation = this.#navigationOf(event.requestId);
      if (navigation) navigation.transferBytes = event.encodedDataLength;
      this.#close(event.requestId);
    });
    session.on('Network.loadingFailed', (event: { requestId: string; errorText: string; canceled?: boolean }) => {
      // Cancelled requests are no failures.
      const isStopped = event.canceled === true || event.errorText === 'net::ERR_ABORTED';
      const navigation = isStopped ? undefined : this.#navigationOf(event.requestId);
      if (navigation) navigation.failure = event.errorText;
      if (event.requestId === this.#asked?.requestId) this.#forgetNavigation();
      this.#close(event.requestId);
    });
  }

  #isMainDocument({ type, frameId, requestId, loaderId }: RequestEvent): boolean {
    return type === 'Document' && frameId === this.#mainFrameId && requestId === loaderId;
  }

  #noteDocumentRequest(event: RequestEvent): void {
    const { requestId, request, redirectResponse } = event;
    this.lastDocumentUrl = request.url;
    if (this.#asked?.requestId !== requestId)
      this.#asked = {
        requestId,
        redirects: [],
        response: undefined,
        answer: undefined,
        failure: undefined,
        transferBytes: null,
        bytes: 0,
      };
    if (!redirectResponse || isRestart(event)) return;
    this.#asked.redirects.push({ url: redirectResponse.url, statusCode: redirectResponse.status });
    this.#onEvent();
  }

  #navigationOf(requestId: string): Navigation | undefined {
    return [this.#asked, this.#shown].find((navigation) => navigation?.requestId === requestId);
  }

  #noteResponse(requestId: string, response: NetworkResponse): void {
    const navigation = this.#navigationOf(requestId);
    if (!navigation) return;
    navigation.response = toDocument(response);
    if (!this.#hasCommitted) this.#shown = navigation;
  }

  /** Records a new document of the current navigation, or one without a request (`about:blank`). */
  #commit({ loaderId, url, securityOrigin }: CommittedFrame): void {
    this.#loaderId = loaderId;
    const isAsked = this.#asked?.requestId === loaderId;
    if (this.#asked && isAsked) {
      this.#hasCommitted = true;
      this.#hasStayed = false;
      this.#shown = this.#asked;
      this.#passed.push(...this.#asked.redirects);
      this.#asked = undefined;
    }
    // A document without its own address or response inherits them.
    const lender = isHttp(url) ? this.#shown?.response?.url : this.url;
    const hasBoth = isAsked && isHttp(url);
    this.isForeign = !hasBoth && lender !== undefined && URL.parse(lender)?.origin !== securityOrigin;
  }

  /**
   * Drops a navigation that kept the current document; before the first document the navigation's result reports it.
   */
  #forgetNavigation(): void {
    if (!this.#hasCommitted) return;
    this.#asked = undefined;
    this.#navigationAnnounced = undefined;
    this.#hasStayed = true;
  }

  #close(requestId: string): void {
    const request = this.#open.get(requestId);
    if (request) this.#endedAt.set(request.type, performance.now());
    this.#open.delete(requestId);
    this.#onEvent();
  }

  #noteUrl(url: string): void {
    if (isHttp(url)) this.url = url;
  }

  /** Requests of a left document may have no end event. */
  #forgetRequestsBefore(loaderId: string): void {
    for (const requestId of this.#open.keys()) {
      if (requestId !== loaderId) this.#open.delete(requestId);
    }
  }

  #listenToPage(session: DevtoolsSession): void {
    session.on('Page.frameNavigated', ({ frame }: { frame: CommittedFrame }) => {
      if (frame.parentId !== undefined) return;
      this.unreachableUrl = frame.unreachableUrl;
      this.#commit(frame);
      this.#forgetRequestsBefore(frame.loaderId);
      this.#noteUrl(frame.url + (frame.urlFragment ?? ''));
      this.hasDomContent = false;
      this.hasLoaded = false;
      this.#navigationAnnounced = undefined;
      this.#documentAt = performance.now();
      this.#onEvent();
    });
    session.on('Page.frameRequestedNavigation', (event: { frameId: string; url: string; disposition: string }) => {
      if (event.frameId !== this.#mainFrameId || event.disposition !== 'currentTab') return;
      if (isHttp(event.url)) this.#navigationAnnounced = performance.now();
    });
    session.on('Page.navigatedWithinDocument', ({ frameId, url }: { frameId: string; url: string }) => {
      if (frameId !== this.#mainFrameId) return;
      this.#navigationAnnounced = undefined;
      this.#noteUrl(url);
    });
    session.on('Page.frameStoppedLoading', ({ frameId }: { frameId: string }) => {
      if (frameId !== this.#mainFrameId || !this.#hasStayed || this.#asked) return;
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

function isHttp(url: string): boolean {
  return /^https?:/i.test(url);
}

/** Tests for a repeated request with added headers (`Critical-CH`), which the browser reports as a redirect. */
function isRestart({ request, redirectResponse, redirectHasExtraInfo }: RequestEvent): boolean {
  if (redirectHasExtraInfo === true) return false;
  return redirectResponse?.statusText === 'Internal Redirect' && redirectResponse.url === request.url;
}

function withLowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function toDocument(response: NetworkResponse): DocumentResponse {
  return {
    url: response.url,
    status: response.status,
    mimeType: response.mimeType.toLowerCase(),
    protocol: response.protocol ?? null,
    headers: withLowerNames(response.headers),
  };
}
