/**
 * The small interfaces through which the use cases reach the world. Adapters implement them
 * (`engines/`, `snapshots/`, `store/`, `workers/`); the composition root wires them; nothing here
 * knows HTTP, SQL or a browser.
 */
import type { EngineName, EnginePreference, ErrorCode, Favor, Format, HiddenText } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';

/** Where adapters report what a request's answer does not show. pino's loggers fit it. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/* ------------------------------------------------------------------ fetch */

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

/* --------------------------------------------------------------- snapshot */

/** Where the bytes of snapshots lie, by content address. */
export interface SnapshotContent {
  /** Stores the text durably and returns its address; the same text has the same address. */
  put(html: string): Promise<StoredContent>;
  /** The text at an address; undefined when nothing lies there. Throws when the bytes do not fit the address. */
  get(hash: string): Promise<string | undefined>;
  /**
   * Removes the content unless it was put again since `putBefore`: who just put it may be about to write
   * its row. Without the time it goes in any case. Nothing at the address is no error.
   */
  delete(hash: string, putBefore?: Date): Promise<void>;
  /** Addresses of all content that was last put before the time, in batches; the order means nothing. */
  listPutBefore(time: Date): AsyncIterable<readonly string[]>;
  /** Rejects when content cannot be stored now (folder gone, not writable, disk full). */
  check(): Promise<void>;
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
  /** For lists; null when the page states none, and for snapshots of earlier versions. */
  readonly title: string | null;
}

/** Rows of snapshots. Every read names the project: a foreign `dom_id` is as if absent. */
export interface SnapshotRepository {
  insert(row: SnapshotRow): Promise<void>;
  find(projectId: string, domId: string): Promise<SnapshotRow | undefined>;
  /** The newest first. */
  list(projectId: string, filter?: SnapshotFilter, page?: PageRequest): Promise<Page<SnapshotRow>>;
  /** False when the project has no such snapshot. The content goes with the next sweep. */
  delete(projectId: string, domId: string): Promise<boolean>;
  /** Removes up to `limit` rows, the oldest first: of one project or of all, and those fetched before a time or all. */
  removeOldest(
    limit: number,
    among?: { readonly fetchedBefore?: Date; readonly projectId?: string },
  ): Promise<RemovedSnapshot[]>;
  /** The project whose snapshots take the most bytes; undefined when nothing is stored. */
  findLargestProject(): Promise<string | undefined>;
  /** Which of the addresses no row refers to. */
  findUnreferenced(hashes: readonly string[]): Promise<string[]>;
  /** Bytes as stored of all snapshots together, with their rows; content that several rows share counts once. */
  totalStoredBytes(): Promise<number>;
}

export interface RemovedSnapshot {
  readonly domId: string;
  readonly hash: string;
  readonly storedBytes: number;
  /** Bytes that the row itself took. */
  readonly rowBytes: number;
}

/** Every field narrows; none: everything. */
export interface SnapshotFilter {
  /** Part of the URL as given or of the final URL; letter case does not count. */
  readonly urlContains?: string;
  /** Host of the final URL. */
  readonly host?: string;
  readonly engine?: EngineName;
  readonly statusCode?: number;
  readonly fetchedFrom?: Date;
  /** Exclusive. */
  readonly fetchedTo?: Date;
}

export interface PageRequest {
  /** 1 to 200; default 50. */
  readonly limit?: number;
  /** `nextCursor` of the page before; AppError `invalid_request` when it is none. */
  readonly cursor?: string;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
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

/** A key as stored, for who checks one. */
export interface StoredApiKey extends ApiKey {
  readonly hash: string;
  /** Since when the key's project is archived. */
  readonly projectArchivedAt: Date | null;
}

/** Keys are stored as the SHA-256 of their text (lower-case hex); the text itself is shown once, at creation. */
export interface KeyRepository {
  insert(key: ApiKey, hash: string): Promise<void>;
  /** The key with its stored hash, so that the caller can compare the two in constant time, and its project's state. */
  findByHash(hash: string): Promise<StoredApiKey | undefined>;
  list(projectId?: string): Promise<ApiKey[]>;
  /** False when there is no such key; revoking twice keeps the first time. */
  revoke(id: string, at: Date): Promise<boolean>;
  /** May be written a few seconds later, together with other uses; it is not on the way of a request. */
  recordUse(id: string, at: Date): Promise<void>;
}

export type ProjectChanges = Partial<Pick<Project, 'name' | 'archivedAt'>>;

export interface ProjectRepository {
  insert(project: Project): Promise<void>;
  find(id: string): Promise<Project | undefined>;
  list(): Promise<Project[]>;
  /** False when there is no such project; archiving twice keeps the first time. */
  archive(id: string, at: Date): Promise<boolean>;
  /** Writes what is given and nothing else; false when there is no such project. */
  update(id: string, changes: ProjectChanges): Promise<boolean>;
}

/* --------------------------------------------------------------- settings */

/** Small facts about the deployment, by name. */
export interface SettingRepository {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /** True for the first caller with this name, ever and over all processes: for what is to happen once. */
  claim(name: string): Promise<boolean>;
}

/* ---------------------------------------------------------------- extract */

/** Runs `packages/extract` in worker threads. */
export interface Extractor {
  /**
   * Throws AppError `extract_timeout` when the budget ran out (the thread is ended) and `internal`
   * when the thread died.
   */
  extract(input: ExtractInput, budget: StageBudget): Promise<Extraction>;
}

export interface ExtractInput {
  readonly html: string;
  readonly url: string;
  readonly contentLanguage: string | null;
  readonly formats: readonly Format[];
  /** Default: `balanced`. */
  readonly favor?: Favor | undefined;
  /** Default: `drop`. */
  readonly hiddenText?: HiddenText | undefined;
}

/** Work on HTML that must not block the event loop. */
export interface HtmlFilter {
  /** The document without script and style elements and what only serves them. */
  removeScriptsAndStyles(html: string, budget: StageBudget): Promise<string>;
}

/** What is left of a stage's time, and the signal that ends it early. */
export interface StageBudget {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/* -------------------------------------------------------------- templates */

/** A stored page in the eyes of the templates. */
export interface PageSource extends ExtractInput {
  readonly projectId: string;
  readonly domId: string;
  /** Resolves when the snapshot can be read back, rejects when it could not be stored. None: it is there already. */
  readonly stored?: Promise<unknown>;
}

/** What turns a page into an extraction: `generic:v1` or a site's template. */
export interface Template {
  /** As responses show it: `generic:v1`, `tpl_…:v3`. */
  readonly id: string;
  /** Throws AppError `extract_timeout` when the budget ran out. */
  apply(page: PageSource, budget: StageBudget): Promise<TemplateOutcome>;
}

export interface TemplateOutcome {
  readonly extraction: Extraction;
  /** The template that the extraction really comes from: another one when the first choice failed on the page. */
  readonly templateId: string;
  /** Why the first choice was left, if it was; for the trace. */
  readonly fallback?: string;
  /** Custom fields of a site's template. */
  readonly fields?: Readonly<Record<string, string | number | string[] | null>>;
}

/** A template that was considered for a page. */
export interface TemplateCandidate {
  readonly templateId: string;
  readonly score: number;
  readonly reason: string;
}

export interface TemplateMatch {
  readonly template: Template;
  readonly candidates: readonly TemplateCandidate[];
  /** Why a template should be generated for this page before it is extracted; undefined: none is wanted. */
  readonly generate?: string;
}

/** Finds, and when needed makes, the template for a page. */
export interface Templates {
  match(page: PageSource, budget: StageBudget): Promise<TemplateMatch>;
  /** A template made for the page; undefined when nothing usable came of it, and the matched one serves. */
  generate(page: PageSource, budget: StageBudget): Promise<Template | undefined>;
}

/* ------------------------------------------------------------------ urls */

/** Judges a URL by what is written in it. */
export interface UrlPolicy {
  /**
   * Throws AppError `url_not_allowed`: scheme, credentials, a refused address literal, name or port.
   * @param project whose rules come on top of the deployment's
   */
  checkUrl(url: URL, project?: ProjectEgress): void;
}
