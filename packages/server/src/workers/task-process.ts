/** Program of a process that runs the tasks of the module that its first argument names; `TaskProcesses` starts it. */
import { writeSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AppError } from '../domain/shared/errors.ts';

export interface TaskMessage {
  /** Function that the module exports. */
  readonly name: string;
  readonly input: unknown;
}

/** The first message says that the module is loaded, each further one answers a task. */
export type ProcessMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly result: unknown; readonly residentBytes: number }
  /** An AppError, as data: errors lose their fields between processes. */
  | ({ readonly kind: 'refused'; readonly residentBytes: number } & Pick<AppError, 'code' | 'message' | 'stage'>)
  | { readonly kind: 'failed'; readonly reason: string };

const LAST_NICENESS = 19;

/** Reading the resident memory takes .2 ms, a fifth of a small page. Longer tasks are always followed by a reading. */
const READ_MEMORY_MS = 100;

type Tasks = Readonly<Record<string, (input: unknown) => unknown>>;

const [, , module = '', niceness] = process.argv;
let residentReadMs = -Infinity;
let residentBytes = 0;

endWithParent();
// Service managers signal every process. During the grace time of a shutdown, tasks are finished.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
const tasks = (await import(module)) as Tasks;
process.on('message', ({ name, input }: TaskMessage) => {
  void run(name, input).then(
    (result) => send({ kind: 'done', result, residentBytes: readResidentBytes() }),
    (error: unknown) => send(describeFailure(error)),
  );
});
yieldToParent(Number(niceness));
send({ kind: 'ready' });

async function run(name: string, input: unknown): Promise<unknown> {
  const task = tasks[name];
  if (task === undefined) throw new TypeError(`${module} has no task ${name}`);
  return task(input);
}

function describeFailure(error: unknown): ProcessMessage {
  if (!(error instanceof AppError))
    return { kind: 'failed', reason: error instanceof Error ? (error.stack ?? '') : String(error) };
  const { code, message, stage } = error;
  return { kind: 'refused', code, message, stage, residentBytes: readResidentBytes() };
}

/** At most as old as `READ_MEMORY_MS`. */
function readResidentBytes(): number {
  const now = performance.now();
  if (now - residentReadMs >= READ_MEMORY_MS) [residentReadMs, residentBytes] = [now, process.memoryUsage.rss()];
  return residentBytes;
}

function send(message: ProcessMessage): void {
  process.send?.(message, () => undefined);
}

/** Only now: on a busy machine a niced process would load for longer than its first task may take. */
function yieldToParent(more: number): void {
  try {
    setPriority(Math.min(LAST_NICENESS, getPriority() + more));
  } catch {
    // Forbidden here; it works without.
  }
}

/** Standard input ends when the parent dies, even by SIGKILL. Only another thread notices during an endless loop. */
function endWithParent(): void {
  const program = `require('node:fs').readSync(0, Buffer.alloc(1)); process.kill(process.pid, 'SIGKILL');`;
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, codeRangeSizeMb: 8 };
  new Worker(program, { eval: true, resourceLimits }).unref();
  // An ordinary end waits for the thread, which waits for the parent.
  process.on('exit', (code) => {
    writeSync(2, `the process ends itself with code ${code}`);
    process.kill(process.pid, 'SIGKILL');
  });
}
