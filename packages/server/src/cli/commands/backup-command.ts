import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { readConfig, resolveDataDir, type Config } from '../../config/config.ts';
import { COMMAND_LINE, recordAudit } from '../../domain/accounts/audit.ts';
import { closing, releasing } from '../../domain/shared/closing.ts';
import { countThings, CommandError, writeJson, writeLine, type CliIo, type JsonFlag } from '../support/cli-io.ts';
import type { OpenSnapshots } from '../../composition/open-snapshots.ts';
import type { BackupReport } from '../backup/backup-folder.ts';
import { withStore } from '../support/open-command-store.ts';

export function createBackupCommand(io: CliIo): Command {
  return new Command('backup')
    .summary('back up everything that is stored')
    .description(
      'Writes projects, keys, accounts, templates and snapshots to a new folder; also while the service runs. SQLite only: back up PostgreSQL with its own tools, for example pg_dump.',
    )
    .argument('<folder>', 'folder to create; it must not exist yet')
    .option('--json', 'print JSON')
    .action((folder: string, flags: JsonFlag) => backUp(io, folder, flags));
}

export function createRestoreCommand(io: CliIo): Command {
  return new Command('restore')
    .summary('restore a backup')
    .description(
      'Replaces the current state by a backup; also while the service runs. Changes since the backup are lost.',
    )
    .argument('<folder>', 'folder that winnow backup wrote')
    .requiredOption('--yes', 'confirm that the current state may be replaced')
    .option('--json', 'print JSON')
    .action((folder: string, flags: JsonFlag) => restore(io, folder, flags));
}

async function backUp(io: CliIo, given: string, flags: JsonFlag): Promise<void> {
  const config = readConfig(io.environment);
  requireSqlite(config);
  const file = path.join(resolveDataDir(config), 'winnow.db');
  if (!existsSync(file)) throw new CommandError(`there is no database ${file}; see WINNOW_DATA_DIR`);
  const folder = path.resolve(given);
  if (existsSync(folder)) throw new CommandError(`${folder} exists already: choose a new folder`);
  const { writeBackup } = await import('../backup/backup-folder.ts');
  const report = await alone(config, ({ content }) =>
    withStore(config, async (store) => {
      const written = await writeBackup({ store, content, signal: io.signal }, folder);
      await recordAudit(store.accounts, COMMAND_LINE, { action: 'backup.write', target: folder });
      return written;
    }),
  );
  tell(io, flags, 'backed up', report, folder);
}

async function restore(io: CliIo, given: string, flags: JsonFlag): Promise<void> {
  const config = readConfig(io.environment);
  requireSqlite(config);
  const folder = path.resolve(given);
  const { readBackup } = await import('../backup/backup-folder.ts');
  const { putAsideDamaged, replaceRows } = await import('../backup/replace-rows.ts');
  const { makeDataFolder } = await import('../../composition/open-configured-store.ts');
  const dataDir = resolveDataDir(config);
  const tellAside = (name: string | undefined): void => {
    if (name !== undefined)
      writeLine(io.stderr, `the damaged database was renamed to ${name}: remove it when you no longer need it`);
  };
  // A new machine has none.
  await makeDataFolder(dataDir);
  const report = await alone(config, async ({ content, file }) => {
    const read = await readBackup(folder, {
      content,
      scratch: path.join(dataDir, 'restore.partial'),
      signal: io.signal,
      onSound: async () => {
        if (file !== undefined) tellAside(await putAsideDamaged(file));
      },
      putRows: async (database) => tellAside(await replaceRows(database, dataDir)),
    });
    await withStore(config, (store) =>
      recordAudit(store.accounts, COMMAND_LINE, { action: 'backup.restore', target: folder }),
    );
    return read;
  });
  tell(io, flags, 'restored', report, folder);
}

/** Runs under a lock, since two runs would share temporary folders. */
async function alone<T>(config: Config, work: (snapshots: OpenSnapshots) => Promise<T>): Promise<T> {
  const { lockDataFolder } = await import('../../store/data-folder-lock.ts');
  const { openSnapshots } = await import('../../composition/open-snapshots.ts');
  const locked = await lockDataFolder(resolveDataDir(config), 'backup').catch((error: Error) => {
    throw new CommandError(error.message, { cause: error });
  });
  using _ = releasing(locked);
  await using snapshots = closing(await openSnapshots(config));
  return await work(snapshots);
}

function requireSqlite(config: Config): void {
  if (config.databaseUrl !== null)
    throw new CommandError('PostgreSQL is backed up and restored with its own tools: pg_dump, pg_restore');
}

function tell(io: CliIo, flags: JsonFlag, done: string, report: BackupReport, folder: string): void {
  const { projects, snapshots, leftOut } = report;
  if (flags.json) return writeJson(io.stdout, { folder, projects, snapshots, left_out: leftOut });
  writeLine(
    io.stdout,
    `${done} ${countThings(projects, 'project')} and ${countThings(snapshots, 'snapshot')}: ${folder}`,
  );
  if (leftOut > 0)
    writeLine(io.stderr, `${countThings(leftOut, 'snapshot')} left out: the content is missing or damaged`);
}
