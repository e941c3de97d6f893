import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { cleanByline, cleanName, looksLikePerson, splitNames } from './person-names.ts';

/** Exponential backtracking would take centuries. */
const TIMEOUT_MS = 60_000;

/** Calls a function of the module in a worker thread, which can be terminated. */
async function callInThread(name: string, argument: string): Promise<unknown> {
  const source = `
    import { parentPort, workerData } from 'node:worker_threads';
    const names = await import(workerData.module);
    parentPort.postMessage(names[workerData.name](workerData.argument));`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), {
    workerData: { module: import.meta.resolve('./person-names.ts'), name, argument },
  });
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${name} did not return`)), TIMEOUT_MS);
      worker.once('message', resolve).once('error', reject);
      worker.once('exit', () => clearTimeout(timer));
    });
  } finally {
    await worker.terminate();
  }
}

// Checks: threat-regular-expression
test('titles after a name are read in linear time', async () => {
  const attack = `Jane Doe${' md'.repeat(150)}!`;
  assert.equal(await callInThread('looksLikePerson', attack), false);
  assert.deepEqual(await callInThread('splitNames', attack), [attack]);
  assert.deepEqual(await callInThread('splitNames', `Jane Doe${', M.D.'.repeat(80)}!`), [
    `Jane Doe${', M.D.'.repeat(80)}!`,
  ]);
});

test('a title stays with the name before it', () => {
  assert.ok(looksLikePerson('Jane Doe, MD, Ph.D.'));
  assert.ok(looksLikePerson('Jane Doe md'));
  assert.deepEqual(splitNames('John Roe and Jane Doe, MD, PhD'), ['John Roe', 'Jane Doe, MD, PhD']);
  assert.deepEqual(splitNames('Jane Doe MD, John Roe'), ['Jane Doe MD', 'John Roe']);
  assert.deepEqual(splitNames('Jane Doe; John Roe、Ann Lee'), ['Jane Doe', 'John Roe', 'Ann Lee']);
});

test('a byline is read with any spacing', () => {
  assert.equal(cleanByline('  Written \n by   Jane   Doe  |  Politics '), 'Jane Doe');
  assert.equal(cleanName(' Jane  Doe ,  Senior Editor'), 'Jane Doe');
});
