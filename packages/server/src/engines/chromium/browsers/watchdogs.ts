import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Protocol } from 'devtools-protocol/types/protocol.js';
import type { DevtoolsConnection, DevtoolsSession } from '../devtools/devtools-connection.ts';

export interface WatchdogOptions {
  readonly connection: DevtoolsConnection;
  readonly maxRendererBytes: number;
  /** Of all threads. */
  readonly maxRendererCpuMs: number;
  readonly onKill: (pid: number, excess: string) => void;
  /** Receives the memory of all processes but renderers. */
  readonly onMeasured: (ownBytes: number) => void;
}

const POLL_MS = 100;
const LOOKS_PER_LIST = 3;
/** The browser's own processes grow slowly. */
const LISTS_PER_MEASUREMENT = 3;

/** Distinguishes the watchdog's kills from the kernel's, which use SIGKILL. */
export function isWatchdogsKill(errorCode: number): boolean {
  return errorCode !== constants.signals.SIGKILL;
}

const HAS_PROC = readProcessMemory(process.pid).residentBytes > 0;
const NETWORK = 'network.mojom.NetworkService';

/**
 * Ends renderers that exceed limits of memory or CPU time. V8's limits ignore typed arrays, and deadlines ignore worker
 * threads.
 */
export class ProcessWatchdog {
  readonly #options: WatchdogOptions;
  #renderers: readonly Protocol.SystemInfo.ProcessInfo[] = [];
  #ending: ReadonlySet<number> = new Set();
  #looks = 0;
  #network: number | undefined;
  networkLosses = 0;
  readonly #endPoll: () => void;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#endPoll = poll(() => this.#look(), POLL_MS);
  }

  stop(): void {
    this.#endPoll();
  }

  /** Notes the network process unless it is known. Only the loss of a known process is counted. */
  noteNetwork(): void {
    if (this.#network === undefined) this.#list(false).catch(() => {});
  }

  /** @throws {DevtoolsClosedError} {@link DevtoolsError} */
  async countNetworkLosses(): Promise<number> {
    await this.#list(false);
    return this.networkLosses;
  }

  async #look(): Promise<void> {
    const look = this.#looks++;
    if (look % LOOKS_PER_LIST === 0) await this.#list(look % (LOOKS_PER_LIST * LISTS_PER_MEASUREMENT) === 0);
    for (const renderer of this.#renderers) this.#judge(renderer);
  }

  async #list(isMeasured: boolean): Promise<void> {
    const { connection, onMeasured } = this.#options;
    const { processInfo } = await connection.send('SystemInfo.getProcessInfo');
    this.#renderers = processInfo.filter(isRenderer);
    this.#ending = new Set(this.#renderers.map(({ id }) => id).filter((id) => this.#ending.has(id)));
    this.#compareNetwork(processInfo.find(({ type, id }) => type === NETWORK && isAlive(id))?.id);
    if (!isMeasured) return;
    const others = processInfo.filter((process) => !isRenderer(process));
    onMeasured(others.reduce((sum, { id }) => sum + readProcessMemory(id).ownBytes, 0));
  }

  #compareNetwork(pid: number | undefined): void {
    if (this.#network !== undefined && this.#network !== pid) this.networkLosses += 1;
    this.#network = pid;
  }

  #judge(renderer: Protocol.SystemInfo.ProcessInfo): void {
    const excess = this.#excessOf(renderer);
    if (excess === undefined) return;
    this.#renderers = this.#renderers.filter(({ id }) => id !== renderer.id);
    if (this.#ending.has(renderer.id)) return void kill(renderer.id, 'SIGKILL');
    this.#ending = new Set([...this.#ending, renderer.id]);
    if (kill(renderer.id, 'SIGTERM')) this.#options.onKill(renderer.id, excess);
  }

  #excessOf({ id, cpuTime }: Protocol.SystemInfo.ProcessInfo): string | undefined {
    const { maxRendererBytes, maxRendererCpuMs } = this.#options;
    const { residentBytes } = readProcessMemory(id);
    if (residentBytes > maxRendererBytes) return `memory (${Math.round(residentBytes / 1_048_576)} MiB)`;
    return cpuTime * 1000 > maxRendererCpuMs ? `processor time (${Math.round(cpuTime)} s)` : undefined;
  }
}

/** A killed process stays listed without memory until the browser notices. */
function isAlive(pid: number): boolean {
  return !HAS_PROC || readProcessMemory(pid).residentBytes > 0;
}

function isRenderer({ type }: Protocol.SystemInfo.ProcessInfo): boolean {
  return type === 'renderer';
}

function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Bytes of a process; 0 if unknown. */
interface ProcessMemory {
  readonly residentBytes: number;
  /** Without file mappings, which processes share. */
  readonly ownBytes: number;
}

/** Synchronous: the kernel is faster than a thread hand-over. */
function readProcessMemory(pid: number): ProcessMemory {
  try {
    // `statm` has pages of varying size; `smaps_rollup` is slow.
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const residentBytes = readField(status, /^VmRSS:\s+(\d+) kB$/m);
    return { residentBytes, ownBytes: residentBytes - readField(status, /^RssFile:\s+(\d+) kB$/m) };
  } catch {
    return { residentBytes: 0, ownBytes: 0 };
  }
}

function readField(status: string, pattern: RegExp): number {
  return Number(pattern.exec(status)?.[1] ?? 0) * 1024;
}

const HEAP_POLL_MS = 250;

/**
 * Watches a page's memory where processes are not visible. A page answers only between tasks.
 * @returns stops the watch
 */
export function watchHeap(session: DevtoolsSession, maxBytes: number, onExceeded: (bytes: number) => void): () => void {
  const look = async (): Promise<void> => {
    const usage = await session.send('Runtime.getHeapUsage');
    // Older browsers state the first part only.
    const bytes = usage.usedSize + (usage.embedderHeapUsedSize ?? 0) + (usage.backingStorageSize ?? 0);
    if (bytes > maxBytes) onExceeded(bytes);
  };
  return poll(look, HEAP_POLL_MS);
}

/**
 * Calls `look` repeatedly, never concurrently; ignores failures.
 * @returns stops the calls
 */
function poll(look: () => Promise<void>, everyMs: number): () => void {
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch(() => {})
      .finally(() => (isLooking = false));
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
