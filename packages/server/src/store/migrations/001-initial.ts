import { PostgresAdapter, sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The tables of version 0.1.0; `schema/schema.ts` says what their columns mean. */
export const initial: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
    const statements = (isPostgres ? TABLES + SHARED_TABLES : TABLES).split(';').filter((one) => one.trim() !== '');
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

/** SQLite accepts any type name, and stores bytes as bytes. Each index serves one query. */
const TABLES = `
create table projects (
  id text primary key,
  name text not null,
  created_at bigint not null,
  archived_at bigint,
  learns integer not null
);

create table api_keys (
  id text primary key,
  project_id text not null references projects (id),
  name text not null,
  kind text not null,
  prefix text not null,
  hash text not null unique,
  quota_per_minute integer,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  scope text
);
create index api_keys_by_project on api_keys (project_id, created_at);

create table snapshots (
  dom_id text primary key,
  project_id text not null references projects (id),
  hash text not null,
  bytes bigint not null,
  stored_bytes bigint not null,
  url text not null,
  final_url text not null,
  host text not null,
  status_code integer not null,
  engine text not null,
  fetched_at bigint not null,
  content_type text,
  content_language text,
  filtered integer not null,
  title text,
  reuse_key text,
  screenshot_hash text,
  screenshot_bytes integer,
  screenshot text,
  mhtml_hash text,
  mhtml_stored_bytes integer,
  mhtml_bytes integer
);
create index snapshots_by_project_time on snapshots (project_id, fetched_at, dom_id);
create index snapshots_by_project_host on snapshots (project_id, host, fetched_at, dom_id);
create index snapshots_by_age on snapshots (fetched_at, dom_id);
create index snapshots_by_hash_project on snapshots (hash, project_id, stored_bytes);
create index snapshots_by_reuse_key on snapshots (project_id, reuse_key, fetched_at);
create index snapshots_by_screenshot on snapshots (screenshot_hash) where screenshot_hash is not null;
create index snapshots_by_mhtml on snapshots (mhtml_hash) where mhtml_hash is not null;

create table host_memory (
  host text primary key,
  engine text not null,
  updated_at bigint not null
);
create index host_memory_by_age on host_memory (updated_at);

create table settings (
  name text primary key,
  value text not null
);

create table users (
  id text primary key,
  email text not null,
  email_key text not null unique,
  role text not null,
  password_hash text not null,
  created_at bigint not null,
  disabled_at bigint,
  last_seen_at bigint
);

create table memberships (
  user_id text not null references users (id),
  project_id text not null references projects (id),
  constraint memberships_key primary key (user_id, project_id)
);

create table sessions (
  hash text primary key,
  user_id text not null references users (id),
  created_at bigint not null,
  expires_at bigint not null,
  last_seen_at bigint not null
);
create index sessions_by_user on sessions (user_id);

create table one_time_links (
  id text primary key,
  hash text not null unique,
  kind text not null,
  email text,
  email_key text,
  role text not null,
  project_ids text not null,
  created_at bigint not null,
  expires_at bigint not null
);

create table sign_in_failures (
  key text primary key,
  count integer not null,
  last_at bigint not null
);

create table audit_entries (
  id text primary key,
  at bigint not null,
  actor text not null,
  action text not null,
  project_id text,
  target text,
  detail text not null
);
create index audit_entries_by_time on audit_entries (at, id);

create table request_spans (
  span_seconds integer not null,
  at bigint not null,
  process text not null,
  project_id text not null,
  code text not null,
  stage text not null,
  engine text not null,
  count integer not null,
  histogram text not null,
  constraint request_spans_key primary key (span_seconds, at, process, project_id, code, stage, engine)
);

create table gauge_samples (
  at bigint not null,
  process text not null,
  name text not null,
  project_id text not null,
  value double precision not null,
  constraint gauge_samples_key primary key (at, process, name, project_id)
);

create table templates (
  id text not null,
  version integer not null,
  state text not null,
  project_id text,
  domain text not null,
  document text not null,
  served bigint not null,
  failed bigint not null,
  drift double precision not null,
  filled text not null,
  note text not null,
  created_at bigint not null,
  changed_at bigint not null,
  constraint templates_key primary key (id, version)
);
create index templates_by_domain on templates (domain, id);
create index templates_by_state on templates (state, id);

create table template_hosts (
  host text not null,
  template_id text not null,
  version integer not null,
  constraint template_hosts_key primary key (host, template_id, version)
);

create table batches (
  id text primary key,
  project_id text not null references projects (id),
  idempotency_key text,
  fingerprint text not null,
  state text not null,
  loaded integer not null,
  total integer not null,
  options text not null,
  created_at bigint not null,
  finished_at bigint,
  webhook_url text,
  webhook_secret text,
  webhook_state text,
  webhook_attempts integer not null,
  webhook_next bigint,
  done integer not null default 0,
  failed integer not null default 0,
  cancelled integer not null default 0,
  bytes bigint not null default 0,
  deleted_at bigint,
  skipped text,
  next_claim bigint,
  changes text,
  constraint batches_by_idempotency_key unique (project_id, idempotency_key)
);
create index batches_by_state on batches (state, project_id, created_at, id);
create index batches_by_end on batches (finished_at);
create index batches_by_webhook on batches (webhook_next);
create index batches_by_deletion on batches (deleted_at);
create index batches_by_project on batches (project_id, created_at, id);

create table batch_items (
  batch_id text not null,
  position integer not null,
  kind text not null,
  value text not null,
  state text not null,
  attempts integer not null,
  lease_owner text,
  lease_until bigint,
  doubtful integer,
  depth integer,
  found_on integer,
  constraint batch_items_key primary key (batch_id, position)
);
create index batch_items_by_state on batch_items (batch_id, state, position);
create index batch_items_by_lease on batch_items (lease_until);

create table batch_results (
  batch_id text not null,
  position integer not null,
  body bytea not null,
  constraint batch_results_key primary key (batch_id, position)
);

create table crawl_seen (
  batch_id text not null,
  key text not null,
  pages integer not null,
  position integer,
  constraint crawl_seen_key primary key (batch_id, key)
);

create table project_storage (
  project_id text primary key,
  snapshots bigint not null default 0,
  content_bytes bigint not null default 0,
  row_bytes bigint not null default 0,
  batches bigint not null default 0,
  batch_bytes bigint not null default 0,
  log_bytes bigint not null default 0
);

create table request_log (
  id text primary key,
  project_id text not null,
  at bigint not null,
  request_id text not null,
  source text not null,
  key_id text,
  method text not null,
  endpoint text not null,
  status integer not null,
  code text not null,
  stage text,
  url text,
  host text not null,
  engine text,
  dom_id text,
  template_id text,
  elapsed_ms double precision not null,
  bytes integer not null,
  confidence double precision,
  warnings text
);
create index request_log_by_time on request_log (project_id, at, id);
create index request_log_by_request on request_log (project_id, request_id);

create table request_details (
  id text primary key,
  detail text not null
);

create table template_serving (
  template_id text not null,
  version integer not null,
  day integer not null,
  served integer not null,
  failed integer not null,
  constraint template_serving_key primary key (template_id, version, day)
);

create table site_notes (
  id text primary key,
  project_id text not null,
  host text not null,
  shape text not null,
  serial integer not null,
  seen_at bigint not null,
  notes text not null
);
create index site_notes_of_place on site_notes (project_id, host, shape, serial);
create index site_notes_of_project on site_notes (project_id, seen_at);
create index site_notes_oldest on site_notes (seen_at);

create table site_examples (
  project_id text not null,
  host text not null,
  dom_id text not null,
  url text not null,
  shape text not null,
  created_at bigint not null,
  changed_at bigint not null,
  marks text not null,
  page text not null,
  constraint site_examples_key primary key (project_id, host, dom_id)
);

create table alerts (
  project_id text primary key,
  url text not null,
  secret text not null,
  error_rate double precision,
  fill_rates integer not null,
  active text not null,
  changed_at bigint not null,
  last_error text
);
`;

/**
 * Limits shared by nodes, for PostgreSQL only. All but the tasks are unlogged: rows matter for a minute at most, and a crash
 * of the database may reset the limits. They are updated often: free space keeps the next version of a row on the same page.
 */
const SHARED_TABLES = `
create unlogged table key_quotas (
  key_id text primary key,
  period bigint not null,
  used integer not null,
  granted integer not null
) with (fillfactor = 50);

create unlogged table host_slots (
  host text not null,
  slot integer not null,
  lease text not null,
  lease_until bigint not null,
  constraint host_slots_key primary key (host, slot)
) with (fillfactor = 50);

create unlogged table host_lines (
  host text not null,
  node text not null,
  since bigint not null,
  until bigint not null,
  constraint host_lines_key primary key (host, node)
) with (fillfactor = 50);

create unlogged table host_starts (
  host text primary key,
  next_at bigint not null
) with (fillfactor = 50);

create table shared_tasks (
  name text primary key,
  owner text,
  lease_until bigint not null,
  due_at bigint not null
);
`;
