/** `node test/crash/main.ts [kills]`: kills the service (50 times by default) and reports lost snapshots. */
import { runCrashes } from './run-crashes.ts';

const kills = Number(process.argv[2] ?? 50);
if (!Number.isInteger(kills) || kills < 1) {
  process.stderr.write('usage: node test/crash/main.ts [kills]\n');
  process.exit(2);
}
const report = await runCrashes({ kills, onProgress: (text) => void process.stderr.write(`${text}\n`) });
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
process.exitCode = report.lost.length + report.rowsWithoutBytes.length === 0 ? 0 : 1;
