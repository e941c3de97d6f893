import { formatTable } from '../quality/format-report.ts';
import { summarizeScores } from '../quality/summarize-scores.ts';
import type { Measurement } from './measure-pages.ts';

export interface SpeedSummary {
  readonly name: string;
  readonly pages: number;
  readonly msPerPage: number;
  readonly medianMs: number;
  /** Sum of times over the sum of parse5's on the same pages. */
  readonly sumRatio: number;
  /** Median time over parse5's median. */
  readonly medianRatio: number;
  /** 95th percentile of the ratios of single pages. */
  readonly p95Ratio: number;
  readonly peakMegabytes: number | null;
  readonly f1: number | null;
  readonly title: number | null;
  readonly author: number | null;
  readonly date: number | null;
  readonly errors: number;
}

/** Returns one row per contender; the first measurement is the bare parse, the baseline of the ratios. */
export function summarizeSpeed(
  measurements: readonly Measurement[],
  peaks: ReadonlyMap<string, number>,
): SpeedSummary[] {
  const yardstick = measurements[0]!.times;
  return measurements.map(({ contender, times, scores }) => {
    const own = [...times.values()];
    const bare = [...times.keys()].map((id) => yardstick.get(id)!);
    const quality = scores.length === 0 ? undefined : summarizeScores(scores).at(-1);
    return {
      name: contender.name,
      pages: own.length,
      msPerPage: sum(own) / own.length,
      medianMs: quantile(own, 0.5),
      sumRatio: sum(own) / sum(bare),
      medianRatio: quantile(own, 0.5) / quantile(bare, 0.5),
      p95Ratio: quantile(
        own.map((time, index) => time / bare[index]!),
        0.95,
      ),
      peakMegabytes: peaks.get(contender.name) ?? null,
      f1: quality?.f1 ?? null,
      title: quality?.title ?? null,
      author: quality?.author ?? null,
      date: quality?.date ?? null,
      errors: quality?.errors ?? 0,
    };
  });
}

export function formatSpeed(summaries: readonly SpeedSummary[], withTimes: boolean): string {
  const times = withTimes ? ['ms/page', 'median ms'] : [];
  const heads = [
    '',
    'pages',
    ...times,
    '× parse5 (sum)',
    '(median)',
    '(p95)',
    'peak MB',
    'word F1',
    'title',
    'author',
    'date',
    'errors',
  ];
  const rows = summaries.map((row) => [
    row.name,
    String(row.pages),
    ...(withTimes ? [row.msPerPage.toFixed(2), row.medianMs.toFixed(2)] : []),
    row.sumRatio.toFixed(2),
    row.medianRatio.toFixed(2),
    row.p95Ratio.toFixed(2),
    row.peakMegabytes === null ? '-' : row.peakMegabytes.toFixed(0),
    share(row.f1),
    share(row.title),
    share(row.author),
    share(row.date),
    String(row.errors),
  ]);
  return formatTable(heads, rows);
}

/** Formats the word F1 by page type, one row per contender; slow contenders have only a sample of the pages. */
export function formatTypes(measurements: readonly Measurement[]): string {
  const scored = measurements.filter(({ scores }) => scores.length > 0);
  const types = summarizeScores(scored[0]?.scores ?? []).map(({ type }) => type);
  const rows = scored.map(({ contender, scores }) => {
    const byType = new Map(summarizeScores(scores).map(({ type, f1 }) => [type, f1]));
    return [contender.name, String(scores.length), ...types.map((type) => share(byType.get(type) ?? null))];
  });
  return formatTable(['', 'pages', ...types], rows);
}

function share(value: number | null): string {
  return value === null ? '-' : value.toFixed(3).replace(/^0/, '');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
