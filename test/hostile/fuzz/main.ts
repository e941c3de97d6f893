/**
 * `node test/hostile/fuzz/main.ts --surface html,pdf --count 100000 --seed 7`: attacks surfaces with changed inputs, and
 * exits with 1 on any fault. Without `--surface` all of them; the seed is random unless it is given.
 */
import { parseArgs } from 'node:util';
import { Fuzzer } from './run-fuzz.ts';
import type { FuzzReport, Surface } from './run-fuzz.ts';
import { SURFACES } from './surfaces.ts';

const { values } = parseArgs({
  options: {
    surface: { type: 'string' },
    count: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    from: { type: 'string', default: '0' },
  },
});
const names = values.surface?.split(',') ?? SURFACES.map(({ name }) => name);
const chosen = SURFACES.filter(({ name }) => names.includes(name));
if (chosen.length !== names.length) {
  process.stderr.write(`the surfaces are ${SURFACES.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}
const options = {
  seed: Number(values.seed),
  from: Number(values.from),
  count: Number(values.count),
  seconds: Number(values.seconds),
};
process.stdout.write(`seed ${options.seed}\n`);
const fuzzer = new Fuzzer();
try {
  for (const surface of chosen) {
    const report = await fuzzer.run(surface, options);
    process.stdout.write(`${formatReport(surface, report)}\n`);
    if (report.faults.length > 0) process.exitCode = 1;
  }
} finally {
  await fuzzer.close();
}

function formatReport({ name }: Surface, { sent, outcomes, faults, longestHoldMs, growth }: FuzzReport): string {
  const counts = [...outcomes].toSorted(([, a], [, b]) => b - a).map(([outcome, count]) => `${outcome} ${count}`);
  const hold = `longest turn ${Math.round(longestHoldMs)} ms`;
  return [`${name}: ${sent} inputs (${counts.join(', ')}); ${hold}; growth: ${growth}`, ...faults].join('\n');
}
