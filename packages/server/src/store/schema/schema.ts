/**
 * The tables of both dialects, created by the migrations. Ids are text, times are integers (milliseconds since 1970),
 * flags are 0 or 1. Rows that hold a domain type have its fields, see {@link RowOf}.
 */
import type { Alert } from '../../domain/alerts/alert-ports.ts';
import type { EngineName, WebhookState } from '@winnow/contract';
import type { Generated } from 'kysely';
import type { AuditEntry, OneTimeLink, Session, User } from '../../domain/accounts/ports.ts';
import type { ApiKey, Project } from '../../domain/keys/key-ports.ts';
import type { Batch, BatchTarget, ItemState } from '../../domain/batches/batch-ports.ts';
import type { LoggedRequest } from '../../domain/request-log/ports.ts';
import type { StoredAttachments } from '../../domain/storage/attachments.ts';
import type { SnapshotRow } from '../../domain/storage/snapshot-ports.ts';
import type { StoredTemplate, TaughtExample, TemplateHealth } from '../../domain/templates/template-ports.ts';
import type { RowOf } from './rows.ts';

export interface Database {
  projects: RowOf<Project>;
  api_keys: ApiKeyTable;
  snapshots: SnapshotTable;
  host_memory: { host: string; engine: EngineName; updated_at: number };
  settings: { name: string; value: string };
  users: RowOf<User> & {
    /** Lower case, unique. */
    email_key: string;
  };
  memberships: { user_id: string; project_id: string };
  sessions: RowOf<Session>;
  one_time_links: RowOf<OneTimeLink> & { email_key: string | null };
  sign_in_failures: {
    /** SHA-256 of the counted value, so that the table holds no addresses of sign-in attempts. */
    key: string;
    count: number;
    last_at: number;
  };
  audit_entries: RowOf<AuditEntry>;
  batches: BatchTable;
  batch_items: {
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
    /** Links from the start page of the crawl; null in other batches. */
    depth: number | null;
    /** Position of the page that links to it. */
    found_on: number | null;
  };
  batch_results: {
    batch_id: string;
    position: number;
    /** One result line, compressed with zstd. */
    body: Uint8Array;
  };
  /** Pages that a crawl knows, by address, and how many it has of each shape. */
  crawl_seen: {
    batch_id: string;
    key: string;
    pages: number;
    /** Of the item, if the key is that of a page. */
    position: number | null;
  };
  request_spans: RequestSpanTable;
  gauge_samples: GaugeSampleTable;
  request_log: RequestLogTable;
  /** A separate table, so that lists read only small rows. */
  request_details: {
    id: string;
    /** JSON. */
    detail: string;
  };
  /** Usage of a key's quota. */
  key_quotas: {
    key_id: string;
    /** Number of the window since 1970, offset by the key's phase. */
    period: number;
    used: number;
    /** Requests granted by the last statement. */
    granted: number;
  };
  /** A used concurrency slot of a target host, until its lease expires. */
  host_slots: { host: string; slot: number; lease: string; lease_until: number };
  /** A node that waits for a slot of a host. */
  host_lines: {
    host: string;
    node: string;
    since: number;
    /** The row expires unless the node renews it before this time. */
    until: number;
  };
  host_starts: {
    host: string;
    /** Earliest start of the next capture of the host. */
    next_at: number;
  };
  /** A periodic task that one node at a time performs. */
  shared_tasks: { name: string; owner: string | null; lease_until: number; due_at: number };
  project_storage: ProjectStorageTable;
  templates: TemplateTable;
  /** Hosts of a version, and host suffixes with a leading dot. */
  template_hosts: { host: string; template_id: string; version: number };
  alerts: RowOf<Alert>;
  /** A page that a person marked to teach a site. */
  site_examples: RowOf<TaughtExample> & { created_at: number };
  site_notes: {
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
  };
  /** Pages that a version served or failed on, per day. */
  template_serving: {
    template_id: string;
    version: number;
    /** Days since 1970, UTC. */
    day: number;
    served: number;
    failed: number;
  };
}

export interface ApiKeyTable extends RowOf<ApiKey> {
  /** SHA-256 of the key, lower-case hex. */
  hash: string;
}

export interface SnapshotTable extends RowOf<Omit<SnapshotRow, keyof StoredAttachments>> {
  /** Host of `final_url`, lower case; '' without one. */
  host: string;
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
export interface RequestLogTable extends RowOf<Omit<LoggedRequest, 'warnings'>> {
  /** Host of `url`, lower case; '' without one. */
  host: string;
  /** Codes, each between commas; null without warnings. */
  warnings: string | null;
  /** With its detail. */
  bytes: number;
}

export interface BatchTable extends RowOf<Omit<Batch, 'webhook'>> {
  idempotency_key: string | null;
  /** 1 once all items are stored; before that no worker claims them. */
  loaded: number;
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
  /** When the next page of a crawl with a delay may begin; null: at any time. */
  next_claim: number | null;
}

export interface TemplateTable extends RowOf<Omit<StoredTemplate, 'health'>>, RowOf<TemplateHealth> {}
