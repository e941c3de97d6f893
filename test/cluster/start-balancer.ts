/** nginx from Debian, with the configuration of `deploy/`, in front of nodes on loopback ports. */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PROGRAM = '/usr/sbin/nginx';
const CONFIGURATION = path.join(import.meta.dirname, '../../deploy/nginx.conf');

export interface Balancer {
  readonly url: string;
  /** Requests that each node answered, by its address. */
  countByNode(): Promise<Map<string, number>>;
  stop(): Promise<void>;
}

/** Returns undefined when nginx is not installed. */
export function findNginx(): string | undefined {
  return existsSync(PROGRAM) ? PROGRAM : undefined;
}

export async function startBalancer(program: string, folder: string, nodes: readonly string[]): Promise<Balancer> {
  const port = await findFreePort();
  const log = path.join(folder, 'balancer.log');
  const place = path.join(folder, 'nginx');
  await mkdir(place, { recursive: true });
  const file = path.join(place, 'nginx.conf');
  await writeFile(file, adapt(await readFile(CONFIGURATION, 'utf8'), { port, log, nodes }));
  const server = spawn(program, ['-c', file, '-p', place, '-e', path.join(place, 'error.log')], { stdio: 'inherit' });
  const ended = once(server, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while ((await fetch(`${url}/healthz`).catch(() => undefined)) === undefined) {
    if (server.exitCode !== null) throw new Error('the load balancer ended');
    await sleep(50);
  }
  return {
    url,
    countByNode: async () => {
      const counts = new Map<string, number>();
      for (const line of (await readFile(log, 'utf8')).split('\n')) {
        const node = line.split(', ').at(-1) ?? '';
        if (node !== '') counts.set(node, (counts.get(node) ?? 0) + 1);
      }
      return counts;
    },
    stop: async () => {
      server.kill('SIGTERM');
      await ended;
    },
  };
}

interface Place {
  readonly port: number;
  readonly log: string;
  readonly nodes: readonly string[];
}

/** Workers started by root would run as another user, who cannot write large bodies to the temporary folder. */
const USER = process.getuid?.() === 0 ? 'user root;\n' : '';

/** Changes only addresses, logs and process settings. */
function adapt(text: string, { port, log, nodes }: Place): string {
  const servers = nodes.map((url) => `    server ${new URL(url).host} max_fails=2 fail_timeout=5s;\n`).join('');
  return text
    .replace(/(?: {4}server winnow-\d:8080.*\n)+/, servers)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('worker_processes auto;', `${USER}worker_processes 1;\ndaemon off;`)
    .replace('error_log stderr;', 'error_log error.log;')
    .replace('access_log off;', `log_format node '$upstream_addr';\n  access_log ${log} node;`);
}

/** Returns a port below those that systems give out on their own, so that no connection takes it before nginx does. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
