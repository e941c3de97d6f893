import type { ProjectRepository } from '../keys/key-ports.ts';
import type { DetailedRequest, RequestLogRepository } from './ports.ts';

const FLUSH_MS = 1000;

/** Milliseconds between trims of every project, for entries that grow old in projects without requests. */
const TRIM_ALL_MS = 60 * 60 * 1000;

/** Entries of one project that wait for the next write at most; more are dropped and counted. */
const MAX_WAITING = 2000;

export interface RequestLogRecorderDeps {
  readonly requests: RequestLogRepository;
  readonly projects: Pick<ProjectRepository, 'list'>;
  readonly maxAgeMs: number;
  /** Entries that each project keeps. */
  readonly maxRows: number;
  readonly onError: (error: unknown) => void;
  /** Hears how many entries were not recorded because more came than can be written. */
  readonly onDropped: (count: number) => void;
  readonly now?: () => Date;
}

/**
 * Gathers answered requests in memory and writes them every second, so that no request waits for it; a crash loses the
 * last second. Every project has bounds of its own: none can evict the entries of another.
 */
export class RequestLogRecorder {
  readonly #deps: RequestLogRecorderDeps;
  #waiting = new Map<string, DetailedRequest[]>();
  /** Keys over their quota that were recorded since the last write. */
  #limitedKeys = new Set<string | null>();
  #dropped = 0;
  /** Entries of each project since its last trim. */
  readonly #untrimmed = new Map<string, number>();
  #timers: NodeJS.Timeout[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(deps: RequestLogRecorderDeps) {
    this.#deps = deps;
  }

  start(): void {
    const run = (work: () => Promise<void>) => () => void work().catch(this.#deps.onError);
    const trimAll = run(() => this.trimAll());
    this.#timers = [
      setInterval(
        run(() => this.flush()),
        FLUSH_MS,
      ).unref(),
      setInterval(trimAll, TRIM_ALL_MS).unref(),
    ];
    trimAll();
  }

  record(request: DetailedRequest): void {
    // A key over its quota may call thousands of times a second: one refusal a write tells as much.
    if (request.code === 'rate_limited') {
      if (this.#limitedKeys.has(request.keyId)) return;
      this.#limitedKeys.add(request.keyId);
    }
    const waiting = this.#waiting.get(request.projectId) ?? [];
    if (waiting.length >= MAX_WAITING) {
      this.#dropped += 1;
      return;
    }
    waiting.push(request);
    this.#waiting.set(request.projectId, waiting);
  }

  /** Writes what was recorded so far; writes follow each other. */
  async flush(): Promise<void> {
    const waiting = this.#waiting;
    const dropped = this.#dropped;
    this.#waiting = new Map();
    this.#limitedKeys = new Set();
    this.#dropped = 0;
    if (dropped > 0) this.#deps.onDropped(dropped);
    if (waiting.size === 0) return this.#writing;
    const write = this.#writing.then(() => this.#write(waiting));
    this.#writing = write.catch(() => undefined);
    await write;
  }

  async #write(waiting: ReadonlyMap<string, readonly DetailedRequest[]>): Promise<void> {
    for (const [projectId, requests] of waiting) {
      await this.#deps.requests.insert(requests);
      const untrimmed = (this.#untrimmed.get(projectId) ?? 0) + requests.length;
      this.#untrimmed.set(projectId, untrimmed);
      // A tenth over the bound at most, and not a trim for each write.
      if (untrimmed * 10 >= this.#deps.maxRows) await this.#trim(projectId);
    }
  }

  /** Trims every project. */
  async trimAll(): Promise<void> {
    for (const { id } of await this.#deps.projects.list()) await this.#trim(id);
  }

  async #trim(projectId: string): Promise<void> {
    const now = this.#deps.now?.() ?? new Date();
    const before = new Date(now.getTime() - this.#deps.maxAgeMs);
    this.#untrimmed.delete(projectId);
    await this.#deps.requests.trim(projectId, { before, maxRows: this.#deps.maxRows });
  }

  /** Writes what is left. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.flush();
  }
}
