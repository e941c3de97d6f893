/**
 * The small interfaces through which the use cases reach the world. Adapters implement them
 * (`engines/`, `snapshots/`, `store/`, `workers/`); the composition root wires them; nothing here
 * knows HTTP, SQL or a browser.
 */
import type { EngineName, EnginePreference, ErrorCode, Format } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';

/* ------------------------------------------------------------------ fetch */

export interface CaptureRequest {
  /** An absolute http or https URL without credentials, its address literal already checked. */
  readonly url: URL;
  /** Milliseconds that the capture may take, waiting for a browser included. */
  readonly timeoutMs: number;
  /** Aborted when the caller hangs up or the service stops: the capture ends at once. */
  readonly signal: AbortSignal;
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
  judge(capture: Capture): Promise<CaptureVerdict>;
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
}

/* --------------------------------------------------------------- snapshot */

/** Where the bytes of snapshots lie, by content address. */
export interface SnapshotContent {
  /** Stores the text durably and returns its address; the same text has the same address. */
  put(html: string): Promise<StoredContent>;
  /** The text at an address; undefined when nothing lies there. Throws when the bytes do not fit the address. */
  get(hash: string): Promise<string | undefined>;
  delete(hash: string): Promise<void>;
}

export interface StoredContent {
  /** SHA-256 of the UTF-8 text, lower-case hex. */
  readonly hash: string;
  /** Bytes of the UTF-8 text. */
  readonly bytes: number;
  /** Bytes as stored (compressed). */
  readonly storedBytes: number;
}

/** A stored snapshot without its text. */
export interface SnapshotRow {
  readonly domId: string;
  readonly projectId: string;
  readonly hash: string;
  readonly bytes: number;
  readonly storedBytes: number;
  /** URL as the caller gave it. */
  readonly url: string;
  readonly finalUrl: string;
  readonly statusCode: number;
  readonly engine: EngineName;
  readonly fetchedAt: Date;
  readonly contentType: string | null;
  readonly contentLanguage: string | null;
  /** Script and style elements were removed before storing. */
  readonly filtered: boolean;
}

/** Rows of snapshots. Every read names the project: a foreign `dom_id` is as if absent. */
export interface SnapshotRepository {
  insert(row: SnapshotRow): Promise<void>;
  find(projectId: string, domId: string): Promise<SnapshotRow | undefined>;
}

/* ------------------------------------------------------------------- keys */

/** A project-scoped key (Variant A) demands `X-Project-Id`; a key-only key (Variant B) ignores it. */
export type KeyKind = 'project' | 'key_only';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly archivedAt: Date | null;
}

export interface ApiKey {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** The visible start of the key, such as `wk_3fGh2K`. */
  readonly prefix: string;
  /** Requests a minute; null: the deployment's default. */
  readonly quotaPerMinute: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** Keys are stored as the SHA-256 of their text (lower-case hex); the text itself is shown once, at creation. */
export interface KeyRepository {
  insert(key: ApiKey, hash: string): Promise<void>;
  findByHash(hash: string): Promise<ApiKey | undefined>;
  list(projectId?: string): Promise<ApiKey[]>;
  /** False when there is no such key; revoking twice keeps the first time. */
  revoke(id: string, at: Date): Promise<boolean>;
  recordUse(id: string, at: Date): Promise<void>;
}

export interface ProjectRepository {
  insert(project: Project): Promise<void>;
  find(id: string): Promise<Project | undefined>;
  list(): Promise<Project[]>;
}

/* ---------------------------------------------------------------- extract */

/** Runs `packages/extract` in worker threads. */
export interface Extractor {
  /**
   * Throws AppError `extract_timeout` when the budget ran out (the thread is ended) and `internal`
   * when the thread died.
   */
  extract(
    input: ExtractInput,
    budget: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<Extraction>;
}

export interface ExtractInput {
  readonly html: string;
  readonly url: string;
  readonly contentLanguage: string | null;
  readonly formats: readonly Format[];
}
