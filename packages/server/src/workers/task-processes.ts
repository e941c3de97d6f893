import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AppError } from '../domain/shared/errors.ts';
import type { ProcessMessage, TaskMessage } from './task-process.ts';

const PROGRAM = fileURLToPath(new URL('./task-process.ts', import.meta.url));

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Writable address space of an idle process, which is mostly reserved and unused: 650 MiB with Node 24. Doubled, up to
 * the maximum, if a process cannot start with it.
 */
const RESERVED_BYTES = 704 * MIB;
const MAX_RESERVED_BYTES = 4 * RESERVED_BYTES;

/** Processes of one task that may be killed from outside while they start. */
const MAX_KILLED_STARTS = 5;

/** Resident memory after a usual task. */
const MAX_FRESH_BYTES = 160 * MIB;

/** Without it every tick of the event loop waits for extractions. */
const NICENESS = 5;

/**
 * Limits the data of the program by the system, since V8 ends the process at some allocations whatever its own limits
 * are. When the machine runs out of memory, the system ends these processes first.
 */
const START = `ulimit -c 0; ulimit -d "$1"; { echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null
shift; exec "$@"`;

/** Withholds the service's environment, which contains passwords. */
const FOR_PROCESSES = /^(?:PATH|TMPDIR|TZ|LANG|LC_\w+|NODE_COMPILE_CACHE|MALLOC_\w+)$/;

/** Messages of V8, Node and the tasks. */
const OUT_OF_MEMORY =
  /out of memory|allocation failed|failed to allocate|invalid (?:array|table|string) (?:length|size)|invalid size/i;

/** Characters of the error output that are kept for the log. */
const MAX_OUTPUT = 4000;

export interface RunnerLimits {
  readonly memoryBytes: number;
  readonly idleTimeoutMs: number;
}

/** Threads or processes that run one task each at a time. */
export interface TaskRunner {
  /** Threads or processes that live. */
  readonly size: number;
  /** Ends the thread or process of the task when the signal is aborted. */
  run(task: string, input: unknown, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

/** A task ended its process, or needed more memory than that may have. */
export class ProcessFailure extends Error {
  override readonly name = 'ProcessFailure';
  readonly isOutOfMemory: boolean;
  /** From outside and without a message, as the system does when the memory of the machine is exhausted. */
  readonly isKilled: boolean;

  constructor(cause: string, isKilled = false) {
    super(cause);
    this.isKilled = isKilled;
    this.isOutOfMemory = isKilled || OUT_OF_MEMORY.test(cause);
  }
}

/** Runs each task in a process that runs no other task at that time. Idle processes are reused, then ended. */
export class TaskProcesses implements TaskRunner {
  readonly #module: URL;
  readonly #limits: RunnerLimits;
  readonly #idle: TaskProcess[] = [];
  readonly #all = new Set<TaskProcess>();
  #reservedBytes = RESERVED_BYTES;

  /** @param module exports the tasks */
  constructor(module: URL, limits: RunnerLimits) {
    this.#module = module;
    this.#limits = limits;
  }

  get size(): number {
    return this.#all.size;
  }

  /**
   * @throws {AppError} what the task throws
   * @throws {ProcessFailure} if the task ends its process; the reason of the signal after an abort
   */
  async run(name: string, input: unknown, signal: AbortSignal, isRepeated = false): Promise<unknown> {
    const one = await this.#takeLoaded(signal);
    let answer: Answer;
    try {
      answer = await one.run({ name, input }, signal);
    } catch (error) {
      await one.kill();
      // The system may have ended it for the memory of others.
      if (error instanceof ProcessFailure && error.isKilled && !isRepeated) return this.run(name, input, signal, true);
      throw error;
    }
    // The next task gets nearly as much memory as in a new process.
    if (answer.residentBytes > MAX_FRESH_BYTES + this.#limits.memoryBytes / 4) void one.kill();
    else this.#keep(one);
    if (answer.kind === 'done') return answer.result;
    throw new AppError(answer.code, answer.message, { stage: answer.stage });
  }

  async #takeLoaded(signal: AbortSignal): Promise<TaskProcess> {
    for (let killed = 0; ;) {
      const one = this.#idle.pop() ?? this.#start();
      try {
        await one.load(signal);
        return one;
      } catch (error) {
        // No task has begun, so none can be at fault.
        if (error instanceof StartFailure && error.isKilled && killed < MAX_KILLED_STARTS) killed += 1;
        else if (error instanceof StartFailure && !error.isKilled && this.#reservedBytes < MAX_RESERVED_BYTES)
          this.#reservedBytes *= 2;
        else {
          // It goes on loading for the next task: on a busy machine no task would wait long enough.
          if (signal.aborted) this.#keep(one);
          throw error;
        }
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((one) => one.kill()));
  }

  #start(): TaskProcess {
    const started = new TaskProcess(this.#module, this.#limits.memoryBytes, this.#reservedBytes);
    this.#all.add(started);
    void started.ended.then(() => {
      this.#all.delete(started);
      this.#forget(started);
    });
    return started;
  }

  #keep(one: TaskProcess): void {
    if (!this.#all.has(one) || one.isEnding) return;
    this.#idle.push(one);
    one.whenIdle(this.#limits.idleTimeoutMs, () => {
      this.#forget(one);
      void one.kill();
    });
  }

  /** No task gets a process that ends. */
  #forget(one: TaskProcess): void {
    const index = this.#idle.indexOf(one);
    if (index !== -1) this.#idle.splice(index, 1);
  }
}

type Answer = Extract<ProcessMessage, { kind: 'done' | 'refused' }>;

class TaskProcess {
  readonly #child: ChildProcess;
  readonly #loaded: Promise<ProcessMessage | undefined>;
  #output = '';
  /** Takes the next message, or undefined at the end. Promises that outlive a task would keep its result. */
  #take: (message: ProcessMessage | undefined) => void;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Fulfilled when the process and its pipes are gone. */
  readonly ended: Promise<void>;

  constructor(module: URL, memoryBytes: number, reservedBytes: number) {
    const dataKiB = Math.ceil((memoryBytes + reservedBytes) / KIB);
    const heap = `--max-old-space-size=${Math.ceil(memoryBytes / MIB)}`;
    const args = [String(dataKiB), process.execPath, heap, PROGRAM, module.href, String(NICENESS)];
    this.#child = spawn('/bin/sh', ['-c', START, 'sh', ...args], {
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => FOR_PROCESSES.test(name))),
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(0, MAX_OUTPUT);
    });
    const first = Promise.withResolvers<ProcessMessage | undefined>();
    this.#loaded = first.promise;
    this.#take = first.resolve;
    this.#child.on('message', (message: ProcessMessage) => this.#take(message));
    this.ended = once(this.#child, 'close').then(
      () => this.#take(undefined),
      (error: unknown) => {
        this.#output += String(error);
        this.#take(undefined);
      },
    );
  }

  /** @throws {StartFailure} if the process ends; the reason of the signal after an abort */
  async load(signal: AbortSignal): Promise<void> {
    clearTimeout(this.#idleTimer);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort);
    try {
      signal.throwIfAborted();
      const message = await Promise.race([this.#loaded, aborted.promise]);
      if (message !== undefined) return;
      throw this.#child.killed ? new Error(this.#describeEnd()) : new StartFailure(this.#describeEnd(), this.#isKilled);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** @throws {ProcessFailure} if the task ends the process; the reason of the signal after an abort */
  async run(task: TaskMessage, signal: AbortSignal): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<ProcessMessage | undefined>();
    this.#take = resolve;
    // Libraries also write warnings, which explain no later end.
    this.#output = '';
    const end = (): void => void this.kill();
    signal.addEventListener('abort', end);
    // It may have been aborted after the process was loaded.
    if (signal.aborted) end();
    // If it fails, the end of the process gives the reason.
    this.#child.send(task, () => undefined);
    const message = await promise;
    this.#take = ignore;
    signal.removeEventListener('abort', end);
    if (message?.kind === 'done' || message?.kind === 'refused') return message;
    signal.throwIfAborted();
    if (message?.kind !== 'failed') throw this.#explainEnd();
    throw OUT_OF_MEMORY.test(message.reason) ? new ProcessFailure(message.reason) : new Error(message.reason);
  }

  /** Whether it was killed: its last answer may arrive after that, and before its end. */
  get isEnding(): boolean {
    return this.#child.killed;
  }

  whenIdle(timeoutMs: number, act: () => void): void {
    this.#idleTimer = setTimeout(act, timeoutMs).unref();
  }

  async kill(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #describeEnd(): string {
    const { signalCode, exitCode } = this.#child;
    return `the process ended with ${signalCode ?? `code ${exitCode}`}: ${this.#output}`;
  }

  #explainEnd(): Error {
    const cause = this.#describeEnd();
    if (this.#child.killed) return new Error(cause);
    return new ProcessFailure(cause, this.#isKilled);
  }

  /** By the system or somebody else: the process itself ends with a message or another signal. */
  get #isKilled(): boolean {
    return this.#child.signalCode === 'SIGKILL' && this.#output === '';
  }
}

/** For what arrives while no task runs. */
function ignore(): void {
  return undefined;
}

class StartFailure extends Error {
  override readonly name = 'StartFailure';
  readonly isKilled: boolean;

  constructor(cause: string, isKilled: boolean) {
    super(cause);
    this.isKilled = isKilled;
  }
}
