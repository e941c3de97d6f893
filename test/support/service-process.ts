import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const WINNOW = path.join(import.meta.dirname, '../../winnow');

/** `winnow serve` in a separate process, as in production. */
export interface ServiceProcess {
  readonly url: string;
  readonly pid: number;
  /** The standalone key; undefined unless this start was the deployment's first. */
  readonly key: string | undefined;
  /** Project and keys of the deployment's first start; null at later starts. */
  readonly firstStart: FirstStart | null;
  /** One-time address at which the first administrator is created; null once there is one. */
  readonly setupUrl: string | null;
  isRunning(): boolean;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export interface ServiceProcessOptions {
  readonly dataDir: string;
  /** Additional variables; by default a free port, no self-test and no warm-up. */
  readonly environment: Readonly<Record<string, string>>;
  /** Receives each log line. */
  readonly onLine: (line: string) => void;
}

/** Resolves when the service listens; rejects if it ends first. */
export async function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { dataDir, environment, onLine } = options;
  const child = spawn(WINNOW, ['serve', '--json'], {
    cwd: dataDir,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      WINNOW_DATA_DIR: dataDir,
      WINNOW_PORT: '0',
      WINNOW_SELF_TEST: 'false',
      WINNOW_KEEP_WARM: '0s',
      ...environment,
    },
  });
  // Not `exit`: the last lines arrive later.
  const ended = once(child, 'close') as Promise<[number | null]>;
  const listening = Promise.withResolvers<Listening>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const entry = JSON.parse(line) as Listening | { readonly event?: undefined };
    if (entry.event === 'listening') listening.resolve(entry);
    else onLine(line);
  });
  void ended.then(([code]) => listening.reject(new Error(`winnow serve ended with code ${String(code)}`)));
  const { url, first_start: firstStart, setup_url: setupUrl } = await listening.promise;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    const [code] = await ended;
    return code;
  };
  return {
    url,
    pid: child.pid ?? 0,
    key: firstStart?.key_only_key,
    firstStart,
    setupUrl,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

/** The line of `serve --json` that announces the address. */
interface Listening {
  readonly event: 'listening';
  readonly url: string;
  readonly first_start: FirstStart | null;
  readonly setup_url: string | null;
}

interface FirstStart {
  readonly project_id: string;
  readonly project_key: string;
  readonly key_only_key: string;
  readonly sample_dom_id: string | null;
}
