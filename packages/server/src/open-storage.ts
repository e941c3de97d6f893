import path from 'node:path';
import { resolveDataDir } from './config.ts';
import type { Config } from './config.ts';
import type { Logger, SnapshotContent } from './domain/ports.ts';
import { makeFolder } from './make-folder.ts';
import { openSnapshots } from './open-snapshots.ts';
import { SnapshotSweeper } from './snapshots/snapshot-sweeper.ts';
import { startSweeping } from './snapshots/sweep-schedule.ts';
import { StartError } from './start-error.ts';
import { lockDataFolder } from './store/data-folder-lock.ts';
import { openStore } from './store/open-store.ts';
import type { Store, StoreOptions } from './store/open-store.ts';

export interface StorageParts {
  readonly logger: Logger;
  /** Name of this process, unlike all others. */
  readonly node: string;
  /** Hears of each part that is open now, and has to be closed before those that were opened before it. */
  readonly onOpened: (close: () => Promise<void> | void) => void;
}

/** What the service keeps. */
export interface Storage {
  readonly store: Store;
  readonly content: SnapshotContent;
}

/**
 * Makes this process the one that serves the data folder, opens the database and the snapshots, and begins to sweep.
 * @throws {StartError} when the folder cannot be made or another process serves it
 */
export async function openStorage(config: Config, { logger, node, onOpened }: StorageParts): Promise<Storage> {
  const warn = (message: string) => (error: unknown) => logger.warn({ err: error }, message);
  const dataDir = resolveDataDir(config);
  await makeFolder(dataDir).catch((error: Error) => {
    const advice = 'set WINNOW_DATA_DIR to a folder that this user may write';
    throw new StartError(`the data folder cannot be made (${error.message}); ${advice}`, { cause: error });
  });
  const lock = await lockDataFolder(dataDir).catch((error: Error) => {
    throw new StartError(error.message, { cause: error });
  });
  onOpened(() => lock.release());
  const store = await openStore({ location: storeLocation(config, dataDir), onError: warn('store') });
  onOpened(() => store.close());
  const snapshots = await openSnapshots(config);
  onOpened(() => snapshots.close());
  const { content } = snapshots;
  const limits = { maxAgeMs: config.retentionAgeMs, maxTotalBytes: config.retentionBytes };
  const sweeping = startSweeping(new SnapshotSweeper(store.snapshots, content, limits), {
    sharing: store.shared && { tasks: store.shared.tasks, node },
    onReport: async (report) => {
      logger.debug(report, 'snapshots swept');
      await store.tidy();
    },
    onError: warn('sweeping failed'),
  });
  onOpened(() => sweeping.stop());
  return { store, content };
}

function storeLocation(config: Config, dataDir: string): StoreOptions['location'] {
  return config.databaseUrl === null
    ? { sqliteFile: path.join(dataDir, 'winnow.db') }
    : { databaseUrl: config.databaseUrl };
}
