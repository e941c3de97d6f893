/**
 * The tables of both dialects, created by the migrations. Ids are text, times are integers (milliseconds since 1970),
 * flags are 0 or 1.
 */
import type { EngineName, SnapshotOrigin } from '@winnow/contract';
import type { KeyKind } from '../../domain/keys/key-ports.ts';
import type { AccountTables } from './account-schema.ts';
import type { BatchTables } from './batch-schema.ts';
import type { MetricTables } from './metric-schema.ts';
import type { RequestLogTables } from './request-log-schema.ts';
import type { SharedTables } from './shared-schema.ts';
import type { StorageTables } from './storage-schema.ts';
import type { TemplateTables } from './template-schema.ts';

export interface Database
  extends AccountTables, BatchTables, MetricTables, RequestLogTables, SharedTables, StorageTables, TemplateTables {
  projects: ProjectTable;
  api_keys: ApiKeyTable;
  snapshots: SnapshotTable;
  host_memory: HostMemoryTable;
  settings: SettingTable;
}

export interface ProjectTable {
  id: string;
  name: string;
  created_at: number;
  archived_at: number | null;
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
