import type { ProjectRepository } from '../keys/key-ports.ts';
import { WriteBehind } from '../shared/write-behind.ts';
import { entryBytes, type DetailedRequest, type RequestLogRepository } from './ports.ts';

const FLUSH_MS = 1000;

/** Projects with requests are trimmed earlier. */
const TRIM_ALL_MS = 60 * 60 * 1000;

/** Per project; excess is dropped. */
const MAX_WAITING = 2000;

export interface RequestLogRecorderDeps {
  readonly requests: RequestLogRepository;
  readonly projects: Pick<ProjectRepository, 'list'>;
  readonly maxAgeMs: number;
  /** Per project. */
  readonly maxRows: number;
  /** Per project. */
  readonly maxBytes: number;
  readonly onError: (error: unknown) => void;
  readonly onDropped: (count: number) => void;
  readonly now?: () => Date;
}

/**
 * Writes every second; a crash loses unwritten entries. Limits are per project, so that none evicts the entries of another.
 */
export class RequestLogRecorder {
  readonly #deps: RequestLogRecorderDeps;
  #waiting = new Map<string, DetailedRequest[]>();
  /** Keys refused since the last write. */
  #limitedKeys = new Set<string | null>();
  #dropped = 0;
  /** Share of the limits that was written since the last trim. */
  readonly #untrimmed = new Map<string, number>();
  readonly #writes: WriteBehind;
  #trimming: NodeJS.Timeout | undefined;

  constructor(deps: RequestLogRecorderDeps) {
    this.#deps = deps;
    this.#writes = new WriteBehind(() => this.#writeAll(), { delayMs: FLUSH_MS, onError: deps.onError });
  }

  start(): void {
    const trimAll = (): void => void this.trimAll().catch(this.#deps.onError);
    this.#trimming = setInterval(trimAll, TRIM_ALL_MS).unref();
    trimAll();
  }

  record(request: DetailedRequest): void {
    this.#writes.schedule();
    // One refusal per key and write suffices.
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

  flush(): Promise<void> {
    return this.#writes.flush();
  }

  async #writeAll(): Promise<void> {
    const waiting = this.#waiting;
    const dropped = this.#dropped;
    this.#waiting = new Map();
    this.#limitedKeys = new Set();
    this.#dropped = 0;
    if (dropped > 0) this.#deps.onDropped(dropped);
    for (const [projectId, requests] of waiting) {
      await this.#deps.requests.insert(requests);
      const bytes = requests.reduce((sum, request) => sum + entryBytes(request), 0);
      const written = Math.max(requests.length / this.#deps.maxRows, bytes / this.#deps.maxBytes);
      const untrimmed = (this.#untrimmed.get(projectId) ?? 0) + written;
      this.#untrimmed.set(projectId, untrimmed);
      // Trims after a tenth of the limits, not at every write.
      if (untrimmed >= 0.1) await this.#trim(projectId);
    }
  }

  async trimAll(): Promise<void> {
    for (const { id } of await this.#deps.projects.list()) await this.#trim(id);
  }

  async #trim(projectId: string): Promise<void> {
    const now = this.#deps.now?.() ?? new Date();
    const before = new Date(now.getTime() - this.#deps.maxAgeMs);
    this.#untrimmed.delete(projectId);
    const { maxRows, maxBytes } = this.#deps;
    await this.#deps.requests.trim(projectId, { before, maxRows, maxBytes });
  }

  async stop(): Promise<void> {
    clearInterval(this.#trimming);
    await this.flush();
  }
}
