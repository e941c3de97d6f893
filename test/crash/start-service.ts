import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = path.join(import.meta.dirname, '../../packages/server/src/cli/winnow.ts');

export interface RunningService {
  readonly url: string;
  /** The key-only key of the first start. */
  readonly key: string | undefined;
  isKilled(): boolean;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}

/** Starts `winnow serve` as a process of its own and waits until it listens. */
export async function startService(options: { dataDir: string; allow: string }): Promise<RunningService> {
  const server = spawn(process.execPath, [PROGRAM, 'serve', '--json'], {
    cwd: options.dataDir,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      WINNOW_DATA_DIR: options.dataDir,
      WINNOW_PORT: '0',
      WINNOW_EGRESS_ALLOW: options.allow,
      WINNOW_LOG_LEVEL: 'error',
      WINNOW_SELF_TEST: 'false',
    },
  });
  const ended = once(server, 'exit');
  let killed = false;
  const lines = createInterface({ input: server.stdout });
  const listening = Promise.withResolvers<{ url: string; first_start: { key_only_key: string } | null }>();
  lines.on('line', (line) => {
    const entry = JSON.parse(line) as { event?: string };
    if (entry.event === 'listening') listening.resolve(entry as never);
    else process.stderr.write(`${line}\n`);
  });
  void ended.then(([code]) => listening.reject(new Error(`winnow serve ended with code ${String(code)}`)));
  const { url, first_start: firstStart } = await listening.promise;
  return {
    url,
    key: firstStart?.key_only_key,
    isKilled: () => killed,
    kill: async () => {
      killed = true;
      server.kill('SIGKILL');
      await ended;
    },
  };
}
