import { cpus, totalmem } from 'node:os';
import type { MemorySample, TortureReport } from './run-torture.ts';
import type { Stall } from './stall-watch.ts';

/** Memory is flat if it grows by at most this share after the warm-up. */
const FLAT_WITHIN = 0.1;

export interface Growth {
  readonly fromMiB: number;
  readonly toMiB: number;
  readonly isFlat: boolean;
}

/** Compares the medians of the second and the last sixth of the run; the first sixth is the warm-up. */
export function measureGrowth(samples: readonly MemorySample[]): Growth {
  const part = (from: number): number[] =>
    samples
      .slice(Math.floor((samples.length * from) / 6), Math.floor((samples.length * (from + 1)) / 6))
      .map(({ serviceMiB }) => serviceMiB);
  const [fromMiB, toMiB] = [median(part(1)), median(part(5))];
  return { fromMiB, toMiB, isFlat: toMiB <= fromMiB * (1 + FLAT_WITHIN) };
}

/** Formats the run as a page for `docs/`. */
export function formatTortureReport(report: TortureReport, passed: boolean): string {
  const growth = measureGrowth(report.memory);
  const rows = Object.entries(report.outcomes).flatMap(([kind, counts]) =>
    Object.entries(counts)
      .toSorted(([, a], [, b]) => b - a)
      .map(([code, count]) => `| ${kind} | ${code === 'ok' || code === 'hung-up' ? code : `\`${code}\``} | ${count} |`),
  );
  const facts: readonly (readonly [string, string | number])[] = [
    ['length', `${(report.seconds / 60).toFixed(1)} minutes`],
    ['machine', `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['requests', report.requests],
    ['answers of 500, undocumented answers, broken connections, errors in the log', report.faults.length],
    ['times at which the machine stood still', report.stalls.map(formatStall).join(', ') || 'none'],
    ['good pages that could not keep their deadline because of that', report.excused.length],
    ['processes killed', report.kills],
    ['requests whose budget could not be kept', report.outcomes['worker-kill']?.['extract_timeout'] ?? 0],
    ['processes for extraction and documents that ended', report.workersEnded],
    ['acknowledged snapshots', report.acknowledged],
    ['of these lost', report.lost.length],
    ['orphan processes after the end', report.orphans],
    ['exit code of the service', String(report.exitCode)],
    ['resident memory after the warm-up, and at the end', `${growth.fromMiB} MiB, ${growth.toMiB} MiB`],
    ['most processes at a time below the service', Math.max(0, ...report.memory.map(({ processes }) => processes))],
  ];
  const minutes = Object.values(Object.groupBy(report.memory, ({ second }) => Math.floor(second / 60))).map(
    (samples = [], minute) =>
      `| ${minute} | ${median(samples.map(({ serviceMiB }) => serviceMiB))} | ${median(samples.flatMap(({ heapMiB }) => heapMiB ?? []))} | ${median(samples.flatMap(({ externalMiB }) => externalMiB ?? []))} |`,
  );
  return `# Torture report

The last committed run of \`npm run torture\`. It starts the service as a separate process. 16 callers request pages of good, slow,
hostile and dead sites on loopback, and sometimes disconnect. Processes of browsers, extraction and documents are killed at random.
The full length is \`npm run torture -- --minutes 60\`; the length of this run is in the table.

**${passed ? 'Passed' : 'Failed'}.**

| what | figure |
| --- | --- |
${facts.map(([name, value]) => `| ${name} | ${value} |`).join('\n')}

Memory is the median over a sixth of the run: the second sixth against the last. By minute, as medians in MiB:

| minute | resident | heap of the main thread | external |
| --- | --- | --- | --- |
${minutes.join('\n')}

| kind of request | outcome | count |
| --- | --- | --- |
${rows.join('\n')}
${formatList('Faults', report.faults)}${formatList('Deadlines missed because the machine stood still', report.excused)}`;
}

function formatStall({ second, seconds }: Stall): string {
  return `${seconds} s at second ${second}`;
}

function formatList(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `\n## ${title}\n\n${lines.map((line) => `- \`${line.replaceAll('`', "'")}\``).join('\n')}\n`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
