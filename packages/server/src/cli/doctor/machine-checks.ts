import path from 'node:path';
import { resolveDataDir, startsBrowsers, type Config } from '../../config/config.ts';
import { whyNoSandbox } from '../../engines/chromium/browsers/launch-browser.ts';
import { closing } from '../../domain/shared/closing.ts';
import { openSnapshots } from '../../composition/open-snapshots.ts';
import type { LocalEngines } from '../support/open-local-engines.ts';
import { checkFreeSpace } from '../../snapshots/free-space.ts';
import { adviseOnStorage } from '../../composition/process/start-error.ts';
import { withStore } from '../support/open-command-store.ts';
import type { Check } from '../../composition/self-test/check.ts';
import { SANDBOX_ADVICE } from './engine-checks.ts';

/** Required for type stripping, `node:sqlite` and zstd. */
const NEEDED_NODE = 24;

/** Milliseconds in which a worker starts and answers, also on a busy machine. */
const WORKER_MS = 30_000;

/** Checks that need no page: Node, data folder, database, workers, sandbox. */
export function createMachineChecks(config: Config, engines: LocalEngines): Check[] {
  const dataDir = resolveDataDir(config);
  return [
    {
      name: 'node',
      timeoutMs: 1000,
      advice: () => `run it with Node.js ${NEEDED_NODE}: ./winnow and npm start include it`,
      run: async () => checkNode(process.versions.node),
    },
    {
      name: 'data folder',
      timeoutMs: 10_000,
      advice: (error) => adviseOnStorage(error) ?? adviseOnSnapshots(config),
      run: () => checkSnapshots(config, dataDir),
    },
    {
      name: 'database',
      timeoutMs: 20_000,
      advice: (error) =>
        adviseOnStorage(error) ??
        (config.databaseUrl === null
          ? `this user must be able to write ${path.join(dataDir, 'winnow.db')}`
          : 'check WINNOW_DATABASE_URL, and that the PostgreSQL server runs and accepts this user'),
      run: () => checkDatabase(config),
    },
    {
      name: 'workers',
      timeoutMs: WORKER_MS + 5000,
      advice: () => 'the machine may be out of memory: see WINNOW_WORKER_MEMORY and WINNOW_WORKER_THREADS',
      run: () => engines.worker.check(WORKER_MS),
    },
    ...(startsBrowsers(config) ? [createSandboxCheck(config)] : []),
  ];
}

function adviseOnSnapshots(config: Config): string {
  return config.s3Bucket === null
    ? 'set WINNOW_DATA_DIR to a folder that this user can write to'
    : 'check WINNOW_S3_BUCKET and the other settings of WINNOW_S3, and that the bucket can be reached';
}

async function checkNode(version: string): Promise<string> {
  if (Number.parseInt(version, 10) < NEEDED_NODE) throw new Error(`version ${version}, ${NEEDED_NODE} is needed`);
  return `version ${version}`;
}

async function checkSnapshots(config: Config, dataDir: string): Promise<string> {
  await using snapshots = closing(await openSnapshots(config));
  const { content } = snapshots;
  await content.check();
  const text = `<!-- written by winnow doctor, ${new Date().toISOString()}, process ${process.pid} -->`;
  const { hash } = await content.put(text);
  const readBack = await content.get(hash);
  await content.delete(hash);
  if (readBack !== text) throw new Error('written data could not be read back');
  return `${config.s3Bucket === null ? dataDir : `the bucket ${config.s3Bucket}`} can be written`;
}

/** Opening the database includes a write. */
async function checkDatabase(config: Config): Promise<string> {
  const count = await withStore(config, async (store) => {
    await store.check();
    // A nearly full disk may allow this write and fail the next.
    if (config.databaseUrl === null) checkFreeSpace(resolveDataDir(config));
    return (await store.projects.list()).length;
  });
  return `${config.databaseUrl === null ? 'SQLite' : 'PostgreSQL'} answers; ${count} ${count === 1 ? 'project' : 'projects'}`;
}

function createSandboxCheck(config: Config): Check {
  const isRoot = process.getuid?.() === 0;
  return {
    name: 'browser sandbox',
    timeoutMs: 1000,
    onlyWarns: true,
    advice: () => (isRoot ? 'run the service as a user other than root' : SANDBOX_ADVICE),
    run: async () => {
      const why = whyNoSandbox(config.chromiumSandbox === 'off');
      if (why !== undefined) throw new Error(`Chromium runs without it, because ${isRoot ? 'this user is root' : why}`);
      return 'on';
    },
  };
}
