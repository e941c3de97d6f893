import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import type { AlertRepository } from '../domain/alerts/alert-ports.ts';
import { Kysely, sql } from 'kysely';
import type { HostMemory } from '../domain/capture/capture-ports.ts';
import type { KeyRepository, ProjectRepository } from '../domain/keys/key-ports.ts';
import type { SettingRepository } from '../domain/shared/ports.ts';
import type { SnapshotRepository } from '../domain/storage/snapshot-ports.ts';
import type { HostLeases, QuotaLedger } from '../domain/admission/admission-ports.ts';
import type { SharedTasks } from '../domain/shared/leases.ts';
import type {
  SiteNotesRepository,
  TaughtExampleRepository,
  TemplateRepository,
} from '../domain/templates/template-ports.ts';
import { createAccountRepositories, forgetExpiredAccounts } from './repositories/accounts/account-repositories.ts';
import type { AccountRepositories } from './repositories/accounts/account-repositories.ts';
import { SqlBatchQueue } from './repositories/batch-queue.ts';
import { SqlBatchRepository, SqlBatchWebhooks } from './repositories/batch-repository.ts';
import type { BatchQueue, BatchRepository, BatchWebhooks } from '../domain/batches/batch-ports.ts';
import { SqlHostMemory, type HostMemoryOptions } from './repositories/host-memory.ts';
import { SqlHostLeases } from './shared-limits/host-lease-repository.ts';
import { SqlKeyRepository } from './repositories/key-repository.ts';
import { SqlMetricRepository } from './repositories/metric-repository.ts';
import { migrateToLatest } from './migrations/migrations.ts';
import { SqlAlertRepository, SqlProjectRepository, SqlSettingRepository } from './repositories/project-repository.ts';
import type { MetricRepository } from '../domain/metrics/ports.ts';
import type { RequestLogRepository } from '../domain/request-log/ports.ts';
import { SqlRequestLogRepository } from './repositories/request-log-repository.ts';
import type { Database } from './schema/schema.ts';
import { SqlQuotaLedger } from './shared-limits/quota-ledger.ts';
import { SqlSharedTasks } from './shared-limits/shared-task-repository.ts';
import type { UsageRepository } from '../domain/storage/project-quota.ts';
import { SqlUsageRepository } from './repositories/storage-repository.ts';
import { SqlSnapshotRepository } from './repositories/snapshot-repository.ts';
import { SqlSiteExampleRepository } from './repositories/site-example-repository.ts';
import { SqlSiteNotesRepository } from './repositories/site-notes-repository.ts';
import { SqlTemplateRepository } from './repositories/template-repository.ts';
import { createPrivately, openSqliteDatabase } from '../sqlite/open-sqlite.ts';
import { retryWhileBusy, type OnStorageError } from '../sqlite/sqlite-faults.ts';
import { requireUndamaged } from '../sqlite/sqlite-damage.ts';
import { NodeSqliteDialect } from './sqlite/sqlite-dialect.ts';
import { forgetExcessRows } from './table-bounds.ts';

export interface StoreOptions {
  /** SQLite file, created with its folder if absent; or URL of a PostgreSQL database. */
  readonly location: { readonly sqliteFile: string } | { readonly databaseUrl: string };
  /** Receives errors of work that no caller awaits. */
  readonly onError: (error: unknown) => void;
  /** Receives statements that failed on a lock or a full disk; SQLite only. */
  readonly onStorageError?: OnStorageError | undefined;
  readonly hostMemory?: HostMemoryOptions;
}

export interface Store {
  readonly projects: ProjectRepository;
  readonly keys: KeyRepository;
  readonly snapshots: SnapshotRepository;
  readonly hostMemory: HostMemory;
  readonly settings: SettingRepository;
  readonly siteTemplates: TemplateRepository;
  readonly siteNotes: SiteNotesRepository;
  readonly siteExamples: TaughtExampleRepository;
  readonly alerts: AlertRepository;
  readonly accounts: AccountRepositories;
  readonly batches: BatchRepository;
  readonly batchQueue: BatchQueue;
  readonly batchWebhooks: BatchWebhooks;
  /** Storage of projects. */
  readonly usage: UsageRepository;
  readonly metrics: MetricRepository;
  readonly requests: RequestLogRepository;
  /** State shared between nodes; undefined with SQLite, which serves one process. */
  readonly shared: SharedState | undefined;
  /** Rejects when the database does not answer. */
  check(): Promise<void>;
  /** Removes expired rows, except snapshots; called periodically. */
  tidy(): Promise<void>;
  /** Copies a database in use to a new file. Rejects for PostgreSQL, which has its own tools. */
  backup(file: string): Promise<void>;
  /** Writes data still in memory and closes the database. */
  close(): Promise<void>;
}

export interface SharedState {
  readonly quotas: QuotaLedger;
  readonly hosts: HostLeases;
  readonly tasks: SharedTasks;
}

/** Sites change. */
const NOTES_MAX_AGE_MS = 14 * 24 * 60 * 60 * 1000;

/** Daily template counts are kept longer than any view shows them. */
const SERVING_MAX_AGE_MS = 90 * 24 * 60 * 60 * 1000;

export async function openStore(options: StoreOptions): Promise<Store> {
  const { db, sqlite } = await connect(options);
  try {
    await migrateToLatest(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const keys = new SqlKeyRepository(db, options.onError);
  const snapshots = new SqlSnapshotRepository(db);
  const accounts = createAccountRepositories(db);
  const batchQueue = new SqlBatchQueue(db);
  const siteTemplates = new SqlTemplateRepository(db);
  const hostMemory = new SqlHostMemory(db, options.hostMemory);
  const siteNotes = new SqlSiteNotesRepository(db);
  const shared =
    'databaseUrl' in options.location
      ? { quotas: new SqlQuotaLedger(db), hosts: new SqlHostLeases(db), tasks: new SqlSharedTasks(db) }
      : undefined;
  return {
    projects: new SqlProjectRepository(db),
    keys,
    snapshots,
    hostMemory,
    settings: new SqlSettingRepository(db),
    siteTemplates,
    siteNotes,
    siteExamples: new SqlSiteExampleRepository(db),
    alerts: new SqlAlertRepository(db),
    accounts,
    batches: new SqlBatchRepository(db, batchQueue),
    batchQueue,
    batchWebhooks: new SqlBatchWebhooks(db),
    usage: new SqlUsageRepository(db),
    metrics: new SqlMetricRepository(db),
    requests: new SqlRequestLogRepository(db),
    shared,
    check: async () => {
      await sql`select 1`.execute(db);
      if (sqlite) requireUndamaged(sqlite);
    },
    tidy: async () => {
      await hostMemory.forgetExpired();
      await siteNotes.forgetBefore(new Date(Date.now() - NOTES_MAX_AGE_MS));
      await siteTemplates.forgetServingBefore(new Date(Date.now() - SERVING_MAX_AGE_MS));
      await forgetExpiredAccounts(accounts, new Date());
      await forgetExcessRows(db);
      await shared?.hosts.tidy();
      await shared?.quotas.tidy();
    },
    backup: (file) => backUp(sqlite, file),
    close: async () => {
      await snapshots.drain();
      await siteNotes.drain();
      await keys.flushUses();
      await db.destroy();
    },
  };
}

async function connect(options: StoreOptions): Promise<{ db: Kysely<Database>; sqlite: DatabaseSync | undefined }> {
  const { location } = options;
  if ('databaseUrl' in location) {
    // Imported lazily: SQLite does not need its driver.
    const { createPostgresDialect } = await import('./postgres/postgres-dialect.ts');
    const dialect = createPostgresDialect(location.databaseUrl, options.onError);
    return { db: new Kysely<Database>({ dialect }), sqlite: undefined };
  }
  await mkdir(path.dirname(location.sqliteFile), { recursive: true, mode: 0o700 });
  const sqlite = await retryWhileBusy(() => openSqliteDatabase(location.sqliteFile));
  const { onStorageError } = options;
  return { db: new Kysely<Database>({ dialect: new NodeSqliteDialect(sqlite, { onStorageError }) }), sqlite };
}

async function backUp(sqlite: DatabaseSync | undefined, file: string): Promise<void> {
  if (sqlite === undefined) throw new Error('back up PostgreSQL with its own tools, for example pg_dump');
  createPrivately(file);
  // All pages in one step: a write of another process between two steps restarts the backup, endlessly under load.
  await backup(sqlite, file, { rate: 2 ** 30 });
}
