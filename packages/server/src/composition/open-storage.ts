import { mkdirSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { resolveDataDir, type Config } from '../config/config.ts';
import type { Logger } from '../domain/shared/ports.ts';
import type { SnapshotContent } from '../domain/storage/snapshot-ports.ts';
import { makeDataFolder, openConfiguredStore } from './open-configured-store.ts';
import { openSnapshots } from './open-snapshots.ts';
import { SnapshotSweeper, startSweeping } from '../snapshots/snapshot-sweeper.ts';
import { StartError } from './process/start-error.ts';
import { lockDataFolder } from '../store/data-folder-lock.ts';
import type { Store } from '../store/open-store.ts';
import { readRegularFile } from '../config/regular-file.ts';
import { createSecretBox, type SecretBox } from '../domain/shared/secrets.ts';
import type { OnStorageError } from '../sqlite/sqlite-faults.ts';

interface StorageParts {
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

const KEY_FILE = 'secret.key';

/**
 * Opens the box with the configured key, or a key file created on demand. Undefined if nodes share a database without a
 * configured key: each would have its own.
 */
export function openSecrets(config: Config): SecretBox | undefined {
  const { secretKey } = config;
  if (secretKey !== null) return createSecretBox(() => secretKey);
  return config.databaseUrl === null ? createSecretBox(() => readKeyFile(resolveDataDir(config))) : undefined;
}

function readKeyFile(folder: string): Uint8Array {
  const file = path.join(folder, KEY_FILE);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, randomBytes(32), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readRegularFile(file, 1024);
}

const SPAN_MS = 60_000;

/**
 * Logs errors that prevent writes, for example a full disk, once a minute with their number and without a stack.
 * @param now monotonic clock in milliseconds
 */
export function logStorageErrors(logger: Logger, now: () => number = () => performance.now()): OnStorageError {
  const known = new Map<string, { quietUntil: number; failures: number }>();
  return ({ message, cause }) => {
    const fault = known.get(message) ?? { quietUntil: -Infinity, failures: 0 };
    known.set(message, fault);
    fault.failures += 1;
    if (now() < fault.quietUntil) return;
    logger.error({ reason: cause instanceof Error ? cause.message : undefined, failures: fault.failures }, message);
    fault.quietUntil = now() + SPAN_MS;
    fault.failures = 0;
  };
}
