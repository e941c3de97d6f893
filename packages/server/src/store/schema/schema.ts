/**
 * The tables of both dialects, created by the migrations. Ids are text, times are integers (milliseconds since 1970),
 * flags are 0 or 1.
 */
import type {
  EngineName,
  SnapshotOrigin,
  ErrorCode,
  RequestSource,
  Stage,
  LinkKind,
  Role,
  BatchState,
  WebhookState,
  TemplateState,
} from '@winnow/contract';
import type { Generated } from 'kysely';
import type { KeyKind } from '../../domain/keys/key-ports.ts';
import type { BatchTarget, ItemState } from '../../domain/batches/batch-ports.ts';

export interface Database {
  projects: ProjectTable;
  api_keys: ApiKeyTable;
  snapshots: SnapshotTable;
  host_memory: HostMemoryTable;
  settings: SettingTable;
  users: UserTable;
  memberships: MembershipTable;
  sessions: SessionTable;
  one_time_links: OneTimeLinkTable;
  sign_in_failures: SignInFailureTable;
  audit_entries: AuditEntryTable;
  batches: BatchTable;
  batch_items: BatchItemTable;
  batch_results: BatchResultTable;
  request_spans: RequestSpanTable;
  gauge_samples: GaugeSampleTable;
  request_log: RequestLogTable;
  request_details: RequestDetailTable;
  key_quotas: KeyQuotaTable;
  host_slots: HostSlotTable;
  host_lines: HostLineTable;
  host_starts: HostStartTable;
  shared_tasks: SharedTaskTable;
  project_storage: ProjectStorageTable;
  templates: TemplateTable;
  template_hosts: TemplateHostTable;
  site_examples: SiteExamplesTable;
  site_notes: SiteNotesTable;
  template_serving: TemplateServingTable;
}

export interface ProjectTable {
  id: string;
  name: string;
  created_at: number;
  archived_at: number | null;
  /** 1: its pages leave no notes, and give no evidence. */
  takes_no_notes: number | null;
}

export interface ApiKeyTable {
  id: string;
  project_id: string;
  name: string;
  kind: KeyKind;
  prefix: string;
  /** SHA-256 of the key, lower-case hex. */
  hash: string;
  quota_per_minute: number | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

export interface SnapshotTable {
  dom_id: string;
  project_id: string;
  hash: string;
  bytes: number;
  stored_bytes: number;
  url: string;
  final_url: string;
  /** Host of `final_url`, lower case; '' without one. */
  host: string;
  status_code: number;
  engine: SnapshotOrigin;
  fetched_at: number;
  content_type: string | null;
  content_language: string | null;
  filtered: number;
  title: string | null;
  /** For reuse by other requests; null for captures that are not reusable. */
  reuse_key: string | null;
  screenshot_hash: string | null;
  /** Stored bytes of the screenshot. */
  screenshot_bytes: number | null;
  /** Other metadata of the screenshot, as JSON. */
  screenshot: string | null;
  mhtml_hash: string | null;
  /** Of the content, after compression. */
  mhtml_stored_bytes: number | null;
  mhtml_bytes: number | null;
}

interface HostMemoryTable {
  host: string;
  engine: EngineName;
  updated_at: number;
}

interface SettingTable {
  name: string;
  value: string;
}

/** Usage of a key's quota. */
interface KeyQuotaTable {
  key_id: string;
  shard: number;
  /** Number of the window since 1970, offset by the key's phase. */
  period: number;
  used: number;
  /** Requests granted by the last statement. */
  granted: number;
}

/** A used concurrency slot of a target host, until its lease expires. */
interface HostSlotTable {
  host: string;
  slot: number;
  lease: string;
  lease_until: number;
}

/** A node that waits for a slot of a host. */
interface HostLineTable {
  host: string;
  node: string;
  since: number;
  /** The row expires unless the node renews it before this time. */
  until: number;
}

interface HostStartTable {
  host: string;
  /** Earliest start of the next capture of the host. */
  next_at: number;
}

/** A periodic task that one node at a time performs. */
interface SharedTaskTable {
  name: string;
  owner: string | null;
  lease_until: number;
  due_at: number;
}

/** Updated in the transactions that add and remove rows, which avoids sums over all rows. */
export interface ProjectStorageTable {
  project_id: string;
  snapshots: number;
  /** Stored bytes of the snapshots' content; shared content of the project counts once. */
  content_bytes: number;
  row_bytes: number;
  batches: number;
  /** Bytes of batches, their items and results. */
  batch_bytes: number;
  /** Bytes of the request log. */
  log_bytes: Generated<number>;
}

/** Finished requests of one time span, process and kind. */
export interface RequestSpanTable {
  /** 60 or 3600. */
  span_seconds: number;
  /** Start of the span, seconds since 1970. */
  at: number;
  /** Id of the process, so that each writes its own rows. */
  process: string;
  project_id: string;
  /** `ok` or the error code. */
  code: string;
  /** Stage of the error; '' for success. */
  stage: string;
  /** Engine of the capture; '' without one. */
  engine: string;
  count: number;
  /** JSON list of counts per latency bin, see `Histogram`. */
  histogram: string;
}

/** One reading of a gauge. */
export interface GaugeSampleTable {
  /** Seconds since 1970. */
  at: number;
  process: string;
  name: string;
  /** '' for values without a project. */
  project_id: string;
  value: number;
}

/** One answered request of a project. */
export interface RequestLogTable {
  id: string;
  project_id: string;
  /** Arrival. */
  at: number;
  request_id: string;
  source: RequestSource;
  key_id: string | null;
  method: string;
  endpoint: string;
  status: number;
  code: ErrorCode | 'ok';
  stage: Stage | null;
  url: string | null;
  /** Host of `url`, lower case; '' without one. */
  host: string;
  engine: string | null;
  dom_id: string | null;
  template_id: string | null;
  elapsed_ms: number;
  /** Null without an extraction. */
  confidence: number | null;
  /** Codes, each between commas; null without warnings. */
  warnings: string | null;
  /** With its detail; null for entries of earlier versions. */
  bytes: number | null;
}

/** A separate table, so that lists read only small rows. */
interface RequestDetailTable {
  id: string;
  /** JSON. */
  detail: string;
}

export interface UserTable {
  id: string;
  email: string;
  /** Lower case, unique. */
  email_key: string;
  role: Role;
  password_hash: string;
  created_at: number;
  disabled_at: number | null;
  last_seen_at: number | null;
}

interface MembershipTable {
  user_id: string;
  project_id: string;
}

interface SessionTable {
  hash: string;
  user_id: string;
  created_at: number;
  expires_at: number;
  last_seen_at: number;
}

export interface OneTimeLinkTable {
  id: string;
  hash: string;
  kind: LinkKind;
  email: string | null;
  email_key: string | null;
  role: Role;
  /** JSON list. */
  project_ids: string;
  created_at: number;
  expires_at: number;
}

interface SignInFailureTable {
  /** SHA-256 of the counted value, so that the table holds no addresses of sign-in attempts. */
  key: string;
  count: number;
  last_at: number;
}

export interface AuditEntryTable {
  id: string;
  at: number;
  actor: string;
  action: string;
  project_id: string | null;
  target: string | null;
  /** JSON object. */
  detail: string;
}

export interface BatchTable {
  id: string;
  project_id: string;
  idempotency_key: string | null;
  fingerprint: string;
  state: BatchState;
  /** 1 once all items are stored; before that no worker claims them. */
  loaded: number;
  total: number;
  /** JSON of BatchOptions. */
  options: string;
  created_at: number;
  finished_at: number | null;
  webhook_url: string | null;
  webhook_secret: string | null;
  webhook_state: WebhookState | null;
  webhook_attempts: number;
  /** When it is due; null before the batch ends and after delivery. */
  webhook_next: number | null;
  /** Items ended in this state; updated in the transaction that ends them. */
  done: Generated<number>;
  failed: Generated<number>;
  cancelled: Generated<number>;
  bytes: Generated<number>;
  /** Time of deletion: hides the batch while its rows are removed in slices. */
  deleted_at: number | null;
}

interface BatchItemTable {
  batch_id: string;
  position: number;
  kind: BatchTarget['kind'];
  value: string;
  state: ItemState;
  attempts: number;
  lease_owner: string | null;
  /** Null unless a worker processes the item. */
  lease_until: number | null;
  /** 1 if it succeeded with warnings. */
  doubtful: number | null;
}

interface BatchResultTable {
  batch_id: string;
  position: number;
  /** One result line, compressed with zstd. */
  body: Uint8Array;
}

export interface TemplateTable {
  id: string;
  version: number;
  state: TemplateState;
  /** Null for shared templates. */
  project_id: string | null;
  domain: string;
  /** JSON of the document. */
  document: string;
  served: number;
  failed: number;
  drift: number;
  note: string;
  /** JSON of FilledFields. */
  filled: string | null;
  created_at: number;
  changed_at: number;
}

/** Hosts of a version, and host suffixes with a leading dot. */
interface TemplateHostTable {
  host: string;
  template_id: string;
  version: number;
}

/** A page that a person marked to teach a site. */
export interface SiteExamplesTable {
  project_id: string;
  host: string;
  dom_id: string;
  url: string;
  shape: string;
  created_at: number;
  changed_at: number;
  /** JSON of BlockMarks. */
  marks: string;
  /** JSON of MarkedPage. */
  page: string;
}

/** Notes of a page of a site. */
export interface SiteNotesTable {
  /** Hash of project and address. */
  id: string;
  project_id: string;
  host: string;
  shape: string;
  /** Running number within the place. */
  serial: number;
  seen_at: number;
  /** JSON of PageNotes. */
  notes: string;
}

/** Pages that a version served or failed on, per day. */
interface TemplateServingTable {
  template_id: string;
  version: number;
  /** Days since 1970, UTC. */
  day: number;
  served: number;
  failed: number;
}
