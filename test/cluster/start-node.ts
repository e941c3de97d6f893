import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = path.join(import.meta.dirname, '../../packages/server/src/cli/winnow.ts');

export interface Node {
  readonly name: string;
  readonly url: string;
  /** The key-only key, of the node whose start was the deployment's first. */
  readonly key: string | undefined;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `winnow serve` as a process of its own and waits until it listens. */
export async function startNode(
  name: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Node> {
  const dataDir = path.join(folder, name);
  await mkdir(dataDir, { recursive: true });
  const server = spawn(process.execPath, [PROGRAM, 'serve', '--json'], {
    cwd: dataDir,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      WINNOW_DATA_DIR: dataDir,
      WINNOW_PORT: '0',
      WINNOW_LOG_LEVEL: 'fatal',
      WINNOW_SELF_TEST: 'false',
      WINNOW_WORKER_THREADS: '1',
      ...environment,
    },
  });
  const ended = once(server, 'exit') as Promise<[number | null]>;
  const listening = Promise.withResolvers<{ url: string; first_start: { key_only_key: string } | null }>();
  createInterface({ input: server.stdout }).on('line', (line) => {
    const entry = JSON.parse(line) as { event?: string };
    if (entry.event === 'listening') listening.resolve(entry as never);
    else process.stderr.write(`${name}: ${line}\n`);
  });
  void ended.then(([code]) => listening.reject(new Error(`${name} ended with code ${String(code)}`)));
  const { url, first_start: firstStart } = await listening.promise;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    server.kill(signal);
    const [code] = await ended;
    return code;
  };
  return {
    name,
    url,
    key: firstStart?.key_only_key,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}
