/** What a capture needs: engines, their judge and memory, and which targets may be reached. */
import type { EngineName, EnginePreference, ErrorCode } from '@winnow/contract';
import type { StageBudget } from '../shared/ports.ts';

/**
 * What may be reached beyond the built-in address policy. Each rule is an address, a CIDR range or a
 * host name (`*.example.com` for every name below it), with an optional `:port`. Denial wins.
 */
export interface EgressRules {
  /** Targets that are reached although the built-in policy refuses their address or port. */
  readonly allow: readonly string[];
  /** Targets that are refused although the built-in policy would let them pass. */
  readonly deny: readonly string[];
}

/** How a project leaves: its rules on top of those of the deployment. */
export interface ProjectEgress extends EgressRules {
  /** Name of the upstream proxy that it leaves through, `direct` for none. Default: the deployment's. */
  readonly proxy?: string | undefined;
}

export interface CaptureRequest {
  /** An absolute http or https URL without credentials, its address literal already checked. */
  readonly url: URL;
  /** Milliseconds that the capture may take, waiting for a browser included. */
  readonly timeoutMs: number;
  /** Aborted when the caller hangs up or the service stops: the capture ends at once. */
  readonly signal: AbortSignal;
  /** How the caller's project leaves. */
  readonly egress?: ProjectEgress;
  /** The caller's project. */
  readonly projectId?: string;
}

/** One redirect that was followed. */
export interface Redirect {
  readonly url: string;
  readonly statusCode: number;
}

/** A request that the egress policy refused while the page was captured. */
export interface BlockedRequest {
  readonly url: string;
  readonly reason: string;
}

/** One engine's try within a capture; `auto` makes several. */
export interface EngineAttempt {
  readonly engine: EngineName;
  readonly outcome: 'captured' | 'rejected' | 'failed';
  /** Why the next engine was tried, or why this one failed; readable. */
  readonly reason: string | null;
  readonly errorCode: ErrorCode | null;
  readonly elapsedMs: number;
}

/** A captured page. */
export interface Capture {
  readonly engine: EngineName;
  readonly finalUrl: string;
  readonly statusCode: number;
  readonly fetchedAt: Date;
  /** The document as text: the decoded body (`http`) or the serialised DOM (Chromium). */
  readonly html: string;
  readonly contentType: string | null;
  /** Canonical name of the encoding that the body was decoded with; null where the browser decoded it. */
  readonly charset: string | null;
  /** Value of the Content-Language response header. */
  readonly contentLanguage: string | null;
  /** Value of the Refresh response header, from engines that do not follow it. */
  readonly refresh?: string;
  readonly redirects: readonly Redirect[];
  /** Protocol of the document's response, such as `http/1.1` or `h2`; null where unknown. */
  readonly protocol: string | null;
  /** Bytes of the document on the wire and after decoding; null where unknown. */
  readonly transferBytes: number | null;
  readonly bodyBytes: number | null;
  /** Milliseconds by phase: queue, connect, response, ready, serialise … as the engine knows them. */
  readonly timings: Readonly<Record<string, number>>;
  readonly blockedRequests: readonly BlockedRequest[];
  /** True when the deadline came before the engine's readiness: what was there was captured. */
  readonly partial: boolean;
  readonly attempts: readonly EngineAttempt[];
}

/**
 * Captures pages in one way. Throws AppError with the codes of stage `fetch`; a status that is not
 * 2xx is an error that carries the capture, see {@link CaptureError}.
 */
export interface Engine {
  capture(request: CaptureRequest): Promise<Capture>;
}

/** All engines behind one door: picks by preference, `auto` included. */
export interface Fetcher {
  capture(preference: EnginePreference, request: CaptureRequest): Promise<Capture>;
}

/** What `auto` asks of a finished capture; the answer says whether a stronger engine may do better. */
export interface CaptureJudge {
  /**
   * A page that cannot be judged within the budget's time is sufficient; rejects when the signal is aborted.
   * @param projectId whose templates may tell; default: none
   */
  judge(capture: Capture, budget: StageBudget, projectId?: string): Promise<CaptureVerdict>;
}

export interface CaptureVerdict {
  readonly sufficient: boolean;
  /** Readable, for trace and debug: what was seen. */
  readonly reason: string;
}

/** What `auto` remembers of a host: the engine that last worked, to be tried first. */
export interface HostMemory {
  recall(host: string): Promise<EngineName | undefined>;
  remember(host: string, engine: EngineName): Promise<void>;
  /**
   * Whether plain HTTP is to be tried again at a host that is remembered for a browser: true for one caller an
   * interval, whatever comes of the try.
   */
  claimProbation(host: string): Promise<boolean>;
}

/** Work on HTML that must not block the event loop. */
export interface HtmlFilter {
  /** The document without script and style elements and what only serves them. */
  removeScriptsAndStyles(html: string, budget: StageBudget): Promise<string>;
}

/** Judges a URL by what is written in it. */
export interface UrlPolicy {
  /**
   * Throws AppError `url_not_allowed`: scheme, credentials, a refused address literal, name or port.
   * @param project whose rules come on top of the deployment's
   */
  checkUrl(url: URL, project?: ProjectEgress): void;
}
