import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserConcurrency, readMachine, workerMemoryBytes, workerThreadCount } from './machine.ts';

const GIB = 2 ** 30;
const MIB = 2 ** 20;
const UNSET = { workerThreads: null, workerMemoryBytes: null, browserConcurrency: null };

test('workers, their memory and captures follow the memory of the machine or container', () => {
  const rows = [
    { cores: 8, gib: 64, workers: 8, mib: 768, captures: 3 },
    { cores: 8, gib: 4, workers: 2, mib: 768, captures: 3 },
    { cores: 8, gib: 2, workers: 2, mib: 416, captures: 1 },
    { cores: 8, gib: 1, workers: 2, mib: 160, captures: 1 },
    { cores: 1, gib: 1, workers: 1, mib: 160, captures: 1 },
    { cores: 8, gib: 0.125, workers: 1, mib: 64, captures: 1 },
  ];
  for (const { cores, gib, ...expected } of rows) {
    const machine = { cores, memoryBytes: gib * GIB };
    const actual = {
      workers: workerThreadCount(UNSET, machine),
      mib: workerMemoryBytes(UNSET, machine) / MIB,
      captures: browserConcurrency(UNSET, machine),
    };
    assert.deepEqual(actual, expected, `${cores} cores, ${gib} GiB`);
    assert.ok(expected.workers * expected.mib <= (gib * GIB) / MIB / 2 || expected.workers === 1);
  }
});

test('settings win over the memory of the machine, and more memory for a worker means fewer workers', () => {
  const machine = { cores: 8, memoryBytes: 4 * GIB };
  const set = { workerThreads: 8, workerMemoryBytes: 900 * MIB, browserConcurrency: 7 };
  assert.equal(workerThreadCount(set, machine), 8);
  assert.equal(workerMemoryBytes(set, machine), 900 * MIB);
  assert.equal(browserConcurrency(set, machine), 7);
  assert.equal(workerThreadCount({ workerThreads: null, workerMemoryBytes: 256 * MIB }, machine), 5);
  assert.equal(workerThreadCount({ workerThreads: null, workerMemoryBytes: GIB }, machine), 1);
});

test('the limit of a container counts as its memory', (t) => {
  t.mock.method(process, 'constrainedMemory', () => 2 * GIB);
  assert.equal(readMachine().memoryBytes, 2 * GIB);
  for (const unlimited of [0, 2 ** 64]) {
    t.mock.method(process, 'constrainedMemory', () => unlimited);
    const { memoryBytes } = readMachine();
    assert.ok(memoryBytes > 0 && memoryBytes < 2 ** 60, String(memoryBytes));
  }
});
