import { WriteBehind } from '../shared/write-behind.ts';
import { addLatency, createHistogram } from './latency-histogram.ts';
import {
  SPANS,
  type BrowserPoolState,
  type CountName,
  type CountSample,
  type FinishedItem,
  type FinishedRequest,
  type GaugeSample,
  type JudgedPage,
  type MetricRepository,
  type RequestSpan,
} from './ports.ts';

const FLUSH_MS = 5000;
const SAMPLE_MS = 60_000;

/** Only in every tenth sample: measuring scans all snapshots. */
const STORAGE_EVERY = 10;

export interface MetricRecorderDeps {
  readonly metrics: MetricRepository;
  readonly browserPool?: (() => BrowserPoolState) | undefined;
  readonly onError: (error: unknown) => void;
  readonly now?: () => Date;
}

type Changeable<T> = { -readonly [K in keyof T]: T[K] };
type OpenSpan = Changeable<RequestSpan>;

/** Writes every few seconds; a crash loses unwritten counts. */
export class MetricRecorder {
  readonly #deps: MetricRecorderDeps;
  readonly #open = new Map<string, OpenSpan>();
  #changed = new Set<string>();
  #counts = new Map<string, Changeable<CountSample>>();
  readonly #writes: WriteBehind;
  #sampling: NodeJS.Timeout | undefined;
  #samples = 0;

  constructor(deps: MetricRecorderDeps) {
    this.#deps = deps;
    this.#writes = new WriteBehind(() => this.#write(), { delayMs: FLUSH_MS, onError: deps.onError });
  }

  start(): void {
    const sample = (): void => void this.sample().catch(this.#deps.onError);
    this.#sampling = setInterval(sample, SAMPLE_MS).unref();
    sample();
  }

  record(request: FinishedRequest): void {
    for (const spanSeconds of Object.values(SPANS)) {
      const at = Math.floor(request.at.getTime() / 1000 / spanSeconds) * spanSeconds;
      const { projectId, code, stage, engine } = request;
      const key = JSON.stringify([spanSeconds, at, projectId, code, stage, engine]);
      let span = this.#open.get(key);
      if (span === undefined) {
        span = { spanSeconds, at, projectId, code, stage, engine, count: 0, histogram: createHistogram() };
        this.#open.set(key, span);
      }
      span.count += 1;
      addLatency(span.histogram, request.elapsedMs);
      this.#changed.add(key);
    }
    if (request.judged) this.#countPage(request.at, request.projectId, request.judged);
    this.#writes.schedule();
  }

  /** Items of batches are counted on their own: they are no requests. */
  recordItem({ at, projectId, failed, judged }: FinishedItem): void {
    this.#count(at, projectId, 'items', 1);
    if (failed) this.#count(at, projectId, 'items_failed', 1);
    if (judged) this.#countPage(at, projectId, judged);
    this.#writes.schedule();
  }

  #countPage(at: Date, projectId: string, { confidence, warnings }: JudgedPage): void {
    this.#count(at, projectId, 'pages', 1);
    this.#count(at, projectId, 'confidence', confidence);
    if (warnings.length > 0) this.#count(at, projectId, 'pages_doubtful', 1);
    for (const code of warnings) this.#count(at, projectId, `warning ${code}`, 1);
  }

  #count(time: Date, projectId: string, name: CountName, by: number): void {
    const at = Math.floor(time.getTime() / 1000 / SPANS.minute) * SPANS.minute;
    const key = `${at} ${projectId} ${name}`;
    const count = this.#counts.get(key);
    if (count === undefined) this.#counts.set(key, { at, name, projectId, value: by });
    else count.value += by;
  }

  flush(): Promise<void> {
    return this.#writes.flush();
  }

  async #write(): Promise<void> {
    const changed = this.#changed;
    this.#changed = new Set();
    const spans = [...changed].flatMap((key) => this.#open.get(key) ?? []);
    const now = (this.#deps.now?.() ?? new Date()).getTime() / 1000;
    if (spans.length > 0)
      await this.#deps.metrics.putSpans(spans.map((span) => ({ ...span, histogram: [...span.histogram] })));
    await this.#writeCounts();
    for (const [key, span] of this.#open) {
      if (span.at + span.spanSeconds < now && !this.#changed.has(key)) this.#open.delete(key);
    }
  }

  async #writeCounts(): Promise<void> {
    const counts = [...this.#counts.values()];
    if (counts.length === 0) return;
    this.#counts = new Map();
    try {
      await this.#deps.metrics.addCounts(counts);
    } catch (error) {
      for (const { at, projectId, name, value } of counts) this.#count(new Date(at * 1000), projectId, name, value);
      throw error;
    }
  }

  async sample(): Promise<void> {
    const now = this.#deps.now?.() ?? new Date();
    // The same time in all processes: their readings are added.
    const at = Math.floor(now.getTime() / SAMPLE_MS) * (SAMPLE_MS / 1000);
    const samples: GaugeSample[] = [];
    const pool = this.#deps.browserPool?.();
    if (pool) {
      samples.push(
        { at, name: 'browsers_running', projectId: null, value: pool.running },
        { at, name: 'browsers_busy', projectId: null, value: pool.busy },
        { at, name: 'browsers_waiting', projectId: null, value: pool.waiting },
      );
    }
    if (this.#samples % STORAGE_EVERY === 0) {
      for (const { projectId, snapshots, bytes, storedBytes } of await this.#deps.metrics.measureStorage()) {
        samples.push(
          { at, name: 'snapshots', projectId, value: snapshots },
          { at, name: 'bytes', projectId, value: bytes },
          { at, name: 'stored_bytes', projectId, value: storedBytes },
        );
      }
      await this.#deps.metrics.forgetOld(now);
    }
    this.#samples += 1;
    if (samples.length > 0) await this.#deps.metrics.addSamples(samples);
  }

  async stop(): Promise<void> {
    clearInterval(this.#sampling);
    await this.flush();
  }
}
