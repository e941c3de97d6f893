import type { Redirect } from '../../../domain/capture/capture-ports.ts';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';
import type { ResourceType } from './readiness.ts';

/** The response of the page's own document, as the protocol gives it. */
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
  /** Whether the redirect was on the wire, as far as that is known. */
  readonly redirectHasExtraInfo?: boolean;
}

interface CommittedFrame {
  readonly url: string;
  readonly urlFragment?: string;
  readonly parentId?: string;
  readonly loaderId: string;
  /** The origin of the URL; `://` where that has none, as `about:blank`. */
  readonly securityOrigin: string;
  /** Set when the browser shows its error page. */
  readonly unreachableUrl?: string;
}

/** What a target answered, as the network process has it from the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly location: string | undefined;
}

/** A navigation of the page's main frame. */
interface Navigation {
  readonly requestId: string;
  readonly redirects: Redirect[];
  response: DocumentResponse | undefined;
  /** What came last, and maybe is no response to the browser. */
  answer: RawAnswer | undefined;
  /** The error by which the connection ended before the document did. */
  failure: string | undefined;
  /** Bytes of the document, on the wire and decoded. */
  transferBytes: number | null;
  bytes: number;
}

interface OpenRequest {
  readonly type: ResourceType;
  readonly since: number;
  /** When it counts as ended, whatever is heard of it. */
  readonly until: number;
}

/** A page that announces a navigation of its own is given this long to begin it. */
const NAVIGATION_GRACE_MS = 3000;
/** Bytes that a stream which holds nothing may have when it is compressed, with a name in its head. */
const MAX_EMPTY_STREAM_BYTES = 100;
/** Time in which a worker's script is fetched and gets going. */
const WORKER_START_MS = 1000;

/** Follows one page through the protocol's events: its document, its requests, its changes. */
export class PageMonitor {
  /** What the address bar would show: with the fragment, and as scripts rewrote it. */
  url: string | undefined;
  /** URL that was asked for last for the document: the target of a failed navigation. */
  lastDocumentUrl: string | undefined;
  hasDomContent = false;
  hasLoaded = false;
  /** Set when a navigation of the page's own ended in the browser's error page. */
  unreachableUrl: string | undefined;
  /** Set when the document that is shown has no address or no response, and is not of the origin of the one that had. */
  isForeign = false;
  readonly #mainFrameId: string;
  readonly #open = new Map<string, OpenRequest>();
  /** Begun last, and not yet ended otherwise than in a document. */
  #asked: Navigation | undefined;
  /** Whose document the browser shows; before there is any, the one that was answered last. */
  #shown: Navigation | undefined;
  #hasCommitted = false;
  /** The loader of the document that came last, with or without a request. */
  #loaderId: string | undefined;
  /** Whether the page asked for something else and stayed: what was still to be parsed of it is lost, without an event. */
  #hasStayed = false;
  /** Redirects on the way to all documents that were shown. */
  readonly #passed: Redirect[] = [];
  /** When a document came, or a request of a type ended (performance.now). */
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
   * The response whose document is shown. A page that asks for a download, or for an answer without content, stays
   * where it is; only the first navigation counts from its response on.
   */
  get document(): DocumentResponse | undefined {
    return this.#shown?.response;
  }

  /** The network error (`net::ERR_…`) that broke the document off that is shown. */
  get documentFailure(): string | undefined {
    return this.#hasCommitted && this.unreachableUrl === undefined ? this.#shown?.failure : undefined;
  }

  /** Whether {@link url} and {@link document} tell of the document of this loader; before one has come, they tell of none yet. */
  isAt(loaderId: string): boolean {
    return this.#loaderId === undefined || this.#loaderId === loaderId;
  }

  /** Redirects on the way to the document, those of a navigation under way included. */
  get redirects(): readonly Redirect[] {
    return [...this.#passed, ...(this.#asked?.redirects ?? [])];
  }

  /** Where the navigation under way was redirected to, before any document has come. */
  get redirectTarget(): string | undefined {
    if (this.#hasCommitted || !this.#asked || this.#asked.redirects.length === 0) return undefined;
    return this.lastDocumentUrl;
  }

  /**
   * What was answered last to the navigation under way, before any document has come: also what the browser takes for no
   * response. Told on another way than the other events, and maybe a little after them.
   */
  get rawAnswer(): RawAnswer | undefined {
    return this.#hasCommitted ? undefined : this.#asked?.answer;
  }

  /** Bytes of the document, decoded. */
  get documentBytes(): number {
    return this.#shown?.bytes ?? 0;
  }

  /**
   * Whether nothing came of a document that is told to be complete and to have a length: its way from the network process
   * was lost.
   */
  get isBodyLost(): boolean {
    if (!this.#shown?.response || this.#shown.transferBytes === null || this.#shown.bytes > 0) return false;
    const { 'content-length': length, 'content-encoding': encoding } = this.#shown.response.headers;
    return Number(length ?? 0) > (encoding === undefined ? 0 : MAX_EMPTY_STREAM_BYTES);
  }

  /** Bytes of the document on the wire; null while it is loading. */
  get documentTransferBytes(): number | null {
    return this.#shown?.transferBytes ?? null;
  }

  /** Calls back at every event that may change what a caller waits for. */
  onEvent(listener: () => void): void {
    this.#onEvent = listener;
  }

  /** Milliseconds since the document came or a request of the given types ended. */
  quietMs(types: ReadonlySet<ResourceType>): number {
    let last = this.#documentAt;
    for (const type of types) last = Math.max(last, this.#endedAt.get(type) ?? 0);
    return performance.now() - last;
  }

  /** Requests of the given types that are under way, those apart that hang longer than `patienceMs`. */
  openRequests(types: ReadonlySet<ResourceType>, patienceMs: number): number {
    const now = performance.now();
    let count = 0;
    for (const request of this.#open.values()) {
      if (types.has(request.type) && now - request.since < patienceMs && now < request.until) count += 1;
    }
    return count;
  }

  /** Whether the page has announced that it goes elsewhere and has not got there yet. */
  isLeaving(): boolean {
    return (
      this.#navigationAnnounced !== undefined && performance.now() - this.#navigationAnnounced < NAVIGATION_GRACE_MS
    );
  }

  #listenToNetwork(session: DevtoolsSession): void {
    session.on('Network.requestWillBeSent', (event: RequestEvent) => {
      if (this.#isMainDocument(event)) this.#noteDocumentRequest(event);
      const since = performance.now();
      // Scripts of workers have no loader, and their end is told to the worker's own session, not here.
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
      // What the page or the capture stops itself has not failed.
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

  /** A document has come: that of the navigation under way, unless it is one without a request (`about:blank`). */
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
    // Whose address, or whose response, is told of a document that does not have both itself.
    const lender = isHttp(url) ? this.#shown?.response?.url : this.url;
    const hasBoth = isAsked && isHttp(url);
    this.isForeign = !hasBoth && lender !== undefined && URL.parse(lender)?.origin !== securityOrigin;
  }

  /** The page stays where it is; before it is anywhere, whoever asked for it is told by the answer to the navigation. */
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

  /** Requests of a document that was left are not always reported as ended. */
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

/**
 * Whether the browser asks the same again by itself, with more headers, as the answer wants them (`Critical-CH`): it tells
 * of that as of a redirect, which no server has sent.
 */
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
