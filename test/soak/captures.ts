/**
 * Captures 300 pages (or the given number), with crashes and resource hogs:
 * `node --expose-gc test/soak/captures.ts [captures]`. Prints a report; exits with 1 if a good page failed,
 * a process was left, or memory grew by more than 100 MiB.
 */
import { soakCaptures } from './soak-captures.ts';

const MAX_GROWTH_MIB = 100;

const captures = Number(process.argv[2] ?? 300);
const report = await soakCaptures({ captures, hostileEvery: 10, killEvery: 40 });
const growth = report.memoryAfter - report.memoryBefore;
process.stdout.write(`${JSON.stringify({ ...report, growth }, null, 2)}\n`);
process.exitCode = report.failures.length > 0 || report.processesLeft > 0 || growth > MAX_GROWTH_MIB ? 1 : 0;
