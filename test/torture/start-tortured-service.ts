import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = path.join(import.meta.dirname, '../../packages/server/src/cli/winnow.ts');

/** The service as a process of its own, as it runs in production. */
export interface TorturedService {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  /** Lines of its log from level error on. */
  readonly errors: readonly string[];
  isRunning(): boolean;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** @param key of an earlier start on the same folder: only the first start makes one */
export async function startTorturedService(
  dataDir: string,
  allow: readonly string[],
  key?: string,
): Promise<TorturedService> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--json'], {
    cwd: dataDir,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      WINNOW_DATA_DIR: dataDir,
      WINNOW_PORT: '0',
      WINNOW_EGRESS_ALLOW: allow.join(','),
      WINNOW_LOG_LEVEL: 'error',
      WINNOW_SELF_TEST: 'false',
      // All sites are on one address here; the port tells them apart, and one of them has all the pages.
      WINNOW_HOST_CONCURRENCY: '32',
    },
  });
  // Not `exit`: its last lines come after that.
  const ended = once(child, 'close') as Promise<[number | null]>;
  const errors: string[] = [];
  const listening = Promise.withResolvers<{ url: string; first_start?: { key_only_key: string } }>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const entry = JSON.parse(line) as { event?: string };
    if (entry.event === 'listening') listening.resolve(entry as never);
    else errors.push(line);
  });
  void ended.then(([code]) => listening.reject(new Error(`winnow serve ended with code ${String(code)}`)));
  const { url, first_start: first } = await listening.promise;
  return {
    url,
    key: key ?? first?.key_only_key ?? '',
    pid: child.pid ?? 0,
    errors,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      child.kill('SIGTERM');
      return (await ended)[0];
    },
  };
}
