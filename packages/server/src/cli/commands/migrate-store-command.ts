import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { readConfig, resolveDataDir, type Config } from '../../config/config.ts';
import { listContents } from '../../domain/storage/attachments.ts';
import { closing, releasing } from '../../domain/shared/closing.ts';
import { postgresUrl } from '../../config/config-parsers.ts';
import type { MovedTable } from '../../store/copy/migrate-store.ts';
import type { StoreOptions } from '../../store/open-store.ts';
import { countThings, CommandError, writeJson, writeLine, writeTable, type CliIo } from '../support/cli-io.ts';
import { parseFlag } from '../support/flags.ts';

interface MigrateFlags {
  readonly to?: string;
  readonly snapshots?: true;
  readonly json?: true;
}

export function createMigrateStoreCommand(io: CliIo): Command {
  return new Command('migrate-store')
    .summary('move from SQLite to PostgreSQL, and from files to S3')
    .description(
      `Copies the SQLite database of the data folder (WINNOW_DATA_DIR) into an empty PostgreSQL database and compares both, table by table, by count and hash. U+0000, which PostgreSQL cannot store, becomes U+FFFD, and the rows are counted. The service must be stopped. An interrupted copy continues when the command is run again.

With --snapshots the snapshots' bytes are copied as well, into the bucket that WINNOW_S3_BUCKET names; each is checked against its address on both sides. Nothing is removed from the data folder.`,
    )
    .option(
      '--to <url>',
      'PostgreSQL database, postgres://…; default: WINNOW_DATABASE_URL, which hides the password from other users of the machine',
      parseFlag(postgresUrl),
    )
    .option('--snapshots', 'copy the snapshots to S3 too')
    .option('--json', 'print the outcome as JSON')
    .action((flags: MigrateFlags) => migrate(io, flags));
}

async function migrate(io: CliIo, flags: MigrateFlags): Promise<void> {
  const config = readConfig(io.environment);
  const sqliteFile = path.join(resolveDataDir(config), 'winnow.db');
  if (!existsSync(sqliteFile)) throw new CommandError(`there is no database ${sqliteFile}; see WINNOW_DATA_DIR`);
  if (flags.snapshots === true && config.s3Bucket === null) {
    throw new CommandError('--snapshots: WINNOW_S3_BUCKET must name the bucket to copy to', { exitCode: 2 });
  }
  const target = flags.to ?? config.databaseUrl;
  if (target === null)
    throw new CommandError('WINNOW_DATABASE_URL or --to must name the PostgreSQL database', { exitCode: 2 });
  // A running service would continue to write to the old database.
  const { lockDataFolder } = await import('../../store/data-folder-lock.ts');
  const locked = await lockDataFolder(resolveDataDir(config)).catch((error: Error) => {
    throw new CommandError(error.message);
  });
  using _ = releasing(locked);
  await requireDatabases({ sqliteFile }, { databaseUrl: target });
  const { migrateStore } = await import('../../store/copy/migrate-store.ts');
  const tables = await migrateStore({
    sqliteFile,
    databaseUrl: target,
    signal: io.signal,
    onProgress: (table, copied, total) => {
      if (flags.json !== true) writeLine(io.stderr, `${table}: ${copied} of ${total}`);
    },
  });
  const snapshots = flags.snapshots === true ? await copySnapshots(io, config, target) : undefined;
  report(io, flags, tables, snapshots);
}

/** Fails early with the reason if a database is unusable. */
async function requireDatabases(...locations: readonly StoreOptions['location'][]): Promise<void> {
  const { openNamedStore } = await import('../../composition/open-configured-store.ts');
  for (const location of locations) {
    const store = await openNamedStore(location);
    await store.close();
  }
}

async function copySnapshots(io: CliIo, config: Config, databaseUrl: string): Promise<number> {
  const { openSnapshotFiles, openSnapshots } = await import('../../composition/open-snapshots.ts');
  const { openNamedStore } = await import('../../composition/open-configured-store.ts');
  const files = openSnapshotFiles(config);
  await using store = closing(await openNamedStore({ databaseUrl }));
  await using bucket = closing(await openSnapshots(config));
  const done = new Set<string>();
  for (const project of await store.projects.list()) {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await store.snapshots.list(project.id, {}, { limit: 200, cursor });
      const contents = page.items.flatMap((row) => listContents(row).map((hash) => ({ hash, domId: row.domId })));
      for (const { hash, domId } of contents) {
        io.signal.throwIfAborted();
        if (done.has(hash)) continue;
        const html = await files.get(hash);
        if (html === undefined) throw new CommandError(`the file of the snapshot ${domId} is missing`);
        const stored = await bucket.content.put(html);
        if (stored.hash !== hash) throw new CommandError(`the file of the snapshot ${domId} is damaged`);
        done.add(hash);
      }
      cursor = page.nextCursor;
    }
  }
  return done.size;
}

function report(io: CliIo, flags: MigrateFlags, tables: readonly MovedTable[], snapshots: number | undefined): void {
  if (flags.json === true) {
    writeJson(io.stdout, { tables, ...(snapshots === undefined ? {} : { snapshots }) });
  } else {
    const rows = tables.map(({ table, rows: count, same }) => [table, String(count), same ? 'same' : 'DIFFERS']);
    writeTable(io.stdout, ['table', 'rows', 'compared'], rows);
    if (snapshots !== undefined) writeLine(io.stdout, `in the bucket: ${countThings(snapshots, 'snapshot')}`);
  }
  for (const { table, replaced } of tables) {
    if (replaced > 0) writeLine(io.stderr, `${table}: rows in which U+0000 became U+FFFD: ${replaced}`);
  }
  const differing = tables.filter(({ same }) => !same).map(({ table }) => table);
  if (differing.length > 0) {
    throw new CommandError(`the databases differ in ${differing.join(', ')}: was the target not empty?`);
  }
}
