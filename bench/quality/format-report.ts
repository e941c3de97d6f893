import type { PageScore } from './score-page.ts';
import type { Summary } from './summarize-scores.ts';

type Column = readonly [heading: string, cell: (summary: Summary) => string];

const COLUMNS: readonly Column[] = [
  ['type', (summary) => summary.type],
  ['pages', (summary) => String(summary.pages)],
  ['word F1', (summary) => share(summary.f1)],
  ['precision', (summary) => share(summary.precision)],
  ['recall', (summary) => share(summary.recall)],
  ['title', (summary) => share(summary.title)],
  ['author', (summary) => share(summary.author)],
  ['date', (summary) => share(summary.date)],
  ['no author', (summary) => share(summary.noAuthor)],
  ['no date', (summary) => share(summary.noDate)],
  ['with %', (summary) => percent(summary.with)],
  ['without %', (summary) => percent(summary.without)],
  ['ms/page', (summary) => summary.msPerPage.toFixed(2)],
  ['errors', (summary) => String(summary.errors)],
];

/** Formats the scores by page type as a Markdown table. */
export function formatSummaries(summaries: readonly Summary[]): string {
  return formatTable(
    COLUMNS.map(([heading]) => heading),
    summaries.map((summary) => COLUMNS.map(([, cell]) => cell(summary))),
  );
}

/** The pages with the lowest word F1, worst first. */
export function formatWorst(scores: readonly PageScore[], count: number): string {
  const worst = scores.toSorted((a, b) => a.f1 - b.f1).slice(0, count);
  return formatTable(
    ['page', 'type', 'word F1', 'precision', 'recall', 'error'],
    worst.map((score) => [
      score.id,
      score.pageType,
      share(score.f1),
      share(score.precision),
      share(score.recall),
      score.error ?? '',
    ]),
  );
}

/** Formats a Markdown table with padded columns; cells after the first are right-aligned. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) =>
    Math.max(3, head.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(heads), rule, ...rows.map(line)].join('\n');
}

function share(value: number | null): string {
  return value === null ? '-' : value.toFixed(3).replace(/^0/, '');
}

function percent(value: number | null): string {
  return value === null ? '-' : (value * 100).toFixed(1);
}
