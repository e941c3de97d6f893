import type { ElementChoice } from '@winnow/extract/matching';
import type { ConsentDetails, EngineName, EnginePreference, ErrorCode, ScrollDetails } from '@winnow/contract';
import type { CaptureCookie, CaptureOptions } from '../request-options/page-options.ts';
import type { CapturedAttachments } from '../storage/attachments.ts';
import type { StageBudget } from '../shared/ports.ts';

/**
 * Exceptions to the address policy: addresses, CIDR ranges or host names (`*.example.com`) with an optional `:port`.
 * Denial wins.
 */
export interface EgressRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Added to the deployment's rules. */
export interface ProjectEgress extends EgressRules {
  /** By name, or `direct`. Default: the deployment's. */
  readonly proxy?: string | undefined;
}

export interface CaptureRequest {
  /** Valid and without credentials. */
  readonly url: URL;
  /** Includes the wait for a browser. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly egress?: ProjectEgress;
  readonly options?: CaptureOptions;
  /** For `auto`. Default: captures are judged by their HTML alone. */
  readonly judge?: CaptureJudge | undefined;
  /** Longest wait for an unrendered app shell that requests nothing. Default: until the deadline. */
  readonly shellIdleMs?: number;
}

export interface Redirect {
  readonly url: string;
  readonly statusCode: number;
}

export interface BlockedRequest {
  readonly url: string;
  readonly reason: string;
}

export interface EngineAttempt {
  readonly engine: EngineName;
  readonly outcome: 'captured' | 'rejected' | 'failed';
  readonly reason: string | null;
  readonly errorCode: ErrorCode | null;
  readonly elapsedMs: number;
}

export interface Capture extends CapturedAttachments {
  readonly engine: EngineName;
  readonly finalUrl: string;
  readonly statusCode: number;
  readonly fetchedAt: Date;
  /** Decoded body or serialised DOM. */
  readonly html: string;
  readonly contentType: string | null;
  /** Null if the browser decoded. */
  readonly charset: string | null;
  readonly contentLanguage: string | null;
  /** The header, from engines that do not follow it. */
  readonly refresh?: string;
  readonly redirects: readonly Redirect[];
  /** For example `h2`; null if unknown. */
  readonly protocol: string | null;
  /** Null if unknown. */
  readonly transferBytes: number | null;
  readonly bodyBytes: number | null;
  /** Milliseconds by phase. */
  readonly timings: Readonly<Record<string, number>>;
  readonly blockedRequests: readonly BlockedRequest[];
  /** It broke off, or was taken at the deadline, before the page was ready. */
  readonly partial: boolean;
  readonly attempts: readonly EngineAttempt[];
  /** A file that the page opened in its own place, for plain HTTP; with the cookies that the browser holds for it. */
  readonly file?: { readonly url: URL; readonly cookies: readonly CaptureCookie[] };
  /** Set if the browser scrolled. */
  readonly scroll?: ScrollDetails;
  /** Set if the browser looked for dialogs that ask for consent. */
  readonly consent?: ConsentDetails;
  /** Set if `html` was converted from a document. */
  readonly document?: DocumentFormat;
}

/** Throws AppError of stage `fetch`, {@link CaptureError} for statuses other than 2xx. */
export interface Engine {
  capture(request: CaptureRequest): Promise<Capture>;
}

export interface Fetcher {
  capture(preference: EnginePreference, request: CaptureRequest): Promise<Capture>;
}

/** Decides for `auto` whether a stronger engine is tried. Accepts pages that cannot be judged in time. */
export type CaptureJudge = (capture: Capture, budget: StageBudget) => Promise<CaptureVerdict>;

export interface CaptureVerdict {
  readonly sufficient: boolean;
  readonly reason: string;
  /** Only an engine that scrolls finds more. */
  readonly needsScroll?: true;
  /** An unrendered app shell by strong evidence, or by evidence that holds beside more text. */
  readonly shell?: 'likely' | 'sure';
}

/** Which engine pages needed; a key is a host with the shape of the address, and why. */
export interface HostMemory {
  recall(host: string): Promise<EngineName | undefined>;
  remember(host: string, engine: EngineName): Promise<void>;
  /** True for one caller per interval. */
  claimProbation(host: string): Promise<boolean>;
}

export interface HtmlFilter {
  removeScriptsAndStyles(html: string, budget: StageBudget): Promise<string>;
  /**
   * Keeps and removes elements.
   * @throws {AppError} `invalid_request` for selectors that are too expensive on the page
   */
  pickElements(html: string, choice: ElementChoice, budget: StageBudget): Promise<string>;
}

export interface UrlPolicy {
  /** Throws AppError `url_not_allowed`. */
  checkUrl(url: URL, project?: ProjectEgress): void;
}

/** Formats other than HTML. */
export type DocumentFormat = 'pdf' | 'markdown' | 'text' | 'json' | 'xml';

export interface DocumentSource {
  readonly format: DocumentFormat;
  /** Bytes of a PDF, decoded text of other formats. */
  readonly content: Uint8Array | string;
  /** Default title. */
  readonly fileName: string;
}

export interface ConvertedDocument {
  readonly html: string;
  /** Some of its text could not be read. */
  readonly partial?: boolean;
}

export interface DocumentConverter {
  /**
   * Converts the document to HTML.
   * @throws {AppError} `unsupported_content` for broken, encrypted or scanned files, `response_too_large`,
   *   `fetch_timeout`, `overloaded`
   */
  convert(source: DocumentSource, budget: StageBudget): Promise<ConvertedDocument>;
}

/** Attribute of the root element with the document's format. */
export const DOCUMENT_ATTRIBUTE = 'data-winnow-document';

const DOCUMENT_START = `<!doctype html>\n<html ${DOCUMENT_ATTRIBUTE}="`;

/** Tests for a converted document. Templates exclude it, since it resembles no other page of its site. */
export function isDocumentPage(html: string): boolean {
  return html.startsWith(DOCUMENT_START);
}

/** Between attempts with plain HTTP at hosts that needed a browser. */
export const PROBATION_INTERVAL_MS: number = 60 * 60 * 1000;
