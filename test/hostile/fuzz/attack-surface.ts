import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Fuzzer, Surface } from './run-fuzz.ts';

const { FUZZ_SEED: seed = '43', FUZZ_SECONDS: seconds, FUZZ_COUNT: count = '100000' } = process.env;

/**
 * Attacks a surface for this time, in a test. The inputs are the same in each run, unless the environment has another
 * `FUZZ_SEED`; `FUZZ_SECONDS` and `FUZZ_COUNT` change how many there are.
 */
export async function attackSurface(
  t: TestContext,
  fuzzer: Fuzzer,
  surface: Surface,
  usualSeconds: number,
): Promise<void> {
  const options = { seed: Number(seed), from: 0, count: Number(count), seconds: Number(seconds ?? usualSeconds) };
  const report = await fuzzer.run(surface, options);
  t.diagnostic(`${report.sent} inputs of seed ${options.seed}; growth: ${report.growth}`);
  assert.deepEqual(report.faults, [], report.faults.join('\n'));
  assert.ok(report.outcomes.size > 0);
}
