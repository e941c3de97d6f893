import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ERRORS } from '@winnow/contract';
import { LocalSnapshotContent } from '../../packages/server/src/snapshots/local-snapshot-content.ts';
import { openStore } from '../../packages/server/src/store/open-store.ts';
import { findLost, hashOf } from '../find-lost.ts';
import { startTestSite } from '../site/start-test-site.ts';
import { drawCase, listCases } from './cases.ts';
import type { Case } from './cases.ts';
import { Lineage, listDescendants, readResidentMiB } from './processes.ts';
import { StallWatch } from './stall-watch.ts';
import type { Stall } from './stall-watch.ts';
import { startTorturedService } from './start-tortured-service.ts';
import type { TorturedService } from './start-tortured-service.ts';

export interface TortureOptions {
  readonly seconds: number;
  readonly callers: number;
  /** Seconds between two kills of a random process of the service's. */
  readonly killEverySeconds: number;
  readonly onProgress?: (text: string) => void;
}

export interface TortureReport {
  readonly seconds: number;
  readonly requests: number;
  /** Answers by kind of case and code (`ok` for 200, `hung-up` when the caller disconnected). */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Answers of 500, undocumented codes and statuses, failed good pages, and broken connections. Must be empty. */
  readonly faults: readonly string[];
  /** Times at which the machine was stalled. */
  readonly stalls: readonly Stall[];
  /** Good pages that timed out during a stall of the machine: no faults of the service. */
  readonly excused: readonly string[];
  readonly kills: number;
  /** Processes for extraction and documents that ended during the run. */
  readonly workersEnded: number;
  readonly acknowledged: number;
  /** Acknowledged snapshots that are missing or have another text. Must be empty. */
  readonly lost: readonly string[];
  readonly orphans: number;
  readonly exitCode: number | null;
  readonly memory: readonly MemorySample[];
}

export interface MemorySample {
  readonly second: number;
  readonly serviceMiB: number;
  /** JavaScript heap of the main thread, and external buffers; undefined if the service did not answer. */
  readonly heapMiB: number | undefined;
  readonly externalMiB: number | undefined;
  readonly processes: number;
}

const SAMPLE_MS = 5000;
const WORKER_SAMPLE_MS = 200;
const PROCESS_SAMPLE_MS = 200;
const ORPHAN_GRACE_MS = 3000;
/** A longer gap between turns of this event loop is the machine's fault; load alone causes shorter ones. */
const MACHINE_STALL_MS = 5000;
/** Faults kept verbatim. */
const MAX_FAULTS = 50;

/** Runs the service with all kinds of callers and sites, kills its browsers and workers, and reports faults. */
export async function runTorture(options: TortureOptions): Promise<TortureReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-torture-'));
  const site = await startTestSite();
  try {
    const service = await startTorturedService(folder, [...site.allow, '127.0.0.1:90']);
    const run = new TortureRun(options, service, listCases(site));
    const lineage = new Lineage(service.pid);
    const watch = setInterval(() => lineage.look(), PROCESS_SAMPLE_MS);
    const exitCode = await run.finish().finally(() => clearInterval(watch));
    await sleep(ORPHAN_GRACE_MS);
    const lost = await inspect(folder, run.acknowledged);
    return { ...run.report(), lost, orphans: lineage.listLiving().length, exitCode };
  } finally {
    await site.close();
    await rm(folder, { recursive: true });
  }
}

class TortureRun {
  readonly acknowledged = new Map<string, string>();
  readonly #options: TortureOptions;
  readonly #service: TorturedService;
  readonly #cases: readonly Case[];
  readonly #startedAt = performance.now();
  readonly #outcomes: Record<string, Record<string, number>> = {};
  readonly #faults: string[] = [];
  readonly #excused: string[] = [];
  readonly #stallWatch = new StallWatch(MACHINE_STALL_MS);
  readonly #memory: MemorySample[] = [];
  #requests = 0;
  #kills = 0;
  #workersEnded = 0;
  /** Those that were alive at the last check. */
  #workers: ReadonlySet<number> = new Set();

  constructor(options: TortureOptions, service: TorturedService, cases: readonly Case[]) {
    this.#options = options;
    this.#service = service;
    this.#cases = cases;
  }

  /** Runs everything concurrently until the time is over, stops the service and returns its exit code. */
  async finish(): Promise<number | null> {
    const callers = Array.from({ length: this.#options.callers }, () => this.#call());
    await Promise.all([...callers, this.#killProcesses(), this.#watchWorkers(), this.#watchMemory()]);
    // Callers get their last answers after the watch has ended.
    this.#noteWorkers();
    this.#stallWatch.close();
    if (!this.#service.isRunning()) this.#fault('the service ended by itself');
    return this.#service.stop();
  }

  report(): Omit<TortureReport, 'lost' | 'orphans' | 'exitCode'> {
    return {
      seconds: this.#seconds(),
      requests: this.#requests,
      outcomes: this.#outcomes,
      faults: [...this.#faults, ...this.#service.errors.slice(0, MAX_FAULTS)],
      stalls: this.#stallWatch.stalls,
      excused: this.#excused,
      kills: this.#kills,
      workersEnded: this.#workersEnded,
      acknowledged: this.acknowledged.size,
      memory: this.#memory,
    };
  }

  #seconds(): number {
    return Math.round((performance.now() - this.#startedAt) / 1000);
  }

  /** Also waits until every case was drawn once, for which a short run on a busy machine may be too short. */
  #isOver(): boolean {
    if (!this.#service.isRunning()) return true;
    return this.#requests >= this.#cases.length && this.#seconds() >= this.#options.seconds;
  }

  async #call(): Promise<void> {
    while (!this.#isOver()) {
      // Every case once, then randomly.
      const drawn = this.#cases[this.#requests] ?? drawCase(this.#cases, Math.random);
      this.#requests += 1;
      const outcome = await this.#request(drawn).catch((error: unknown) => {
        this.#fault(`${drawn.kind} ${JSON.stringify(drawn.body)}: ${String(error)}`);
        return 'broken';
      });
      const counts = (this.#outcomes[drawn.kind] ??= {});
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      // A refused request waits before the next one, as a caller should.
      if (outcome === 'overloaded') await sleep(1000);
    }
  }

  async #request(drawn: Case): Promise<string> {
    const { path: target, body, patienceMs } = drawn;
    const signal = AbortSignal.timeout(patienceMs ?? 120_000);
    const startedAt = performance.now();
    try {
      const response = await fetch(this.#service.url + target, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': this.#service.key },
        body: JSON.stringify(body),
        signal,
      });
      return this.#judge(drawn, startedAt, response.status, (await response.json()) as Answer);
    } catch (error) {
      if (signal.aborted && patienceMs !== undefined) return 'hung-up';
      if (signal.aborted && this.#stallWatch.hasStalledSince(startedAt)) {
        this.#note(this.#excused, `no answer to ${JSON.stringify(body)}`);
        return 'late';
      }
      throw error;
    }
  }

  #judge({ expected, body }: Case, startedAt: number, status: number, answer: Answer): string {
    const code = status === 200 ? 'ok' : (answer.error?.code ?? 'none');
    if (code === 'ok') {
      // From a dump or an extraction.
      const domId = answer.dom_id ?? answer.metadata?.dom_id;
      const html = answer.html ?? answer.raw_dom;
      if (domId !== undefined && html !== undefined) this.acknowledged.set(domId, hashOf(html));
    } else {
      const row = ERRORS[code as keyof typeof ERRORS] as { status: number } | undefined;
      if (row?.status !== status || status === 500) this.#fault(`${status} ${JSON.stringify(answer).slice(0, 300)}`);
    }
    const text = answer.result?.main_text ?? answer.html ?? '';
    if (expected !== undefined && code !== 'overloaded' && !text.includes(expected)) {
      const what = `no good answer to ${JSON.stringify(body)}: ${status} ${JSON.stringify(answer).slice(0, 300)}`;
      const isExcused = code.endsWith('_timeout') && this.#stallWatch.hasStalledSince(startedAt);
      this.#note(isExcused ? this.#excused : this.#faults, what);
    }
    return code;
  }

  async #killProcesses(): Promise<void> {
    while (!this.#isOver()) {
      await sleep(this.#options.killEverySeconds * 1000 * (0.5 + Math.random()));
      const processes = listDescendants(this.#service.pid);
      const victim = processes[Math.floor(Math.random() * processes.length)];
      if (victim === undefined) continue;
      try {
        process.kill(victim, 'SIGKILL');
        this.#kills += 1;
      } catch {
        // It has already ended.
      }
    }
  }

  async #watchWorkers(): Promise<void> {
    while (!this.#isOver()) {
      this.#noteWorkers();
      await sleep(WORKER_SAMPLE_MS);
    }
  }

  #noteWorkers(): void {
    const workers = new Set(listDescendants(this.#service.pid, 'task-process'));
    for (const worker of this.#workers) if (!workers.has(worker)) this.#workersEnded += 1;
    this.#workers = workers;
  }

  async #watchMemory(): Promise<void> {
    while (!this.#isOver()) {
      const serviceMiB = readResidentMiB(this.#service.pid);
      const processes = listDescendants(this.#service.pid).length;
      if (serviceMiB !== undefined)
        this.#memory.push({
          second: this.#seconds(),
          serviceMiB: Math.round(serviceMiB),
          ...(await this.#readMetrics()),
          processes,
        });
      this.#options.onProgress?.(
        `${this.#seconds()} s: ${this.#requests} requests, ${this.#faults.length} faults, ${Math.round(serviceMiB ?? 0)} MiB, ${processes} processes`,
      );
      await sleep(SAMPLE_MS);
    }
  }

  async #readMetrics(): Promise<Pick<MemorySample, 'heapMiB' | 'externalMiB'>> {
    const signal = AbortSignal.timeout(SAMPLE_MS);
    const text = await fetch(`${this.#service.url}/metrics`, { signal })
      .then((response) => response.text())
      .catch(() => '');
    const readMiB = (name: string): number | undefined => {
      const bytes = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
      return bytes === undefined ? undefined : Math.round(Number(bytes) / 1_048_576);
    };
    return { heapMiB: readMiB('nodejs_heap_size_used_bytes'), externalMiB: readMiB('nodejs_external_memory_bytes') };
  }

  #fault(text: string): void {
    this.#note(this.#faults, text);
  }

  #note(list: string[], text: string): void {
    if (list.length >= MAX_FAULTS) return;
    const line = `second ${this.#seconds()}: ${text}`;
    list.push(line);
    this.#options.onProgress?.(line);
  }
}

interface Answer {
  readonly dom_id?: string;
  readonly html?: string;
  readonly result?: { readonly main_text: string };
  readonly metadata?: { readonly dom_id: string };
  readonly raw_dom?: string;
  readonly error?: { readonly code: string };
}

async function inspect(folder: string, acknowledged: ReadonlyMap<string, string>): Promise<string[]> {
  const content = new LocalSnapshotContent(path.join(folder, 'snapshots'));
  const store = await openStore({
    location: { sqliteFile: path.join(folder, 'winnow.db') },
    onError: (error) => {
      throw error;
    },
  });
  try {
    return await findLost(store, content, acknowledged);
  } finally {
    await content.close();
    await store.close();
  }
}
