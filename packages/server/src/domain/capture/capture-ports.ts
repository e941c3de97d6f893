import type { CaptureOptions } from '../request-options/capture-options.ts';
import type { EngineName, EnginePreference, ErrorCode } from '@winnow/contract';
import type { StageBudget } from '../shared/ports.ts';

/**
 * Exceptions from the address policy. A rule is an address, CIDR range or host name (`*.example.com` for subdomains)
 * with an optional `:port`. Denial wins.
 */
export interface EgressRules {
  /** Permitted despite the policy. */
  readonly allow: readonly string[];
  /** Refused despite the policy. */
  readonly deny: readonly string[];
}

/** Egress rules of a project, added to the deployment's. */
export interface ProjectEgress extends EgressRules {
  /** Upstream proxy by name, or `direct`. Default: the deployment's. */
  readonly proxy?: string | undefined;
}

export interface CaptureRequest {
  /** Absolute http or https URL without credentials, checked. */
  readonly url: URL;
  /** Time limit in milliseconds, including the wait for a browser. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly egress?: ProjectEgress;
  readonly projectId?: string;
  /** What the request asks for beyond the page. */
  readonly options?: CaptureOptions;
}

export interface Redirect {
  readonly url: string;
  readonly statusCode: number;
}

/** A request that the egress policy refused. */
export interface BlockedRequest {
  readonly url: string;
  readonly reason: string;
}

/** One engine's attempt. */
export interface EngineAttempt {
  readonly engine: EngineName;
  readonly outcome: 'captured' | 'rejected' | 'failed';
  /** Why the attempt failed or escalated. */
  readonly reason: string | null;
  readonly errorCode: ErrorCode | null;
  readonly elapsedMs: number;
}

export interface Capture {
  readonly engine: EngineName;
  readonly finalUrl: string;
  readonly statusCode: number;
  readonly fetchedAt: Date;
  /** Decoded body (`http`) or serialised DOM (Chromium). */
  readonly html: string;
  readonly contentType: string | null;
  /** Canonical name; null if the browser decoded. */
  readonly charset: string | null;
  /** Content-Language response header. */
  readonly contentLanguage: string | null;
  /** Refresh response header, from engines that do not follow it. */
  readonly refresh?: string;
  readonly redirects: readonly Redirect[];
  /** For example `http/1.1` or `h2`; null if unknown. */
  readonly protocol: string | null;
  /** Document bytes, encoded and decoded; null if unknown. */
  readonly transferBytes: number | null;
  readonly bodyBytes: number | null;
  /** Milliseconds by phase, for example queue, connect, response, ready. */
  readonly timings: Readonly<Record<string, number>>;
  readonly blockedRequests: readonly BlockedRequest[];
  /** True if the deadline preceded the readiness. */
  readonly partial: boolean;
  readonly attempts: readonly EngineAttempt[];
}

/**
 * Captures pages. Throws AppError with the codes of stage `fetch`, {@link CaptureError} for statuses other than 2xx.
 */
export interface Engine {
  capture(request: CaptureRequest): Promise<Capture>;
}

/** All engines, chosen by preference. */
export interface Fetcher {
  capture(preference: EnginePreference, request: CaptureRequest): Promise<Capture>;
}

/** Decides for `auto` whether a stronger engine might do better. */
export interface CaptureJudge {
  /**
   * Accepts pages that cannot be judged in time; rejects on an abort.
   * @param projectId for site templates; default: none
   */
  judge(capture: Capture, budget: StageBudget, projectId?: string): Promise<CaptureVerdict>;
}

export interface CaptureVerdict {
  readonly sufficient: boolean;
  /** For trace and debug. */
  readonly reason: string;
}

/** Remembers the engine that last worked for a host. */
export interface HostMemory {
  recall(host: string): Promise<EngineName | undefined>;
  remember(host: string, engine: EngineName): Promise<void>;
  /** Returns true for one caller per interval, which then retries plain HTTP. */
  claimProbation(host: string): Promise<boolean>;
}

export interface HtmlFilter {
  removeScriptsAndStyles(html: string, budget: StageBudget): Promise<string>;
}

export interface UrlPolicy {
  /** Throws AppError `url_not_allowed` for a refused scheme, credentials, host or port. */
  checkUrl(url: URL, project?: ProjectEgress): void;
}
