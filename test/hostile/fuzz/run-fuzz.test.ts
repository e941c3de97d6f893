import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceTarget } from './fuzz-target.ts';
import { Fault } from './fuzz-target.ts';
import { mutate } from './mutate.ts';
import { Random } from './random.ts';
import { Fuzzer } from './run-fuzz.ts';
import type { FuzzReport, Surface } from './run-fuzz.ts';

const IDLE = { cpuMs: 1, wallMs: 1, heapBytes: 2 ** 24, residentBytes: 2 ** 26, descriptors: 20 };
const MIB = 2 ** 20;

/** A process that answers what an input tells it to. */
function startFakeTarget() {
  const state = { ...IDLE, isRunning: true, errors: [] as string[] };
  const target: Partial<ServiceTarget> = {
    kind: 'service',
    isRunning: () => state.isRunning,
    readEnd: async () => 'code 134',
    readProbe: async () => {
      const reading = { ...state };
      state.cpuMs = IDLE.cpuMs;
      return reading;
    },
    takeErrors: () => state.errors.splice(0),
    close: async () => undefined,
  };
  return { target: target as ServiceTarget, state };
}

type Act = (state: ReturnType<typeof startFakeTarget>['state'], number: number) => void;

/** Sends 200 numbered inputs, each of which acts on the process; one process replaces another. */
async function fuzz(act: Act): Promise<FuzzReport> {
  const states = new Map<unknown, ReturnType<typeof startFakeTarget>['state']>();
  const fuzzer = new Fuzzer(async () => {
    const { target, state } = startFakeTarget();
    states.set(target, state);
    return target;
  }, 100);
  let made = 0;
  const surface: Surface = {
    name: 'fake',
    kind: 'service',
    inFlight: 4,
    make: () => ({ bytes: Buffer.alloc(0), more: { number: (made += 1) } }),
    send: async (target, { more }) => {
      const state = states.get(target);
      if (state) act(state, (more as { number: number }).number);
      return 'ok';
    },
  };
  return fuzzer.run(surface, { seed: 1, from: 0, count: 200, seconds: 60 });
}

test('the fuzzer finds no fault in a process that answers', async () => {
  const { faults, sent, outcomes, growth } = await fuzz(() => undefined);
  assert.deepEqual([faults, sent, outcomes.get('ok')], [[], 200, 200]);
  assert.equal(growth, 'heap 0.0 MiB, resident 0.0 MiB, descriptors 0');
});

// Checks: threat-unforeseen-input
test('the fuzzer names the input that ends the process', async () => {
  const { faults, sent } = await fuzz((state, number) => (state.isRunning &&= number !== 7));
  assert.equal(faults.length, 1);
  assert.match(
    faults[0] ?? '',
    /^fake: the process ended with code 134\n.*\n {2}again: .*--seed 1 --from 6 --count 1$/,
  );
  assert.equal(sent, 200);
});

// Checks: threat-unforeseen-input
test('the fuzzer names the input that blocks the event loop each time, and no other', async () => {
  let blocked = 0;
  const { faults, longestHoldMs } = await fuzz((state, number) => {
    if (number === 9) state.cpuMs = 300;
    if (number === 50 && (blocked += 1) === 1) state.cpuMs = 400;
  });
  assert.equal(faults.length, 1);
  assert.match(faults[0] ?? '', /blocked for 300 ms\n.*\n {2}again: .*--from 8 --count 1$/);
  assert.equal(longestHoldMs, 400);
});

// Checks: threat-unforeseen-input
test('the fuzzer reports unacceptable answers and logged errors once each', async () => {
  const { faults } = await fuzz((state, number) => {
    if (number % 50 === 3) throw new Fault(`status 500: {"request_id":"req_${number}"}`);
    if (number === 120) state.errors.push('failed');
  });
  assert.deepEqual(
    faults.map((fault) => fault.split('\n')[0]),
    ['fake: status 500: {"request_id":"req_3"}', 'fake: logged an error near this input: failed'],
  );
});

// Checks: threat-unforeseen-input
test('the fuzzer reports a process that keeps descriptors', async () => {
  const { faults } = await fuzz((state) => {
    state.descriptors += 1;
    state.heapBytes += MIB / 100;
  });
  assert.match(
    faults[0] ?? '',
    /^fake: growth of descriptors: heap \d\.\d MiB, resident 0\.0 MiB, descriptors \d{2,3}/,
  );
});

test('the same seed makes the same inputs', () => {
  const vocabulary = { corpus: [Buffer.from('<p>one</p>'.repeat(20))], words: ['<b>'], pairs: [['(', ')'] as const] };
  const make = (seed: string): string => mutate(new Random(seed), vocabulary).toString('latin1');
  const made = Array.from({ length: 50 }, (_, index) => make(`1/a/${index}`));
  assert.deepEqual(
    made,
    Array.from({ length: 50 }, (_, index) => make(`1/a/${index}`)),
  );
  assert.ok(new Set(made).size > 40);
});
