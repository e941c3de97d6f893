/**
 * Measures how a hostile request of a stranger, a member or a key affects others: `npm run bench:attacks [-- --rounds 3
 * --requests 15 --only "batch|search"]`. Each attack is repeated on a service with a large database, one request at a time,
 * while another key of the same project extracts a stored page at a steady pace. Prints for each attack how long the event
 * loop was blocked, in CPU time (independent of the load of the machine) and wall time, and the median latency of the other
 * key as a multiple of its latency without the attack; rounds alternate. Exits with 1 when a goal is missed.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { startServiceProcess } from '../../test/support/service-process.ts';
import type { ServiceProcess } from '../../test/support/service-process.ts';
import { createAttackers } from './attacks/attack-client.ts';
import { startAttackSite } from './attacks/attack-pages.ts';
import type { AttackSite } from './attacks/attack-pages.ts';
import { listAttacks } from './attacks/attacks.ts';
import type { Attack, Target } from './attacks/attacks.ts';
import { fillDatabase } from './attacks/large-deployment.ts';
import type { LoopHolds } from '../../test/support/loop-probe.ts';
import type { ModestAnswer, ModestCallerData } from './attacks/modest-caller.ts';
import { median } from './median.ts';

const PROBE = path.join(import.meta.dirname, '../../test/support/loop-probe.ts');

const GOALS = { cpuMs: 250, ratio: 2 } as const;
/** Least milliseconds between the starts of two attacks: faster small requests are a flood, which the queue handles. */
const PACE_MS = 100;
/** Milliseconds in which the work of a round ends. */
const REST_MS = 300;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    requests: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);

const folder = await mkdtemp(path.join(tmpdir(), 'winnow-attacks-'));
const site = await startAttackSite();
try {
  const isReached = await measureAll(site, path.join(folder, 'data'), path.join(folder, 'probe'));
  process.exitCode = isReached ? 0 : 1;
} finally {
  site.close();
  await rm(folder, { recursive: true, force: true });
}

async function measureAll(pages: AttackSite, dataDir: string, probe: string): Promise<boolean> {
  const start = (environment: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> =>
    startServiceProcess({
      dataDir,
      environment: {
        WINNOW_EGRESS_ALLOW: pages.allow,
        WINNOW_TRUSTED_PROXIES: '127.0.0.1',
        WINNOW_LOG_LEVEL: 'error',
        ...environment,
      },
      onLine: (line) => void process.stderr.write(`${line}\n`),
    });
  await mkdir(dataDir);
  let service = await start();
  const attackers = await createAttackers(service, () => service.url, dataDir);
  const projectId = service.firstStart?.project_id ?? '';
  const stored = await attackers.key('/v1/dom/dump', { body: { url: `${pages.url}/ordinary` } });
  const { dom_id: domId } = JSON.parse(stored.text) as { dom_id: string };
  await service.stop();
  const filled = fillDatabase(dataDir, projectId, rounds + 2);
  service = await start({ LOOP_PROBE: probe, NODE_OPTIONS: `--import=${PROBE}` });
  const target = { attackers, projectId, site: pages.url, filled };
  const caller = startCaller({ url: service.url, key: attackers.otherKey, domId });
  try {
    return await measureEach(target, caller, probe);
  } finally {
    await caller.end();
    await service.stop();
  }
}

async function measureEach(target: Target, caller: Caller, probe: string): Promise<boolean> {
  let isReached = true;
  await caller.measure();
  for (const attack of listAttacks(target).filter(({ name }) => new RegExp(values.only).test(name)))
    isReached = (await measure(attack, caller, probe)) && isReached;
  return isReached;
}

/** Returns whether the goals were reached. */
async function measure(attack: Attack, caller: Caller, probe: string): Promise<boolean> {
  const [before, beside]: [number[], number[]] = [[], []];
  const tookMs: number[] = [];
  const [calm, attacked]: [LoopHolds[], LoopHolds[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    await readHolds(probe);
    before.push(...(await caller.measure()));
    calm.push(await readHolds(probe));
    beside.push(...(await measureBeside(attack, caller, tookMs)));
    attacked.push(await readHolds(probe));
    await sleep(REST_MS);
  }
  const cpuMs = Math.max(...attacked.map((holds) => holds.cpuMs));
  const wallMs = Math.max(...attacked.map((holds) => holds.wallMs));
  const calmMs = Math.max(...calm.map((holds) => holds.cpuMs));
  const ratio = median(beside) / median(before);
  const isReached = cpuMs <= GOALS.cpuMs && (attack.isFlood === true || ratio <= GOALS.ratio);
  const holds = `${cpuMs.toFixed(0)} ms of CPU (${calmMs.toFixed(0)} before), ${wallMs.toFixed(0)} ms by the clock`;
  const medians = `${median(before).toFixed(1)} to ${median(beside).toFixed(1)} ms, ratio ${ratio.toFixed(2)}`;
  const attacks = `${tookMs.length} of ${median(tookMs).toFixed(0)} ms`;
  process.stdout.write(
    `${isReached ? 'ok    ' : 'MISSED'} ${attack.name} (${attacks}): loop blocked ${holds}; other key ${medians}\n`,
  );
  return isReached;
}

/** Repeats the attack until the other caller has been measured, at least once. */
async function measureBeside(attack: Attack, caller: Caller, tookMs: number[]): Promise<number[]> {
  const measured = caller.measure();
  const over = new AbortController();
  void measured.then(() => over.abort());
  do {
    const startedAt = performance.now();
    await attack.once();
    tookMs.push(performance.now() - startedAt);
    await sleep(Math.max(0, PACE_MS - (performance.now() - startedAt)));
  } while (!over.signal.aborted && attack.isScarce !== true);
  return caller.stop(measured);
}

interface Caller {
  /** Milliseconds of each request of a round. */
  measure(): Promise<number[]>;
  /** Ends a running round. */
  stop(round: Promise<number[]>): Promise<number[]>;
  end(): Promise<void>;
}

function startCaller(workerData: ModestCallerData): Caller {
  const worker = new Worker(new URL('attacks/modest-caller.ts', import.meta.url), { workerData });
  let end: ((latencies: number[]) => void) | undefined;
  let latencies: number[] = [];
  let current = 0;
  const start = (round: number): void => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    worker.postMessage(round);
  };
  const finish = (): void => {
    start(0);
    end?.(latencies);
    end = undefined;
  };
  worker.on('message', ({ round, latencyMs }: ModestAnswer) => {
    if (round !== current || end === undefined) return;
    latencies.push(latencyMs);
    if (latencies.length === Number(values.requests)) finish();
  });
  return {
    measure: () => {
      const { promise, resolve } = Promise.withResolvers<number[]>();
      [latencies, end] = [[], resolve];
      current += 1;
      start(current);
      return promise;
    },
    stop: async (round) => {
      finish();
      return round;
    },
    end: async () => void (await worker.terminate()),
  };
}

async function readHolds(probe: string): Promise<LoopHolds> {
  return JSON.parse(await text(connect(probe))) as LoopHolds;
}
