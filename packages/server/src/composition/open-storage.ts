import { resolveDataDir } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../domain/shared/ports.ts';
import type { SnapshotContent } from '../domain/storage/snapshot-ports.ts';
import { logStorageErrors } from './process/log-storage-errors.ts';
import { makeDataFolder, openConfiguredStore } from './open-configured-store.ts';
import { openSnapshots } from './open-snapshots.ts';
import { SnapshotSweeper } from '../snapshots/snapshot-sweeper.ts';
import { startSweeping } from '../snapshots/sweep-schedule.ts';
import { StartError } from './process/start-error.ts';
import { lockDataFolder } from '../store/data-folder-lock.ts';
import type { Store } from '../store/open-store.ts';

export interface StorageParts {
  readonly logger: Logger;
  /** Unique name of this process. */
  readonly node: string;
  /** Called for each opened part; close them in reverse order. */
  readonly onOpened: (close: () => Promise<void> | void) => void;
}

export interface Storage {
  readonly store: Store;
  readonly content: SnapshotContent;
}

/**
 * Locks the data folder, opens the database and snapshots, and starts sweeping.
 * @throws {StartError} with the fault
 */
export async function openStorage(config: Config, { logger, node, onOpened }: StorageParts): Promise<Storage> {
  const warn = (message: string) => (error: unknown) => logger.warn({ err: error }, message);
  const dataDir = resolveDataDir(config);
  await makeDataFolder(dataDir);
  const lock = await lockDataFolder(dataDir).catch((error: Error) => {
    throw new StartError(error.message, { cause: error });
  });
  onOpened(() => lock.release());
  const onStorageError = logStorageErrors(logger);
  const store = await openConfiguredStore(config, warn('store'), onStorageError);
  onOpened(() => store.close());
  const snapshots = await openSnapshots(config, onStorageError);
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
