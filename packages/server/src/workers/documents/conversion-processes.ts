import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../domain/shared/errors.ts';
import { toCell } from '../../domain/shared/transfer-cell.ts';
import type { TransferCell } from '../../domain/shared/transfer-cell.ts';
import { NICENESS, WorkerPool } from '../worker-pool.ts';
import type { TaskRunner } from '../worker-pool.ts';
import type { ConversionTask, Converted } from './convert-document.ts';
import type { ProcessMessage } from './conversion-process.ts';
import type { ConvertedDocument, DocumentConverter, DocumentSource } from '../../domain/capture/capture-ports.ts';
import type { StageBudget } from '../../domain/shared/ports.ts';

const PROGRAM = fileURLToPath(new URL('./conversion-process.ts', import.meta.url));

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Writable address space of an idle process, which is mostly reserved and unused: 650 MiB with Node 24. Doubled, up to
 * the maximum, if a process cannot start with it.
 */
const RESERVED_BYTES = 704 * MIB;
const MAX_RESERVED_BYTES = 4 * RESERVED_BYTES;

/** Resident memory after a usual document. */
const MAX_FRESH_BYTES = 160 * MIB;

/**
 * Limits the data of the program by the system, since V8 ends the process at some allocations whatever its own limits
 * are. When the machine runs out of memory, the system ends these processes first.
 */
const START = `ulimit -c 0; ulimit -d "$1"; { echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null
niceness=$2; shift 2; exec nice -n "$niceness" "$@"`;

/** Withholds the service's environment, which contains passwords. */
const FOR_PROCESSES = /^(?:PATH|TMPDIR|TZ|LANG|LC_\w+|NODE_COMPILE_CACHE|MALLOC_\w+)$/;

/** Messages of V8, Node and {@link PROGRAM}. */
const OUT_OF_MEMORY = /out of memory|allocation failed/i;

/** Characters of the error output that are kept for the log. */
const MAX_OUTPUT = 4000;

interface ConversionProcessesOptions {
  /** Per process, for heap and buffers together. */
  readonly memoryBytes: number;
  readonly idleTimeoutMs: number;
}

/** Runs each task in a process that runs no other task at that time. Idle processes are reused, then ended. */
class ConversionProcesses implements TaskRunner {
  readonly #options: ConversionProcessesOptions;
  readonly #idle: ConversionProcess[] = [];
  readonly #all = new Set<ConversionProcess>();
  #reservedBytes = RESERVED_BYTES;

  constructor(options: ConversionProcessesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#all.size;
  }

  /**
   * @throws {AppError} `unsupported_content` or `response_too_large` if the document ends its process; the reason of
   *   the signal after an abort
   */
  async run(name: string, task: unknown, signal: AbortSignal): Promise<TransferCell<Converted>> {
    try {
      return await this.#convert(this.#idle.pop() ?? this.#start(), task as ConversionTask, signal);
    } catch (error) {
      if (!(error instanceof StartFailure) || this.#reservedBytes >= MAX_RESERVED_BYTES) throw error;
      this.#reservedBytes *= 2;
      return this.run(name, task, signal);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((one) => one.kill()));
  }

  #start(): ConversionProcess {
    const started = new ConversionProcess(this.#options.memoryBytes, this.#reservedBytes);
    this.#all.add(started);
    void started.ended.then(() => {
      this.#all.delete(started);
      const index = this.#idle.indexOf(started);
      if (index !== -1) this.#idle.splice(index, 1);
    });
    return started;
  }

  async #convert(one: ConversionProcess, task: ConversionTask, signal: AbortSignal): Promise<TransferCell<Converted>> {
    const { converted, residentBytes } = await one.convert(task, signal).catch(async (error: unknown) => {
      await one.kill();
      throw error;
    });
    // The next document gets nearly as much memory as in a new process.
    if (residentBytes > MAX_FRESH_BYTES + this.#options.memoryBytes / 4) void one.kill();
    else this.#keep(one);
    return toCell(converted);
  }

  #keep(one: ConversionProcess): void {
    this.#idle.push(one);
    one.killWhenIdle(this.#options.idleTimeoutMs);
  }
}

type Answer = Extract<ProcessMessage, { kind: 'converted' }>;

class ConversionProcess {
  readonly #child: ChildProcess;
  #isReady = false;
  #output = '';
  #onMessage: (message: ProcessMessage) => void = () => undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Fulfilled when the process and its pipes are gone. */
  readonly ended: Promise<undefined>;

  constructor(memoryBytes: number, reservedBytes: number) {
    const dataKiB = Math.ceil((memoryBytes + reservedBytes) / KIB);
    const heap = `--max-old-space-size=${Math.ceil(memoryBytes / MIB)}`;
    const args = [String(dataKiB), String(NICENESS), process.execPath, heap, PROGRAM];
    this.#child = spawn('/bin/sh', ['-c', START, 'sh', ...args], {
      stdio: ['pipe', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => FOR_PROCESSES.test(name))),
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(0, MAX_OUTPUT);
    });
    this.#child.on('message', (message: ProcessMessage) => {
      if (message.kind === 'ready') this.#isReady = true;
      else this.#onMessage(message);
    });
    this.ended = once(this.#child, 'close').then(
      () => undefined,
      (error: unknown) => void (this.#output += String(error)),
    );
  }

  /** @throws {AppError} if the document ends the process; the reason of the signal after an abort */
  async convert(task: ConversionTask, signal: AbortSignal): Promise<Answer> {
    clearTimeout(this.#idleTimer);
    const answered = Promise.withResolvers<ProcessMessage>();
    this.#onMessage = answered.resolve;
    const end = (): void => void this.kill();
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    // If it fails, the end of the process gives the reason.
    this.#child.send(task, () => undefined);
    const message = await Promise.race([answered.promise, this.ended]);
    signal.removeEventListener('abort', end);
    if (message?.kind === 'converted') return message;
    signal.throwIfAborted();
    if (message?.kind === 'failed') throw new Error(message.reason);
    throw this.#explainEnd();
  }

  killWhenIdle(timeoutMs: number): void {
    this.#idleTimer = setTimeout(() => void this.kill(), timeoutMs).unref();
  }

  async kill(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #explainEnd(): Error {
    const { signalCode, exitCode } = this.#child;
    const cause = `the process ended with ${signalCode ?? `code ${exitCode}`}: ${this.#output}`;
    if (this.#child.killed) return new Error(cause);
    if (!this.#isReady) return new StartFailure(cause);
    // The system kills without a message when the memory of the machine is exhausted.
    if ((signalCode === 'SIGKILL' && this.#output === '') || OUT_OF_MEMORY.test(this.#output))
      return new AppError(
        'response_too_large',
        'the decompressed document needs more than the memory of its process (WINNOW_WORKER_MEMORY)',
        { cause },
      );
    return new AppError('unsupported_content', 'the document ended the process that read it', { cause });
  }
}

class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

interface DocumentProcessesOptions {
  /** Documents read at the same time. */
  readonly processes: number;
  /** Per process, for heap and buffers together. */
  readonly memoryBytes: number;
  readonly maxQueue: number;
  /** Maximum pages of a PDF. */
  readonly maxPages: number;
  /** Of the resulting page. */
  readonly maxCharacters: number;
}

/** Unless the request has less time. */
const TIMEOUT_MS = 60_000;

/** Converts documents in separate processes, so that a file that crashes its parser affects no other request. */
export class DocumentProcesses implements DocumentConverter {
  readonly #pool: WorkerPool;
  readonly #options: DocumentProcessesOptions;

  constructor(options: DocumentProcessesOptions) {
    this.#options = options;
    this.#pool = new WorkerPool({
      threads: options.processes,
      memoryBytes: options.memoryBytes,
      maxQueue: options.maxQueue,
      name: 'the reading of documents',
      createRunner: (limits) => new ConversionProcesses(limits),
    });
  }

  async convert(source: DocumentSource, { timeoutMs, signal }: StageBudget): Promise<ConvertedDocument> {
    const { maxPages, maxCharacters } = this.#options;
    const task: ConversionTask = { source, maxPages, maxCharacters };
    const budget = { timeoutMs: Math.min(TIMEOUT_MS, timeoutMs), signal };
    const {
      html,
      partial = false,
      refusal,
    } = await this.#pool.run<Converted>('convertDocument', task, 'fetch', budget);
    if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
    return { html, partial };
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}
