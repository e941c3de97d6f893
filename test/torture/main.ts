/**
 * `npm run torture -- [--minutes 60]`: runs the torture test, writes `docs/torture-report.md` and exits with 1
 * on any fault.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { formatTortureReport, measureGrowth } from './format-torture-report.ts';
import { runTorture } from './run-torture.ts';

const REPORT = new URL('../../docs/torture-report.md', import.meta.url);

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 24 * 60)) {
  process.stderr.write('usage: npm run torture -- [--minutes 60]\n');
  process.exit(2);
}
const report = await runTorture({
  seconds: minutes * 60,
  callers: 16,
  killEverySeconds: 7,
  onProgress: (text) => void process.stderr.write(`${text}\n`),
});
const passed =
  report.faults.length + report.lost.length + report.orphans === 0 &&
  report.exitCode === 0 &&
  measureGrowth(report.memory).isFlat;
const text = formatTortureReport(report, passed);
await writeFile(REPORT, text);
process.stdout.write(text);
process.exitCode = passed ? 0 : 1;
