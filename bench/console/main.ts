/**
 * Measures the first visit of the console in a fresh browser on loopback: transferred bytes, and the time until the sign-in
 * can be used. `node bench/console/main.ts [--runs N]`
 */
import { parseArgs } from 'node:util';
import { startConsole } from '../../test/console/start-console.ts';
import { measureFirstLoad } from './measure-first-load.ts';
import type { FirstLoad } from './measure-first-load.ts';

const BUDGET = { bytes: 250_000, interactiveMs: 1000 } as const;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' }, json: { type: 'boolean' } } });

const running = await startConsole();
try {
  const loads: FirstLoad[] = [];
  for (let count = 0; count < Number(values.runs); count += 1) loads.push(await measureFirstLoad(running));
  const interactive = loads.map(({ interactiveMs }) => interactiveMs).toSorted((a, b) => a - b);
  const report = {
    requests: loads[0]?.requests ?? 0,
    bytes: Math.max(...loads.map(({ bytes }) => bytes)),
    interactiveMs: { median: interactive[Math.floor(interactive.length / 2)] ?? 0, worst: interactive.at(-1) ?? 0 },
  };
  const fits = report.bytes <= BUDGET.bytes && report.interactiveMs.median <= BUDGET.interactiveMs;
  console.log(values.json ? JSON.stringify(report) : write(report, fits));
  process.exitCode = fits ? 0 : 1;
} finally {
  await running.close();
}

function write(
  report: { requests: number; bytes: number; interactiveMs: { median: number; worst: number } },
  fits: boolean,
): string {
  const { median, worst } = report.interactiveMs;
  return `first load    ${(report.bytes / 1000).toFixed(1)} kB in ${report.requests} requests (budget ${BUDGET.bytes / 1000} kB)
interactive   ${median.toFixed(0)} ms in the median, ${worst.toFixed(0)} ms at worst (budget ${BUDGET.interactiveMs} ms)
${fits ? 'within the budget' : 'OVER THE BUDGET'}`;
}
