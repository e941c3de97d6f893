import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProbeReading } from '../../support/loop-probe.ts';
import { describe, startTarget } from './fuzz-target.ts';
import type { AnyTarget, TargetKind } from './fuzz-target.ts';
import { Random } from './random.ts';

/** What is sent: bytes, and everything else that the answer depends on. */
export interface FuzzInput {
  readonly bytes: Buffer;
  /** Parts besides the bytes, as JSON. */
  readonly more: unknown;
}

/** A kind of input that a stranger, a page or a document controls. */
export interface Surface {
  readonly name: string;
  readonly kind: TargetKind;
  /** Inputs that are sent at the same time. */
  readonly inFlight: number;
  readonly make: (random: Random) => FuzzInput;
  /**
   * Sends an input and returns the outcome in a word, to be counted.
   * @throws {Fault} if the outcome is not acceptable
   */
  readonly send: (target: AnyTarget, input: FuzzInput) => Promise<string>;
}

export interface FuzzOptions {
  readonly seed: number;
  /** Number of the first input. */
  readonly from: number;
  readonly count: number;
  /** No further inputs are sent after this time. */
  readonly seconds: number;
}

export interface FuzzReport {
  readonly sent: number;
  /** Inputs by outcome. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Faults with the files of their inputs and the command that repeats them. */
  readonly faults: readonly string[];
  /** Longest time for which the event loop was blocked, in milliseconds of CPU time. */
  readonly longestHoldMs: number;
  readonly growth: string;
}

/** CPU time of the main thread in one turn of the event loop. */
const MAX_HOLD_MS = 250;

/** Growth that is not a leak: caches that fill, compiled code, connections that are kept. */
const MAX_GROWTH = { heapBytes: 32 * 2 ** 20, residentBytes: 500 * 2 ** 20, descriptors: 16 } as const;
/**
 * Shares of a run after which memory is measured, and the least number of inputs. The largest reading is what growth
 * is compared with: memory rises and falls with what is collected and written at times.
 */
const WARM_UP = { shares: [0.25, 0.35, 0.45], inputs: 100 } as const;
const MAX_FAULTS = 10;

/** Sends inputs to processes that are started once for each kind, and again after they end. */
export class Fuzzer {
  readonly #targets = new Map<TargetKind, AnyTarget>();
  readonly #start: typeof startTarget;
  readonly #settleMs: number;

  /** @param settleMs time for memory and descriptors to be given back after a run */
  constructor(start: typeof startTarget = startTarget, settleMs = 30_000) {
    this.#start = start;
    this.#settleMs = settleMs;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#targets.values()].map((target) => target.close()));
  }

  async run(surface: Surface, options: FuzzOptions): Promise<FuzzReport> {
    const run = new Run(surface, { ...options, settleMs: this.#settleMs }, (isNew) =>
      this.#openTarget(surface.kind, isNew),
    );
    return run.finish();
  }

  async #openTarget(kind: TargetKind, isNew: boolean): Promise<AnyTarget> {
    const held = this.#targets.get(kind);
    if (held !== undefined && !isNew) return held;
    await held?.close();
    const target = await this.#start(kind);
    this.#targets.set(kind, target);
    return target;
  }
}

type RunOptions = FuzzOptions & { readonly settleMs: number };

class Run {
  readonly #surface: Surface;
  readonly #options: RunOptions;
  readonly #open: (isNew: boolean) => Promise<AnyTarget>;
  readonly #outcomes = new Map<string, number>();
  readonly #faults = new Map<string, string>();
  #sent = 0;
  #longestHoldMs = 0;
  /** Undefined while warming up. */
  #base: ProbeReading | undefined;
  #readings = 0;

  constructor(surface: Surface, options: RunOptions, open: (isNew: boolean) => Promise<AnyTarget>) {
    this.#surface = surface;
    this.#options = options;
    this.#open = open;
  }

  async finish(): Promise<FuzzReport> {
    const { from, count, seconds } = this.#options;
    const startedAt = performance.now();
    const share = (): number => Math.max(this.#sent / count, (performance.now() - startedAt) / (1000 * seconds));
    while (share() < 1 && this.#faults.size < MAX_FAULTS) {
      const left = Math.min(this.#surface.inFlight, count - this.#sent);
      await this.#sendGroup(Array.from({ length: left }, (_, index) => from + this.#sent + index));
      this.#sent += left;
      const next = WARM_UP.shares[this.#readings];
      if (next !== undefined && this.#sent >= WARM_UP.inputs && share() >= next) await this.#noteBase();
    }
    return {
      sent: this.#sent,
      outcomes: this.#outcomes,
      growth: await this.#measureGrowth(),
      faults: [...this.#faults.values()],
      longestHoldMs: this.#longestHoldMs,
    };
  }

  async #noteBase(): Promise<void> {
    const now = await (await this.#open(false)).readProbe();
    this.#readings += 1;
    const { heapBytes, residentBytes, descriptors } = this.#base ?? now;
    this.#base = {
      ...now,
      heapBytes: Math.max(heapBytes, now.heapBytes),
      residentBytes: Math.max(residentBytes, now.residentBytes),
      descriptors: Math.max(descriptors, now.descriptors),
    };
  }

  async #sendGroup(indexes: readonly number[]): Promise<void> {
    const target = await this.#open(false);
    const inputs = indexes.map((index) => ({ index, input: this.#make(index) }));
    const failures = await Promise.all(inputs.map(({ input }) => this.#send(target, input)));
    const reading = await readUnlessEnded(target);
    if (reading === undefined) return this.#findEnding(inputs, await nameEnd(target));
    for (const [place, failure] of failures.entries()) {
      const one = inputs[place];
      if (failure !== undefined && one !== undefined) await this.#report(one, failure, target.takeErrors());
    }
    const { cpuMs } = reading;
    this.#longestHoldMs = Math.max(this.#longestHoldMs, cpuMs);
    if (cpuMs > MAX_HOLD_MS) await this.#findHolding(target, inputs);
    const errors = target.takeErrors();
    if (errors.length > 0) await this.#report(inputs[0], `logged an error near this input: ${errors[0]}`, errors);
  }

  #make(index: number): FuzzInput {
    return this.#surface.make(new Random(`${this.#options.seed}/${this.#surface.name}/${index}`));
  }

  /** Returns why the outcome is not acceptable; undefined if it is. */
  async #send(target: AnyTarget, input: FuzzInput): Promise<string | undefined> {
    try {
      const outcome = await this.#surface.send(target, input);
      this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
      return undefined;
    } catch (error) {
      return describe(error);
    }
  }

  /** Sends each input alone to a new process, to find those that end it. */
  async #findEnding(inputs: readonly NumberedInput[], end: string): Promise<void> {
    this.#base = undefined;
    this.#readings = 0;
    let isFound = false;
    for (const one of inputs) {
      const target = await this.#open(!(await this.#isOpen()));
      await this.#send(target, one.input);
      if ((await readUnlessEnded(target)) !== undefined) continue;
      isFound = true;
      await this.#report(one, `the process ended with ${await nameEnd(target)}`, target.takeErrors());
    }
    if (!isFound)
      await this.#report(
        inputs[0],
        `the process ended with ${end} at this input or the ${inputs.length - 1} after it, and not again`,
        [],
      );
    await this.#open(!(await this.#isOpen()));
  }

  async #isOpen(): Promise<boolean> {
    return (await readUnlessEnded(await this.#open(false))) !== undefined;
  }

  /** Sends each input alone, twice: a collection of garbage or a compilation is not repeated. */
  async #findHolding(target: AnyTarget, inputs: readonly NumberedInput[]): Promise<void> {
    for (const one of inputs) {
      const holds: number[] = [];
      while (holds.length < 2) {
        await this.#send(target, one.input);
        holds.push((await target.readProbe()).cpuMs);
      }
      if (Math.min(...holds) > MAX_HOLD_MS)
        await this.#report(one, `the event loop was blocked for ${Math.round(Math.min(...holds))} ms`, []);
    }
  }

  async #report(one: NumberedInput | undefined, what: string, errors: readonly string[]): Promise<void> {
    if (one === undefined || this.#faults.size >= MAX_FAULTS) return;
    // The same fault differs by ids and positions.
    const signature = what.replaceAll(/\d+|"(?:request_id|dom_id|url)":"[^"]*"/g, '').slice(0, 160);
    const known = this.#faults.has(signature);
    if (known) return;
    const folder = await mkdtemp(path.join(tmpdir(), `winnow-fuzz-fault-${this.#surface.name}-`));
    await writeFile(path.join(folder, 'input'), one.input.bytes);
    await writeFile(
      path.join(folder, 'more.json'),
      JSON.stringify({ what, ...one.input, bytes: undefined, errors }, null, 2),
    );
    const command = `node test/hostile/fuzz/main.ts --surface ${this.#surface.name} --seed ${this.#options.seed} --from ${one.index} --count 1`;
    this.#faults.set(
      signature,
      [`${this.#surface.name}: ${what}`, ...errors.slice(0, 3), `  input: ${folder}`, `  again: ${command}`].join('\n'),
    );
  }

  async #measureGrowth(): Promise<string> {
    const base = this.#base;
    if (base === undefined) return 'not measured';
    const target = await this.#open(false);
    const deadline = performance.now() + this.#options.settleMs;
    for (;;) {
      const now = await target.readProbe();
      const names = ['heapBytes', 'residentBytes', 'descriptors'] as const;
      const grown = names.filter((name) => now[name] - base[name] > MAX_GROWTH[name]);
      const growth = `heap ${toMiB(now.heapBytes - base.heapBytes)}, resident ${toMiB(now.residentBytes - base.residentBytes)}, descriptors ${now.descriptors - base.descriptors}`;
      if (grown.length === 0) return growth;
      if (performance.now() > deadline) {
        const command = `node test/hostile/fuzz/main.ts --surface ${this.#surface.name} --seed ${this.#options.seed} --from ${this.#options.from} --count ${this.#sent}`;
        this.#faults.set(
          'growth',
          `${this.#surface.name}: growth of ${grown.join(', ')}: ${growth}\n  again: ${command}`,
        );
        return growth;
      }
      await sleep(500);
    }
  }
}

interface NumberedInput {
  readonly index: number;
  readonly input: FuzzInput;
}

/** Reads the probe; returns undefined if the process has ended, whose connections break first. */
async function readUnlessEnded(target: AnyTarget): Promise<ProbeReading | undefined> {
  for (let tries = 0; tries < 20 && target.isRunning(); tries += 1) {
    try {
      return await target.readProbe();
    } catch {
      await sleep(100);
    }
  }
  return undefined;
}

/** A process may also answer no longer without having ended. */
async function nameEnd(target: AnyTarget): Promise<string> {
  return target.isRunning() ? 'no answer of its probe' : target.readEnd();
}

function toMiB(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
