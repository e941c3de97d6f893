/**
 * Preloaded into the service with `--import`: records the longest time between two ticks of a timer, in wall time and CPU
 * time of the main thread, and reports both over a socket.
 */
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/** Longest times for which the event loop was blocked since the last reading, in milliseconds. */
export interface LoopHolds {
  readonly cpuMs: number;
  readonly wallMs: number;
}

const TICK_MS = 5;

function startProbe(socket: string): void {
  let holds: LoopHolds = { cpuMs: 0, wallMs: 0 };
  let last = read();
  setInterval(() => {
    const now = read();
    holds = {
      cpuMs: Math.max(holds.cpuMs, now.cpuMs - last.cpuMs),
      wallMs: Math.max(holds.wallMs, now.wallMs - last.wallMs),
    };
    last = now;
  }, TICK_MS).unref();
  createServer((connection) => {
    connection.end(JSON.stringify(holds));
    holds = { cpuMs: 0, wallMs: 0 };
  })
    .listen(socket)
    .unref();
}

function read(): LoopHolds {
  const { user, system } = process.threadCpuUsage();
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() };
}

const socket = process.env['BENCH_LOOP_PROBE'];
// The service's threads, and the processes that it starts, load this too.
if (socket !== undefined && isMainThread && process.argv[2] === 'serve') startProbe(socket);
