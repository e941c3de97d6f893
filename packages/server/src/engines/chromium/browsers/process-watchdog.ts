import { constants } from 'node:os';
import type { DevtoolsConnection } from '../devtools/devtools-connection.ts';
import { poll } from '../devtools/poll.ts';
import { readProcessMemory } from './process-memory.ts';

export interface WatchdogOptions {
  readonly connection: DevtoolsConnection;
  /** Resident bytes above which a renderer is ended. */
  readonly maxRendererBytes: number;
  /** Milliseconds of processor time, of all its threads, above which a renderer is ended. */
  readonly maxRendererCpuMs: number;
  /** A renderer was ended: of what it took too much, and how much that was, in words. */
  readonly onKill: (pid: number, excess: string) => void;
  /** Told now and then: the bytes that the processes hold that are no renderers. */
  readonly onMeasured: (ownBytes: number) => void;
}

export interface ProcessWatchdog {
  /** How often the network process was lost, as far as the last list tells. */
  readonly networkLosses: number;
  /**
   * How often it was lost up to now.
   * @throws {DevtoolsClosedError} {@link DevtoolsError}
   */
  countNetworkLosses(): Promise<number>;
  /** Ends the watch. */
  stop(): void;
}

const POLL_MS = 100;
/** Processes come and go with pages: the list, which tells their processor time too, is asked for at every third look. */
const LOOKS_PER_LIST = 3;
/** The browser's own processes live long, and grow slowly. */
const LISTS_PER_MEASUREMENT = 3;

/**
 * Whether a renderer that ended with this error code may have been ended here: others (the kernel that is out of memory) kill
 * with 9. In a sandbox, where it is the first process of its kind, a renderer that is asked to end has an exit code of its own.
 */
export function isWatchdogsKill(errorCode: number): boolean {
  return errorCode !== constants.signals.SIGKILL;
}

/** Whether the system tells of processes at all. */
const HAS_PROC = readProcessMemory(process.pid).residentBytes > 0;
const NETWORK = 'network.mojom.NetworkService';

interface ProcessInfo {
  readonly type: string;
  readonly id: number;
  /** Seconds of processor time of all threads since the process began. */
  readonly cpuTime: number;
}

/**
 * Ends renderers of a local browser that take too much memory or processor time, and measures the browser's other
 * processes. V8's own limits do not cover typed arrays, and a deadline does not count the threads that workers keep
 * busy. The browser and its other pages go on.
 */
export function watchProcesses(options: WatchdogOptions): ProcessWatchdog {
  return new Watchdog(options);
}

class Watchdog implements ProcessWatchdog {
  readonly #options: WatchdogOptions;
  #renderers: readonly ProcessInfo[] = [];
  /** Those that were told to end. */
  #ending: ReadonlySet<number> = new Set();
  #looks = 0;
  /** The network process that was listed last; it is started when it is needed. */
  #network: number | undefined;
  networkLosses = 0;
  readonly #endPoll: () => void;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#endPoll = poll(() => this.#look(), POLL_MS);
    // What is lost from now on is noticed.
    this.#list(false).catch(() => {});
  }

  stop(): void {
    this.#endPoll();
  }

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
    const { processInfo } = await connection.send<{ processInfo: ProcessInfo[] }>('SystemInfo.getProcessInfo');
    this.#renderers = processInfo.filter(isRenderer);
    this.#ending = new Set(this.#renderers.map(({ id }) => id).filter((id) => this.#ending.has(id)));
    this.#noteNetwork(processInfo.find(({ type, id }) => type === NETWORK && isAlive(id))?.id);
    if (!isMeasured) return;
    const others = processInfo.filter((process) => !isRenderer(process));
    onMeasured(others.reduce((sum, { id }) => sum + readProcessMemory(id).ownBytes, 0));
  }

  #noteNetwork(pid: number | undefined): void {
    if (this.#network !== undefined && this.#network !== pid) this.networkLosses += 1;
    this.#network = pid;
  }

  #judge(renderer: ProcessInfo): void {
    const excess = this.#excessOf(renderer);
    if (excess === undefined) return;
    // Until the next list; the browser takes it off its own as soon as it notices.
    this.#renderers = this.#renderers.filter(({ id }) => id !== renderer.id);
    if (this.#ending.has(renderer.id)) return void kill(renderer.id, 'SIGKILL');
    this.#ending = new Set([...this.#ending, renderer.id]);
    if (kill(renderer.id, 'SIGTERM')) this.#options.onKill(renderer.id, excess);
  }

  #excessOf({ id, cpuTime }: ProcessInfo): string | undefined {
    const { maxRendererBytes, maxRendererCpuMs } = this.#options;
    const { residentBytes } = readProcessMemory(id);
    if (residentBytes > maxRendererBytes) return `memory (${Math.round(residentBytes / 1_048_576)} MiB)`;
    return cpuTime * 1000 > maxRendererCpuMs ? `processor time (${Math.round(cpuTime)} s)` : undefined;
  }
}

/** A process that was killed is listed until the browser notices, and then has no memory left. */
function isAlive(pid: number): boolean {
  return !HAS_PROC || readProcessMemory(pid).residentBytes > 0;
}

function isRenderer({ type }: ProcessInfo): boolean {
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
