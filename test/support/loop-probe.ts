/**
 * Preloaded into a process of Winnow with `--import`: records the longest time between two ticks of a timer, in wall time
 * and CPU time of the main thread, and reports both over a socket. A busy machine lengthens only the wall time.
 */
import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/** Longest times for which the event loop was blocked since the last reading, in milliseconds. */
export interface LoopHolds {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export interface ProbeReading extends LoopHolds {
  /** Heap and buffers of the main thread; without garbage if the process runs with `--expose-gc`. */
  readonly heapBytes: number;
  readonly residentBytes: number;
  readonly descriptors: number;
}

const TICK_MS = 5;

/** The process ends threads and starts others, which load this module too. */
const COMMANDS: ReadonlySet<string | undefined> = new Set(['serve', 'mcp', 'batch']);

function startProbe(socket: string): void {
  let holds: LoopHolds = { cpuMs: 0, wallMs: 0 };
  let last = readTimes();
  const tick = (): void => {
    const now = readTimes();
    holds = {
      cpuMs: Math.max(holds.cpuMs, now.cpuMs - last.cpuMs),
      wallMs: Math.max(holds.wallMs, now.wallMs - last.wallMs),
    };
    last = now;
  };
  setInterval(tick, TICK_MS).unref();
  createServer((connection) => {
    connection.on('error', () => undefined);
    tick();
    connection.end(JSON.stringify({ ...holds, ...readMemory() }));
    holds = { cpuMs: 0, wallMs: 0 };
    // The collection of garbage is the probe's own work.
    last = readTimes();
  })
    .listen(socket)
    .unref();
}

function readTimes(): LoopHolds {
  const { user, system } = process.threadCpuUsage();
  return { cpuMs: (user + system) / 1000, wallMs: performance.now() };
}

function readMemory(): Omit<ProbeReading, keyof LoopHolds> {
  (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, residentBytes: rss, descriptors: countDescriptors() };
}

function countDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}

const socket = process.env['LOOP_PROBE'];
if (socket !== undefined && isMainThread && COMMANDS.has(process.argv[2])) startProbe(socket);
