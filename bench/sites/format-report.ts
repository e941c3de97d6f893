import { formatTable } from '../quality/format-report.ts';
import type { HostTimes, Outcome } from './measure-hosts.ts';

/** A difference in word F1 that a reader notices. */
const NOTICED = 0.05;
const HEADS = ['pages', 'of', 'generic', 'evidence', 'gain', 'better', 'worse', 'fields lost', 'won'];

/** Formats the outcomes by number of other pages: over pages by type, over all pages, and over sites. */
export function formatReport(outcomes: readonly Outcome[], times: readonly HostTimes[]): string {
  const counts = [...new Set(outcomes.map(({ others }) => others))].toSorted((a, b) => a - b);
  const parts = counts.map((count) =>
    describe(
      `With ${count} other pages`,
      outcomes.filter(({ others }) => others === count),
    ),
  );
  const most = new Map<string, number>();
  for (const { key, others } of outcomes) most.set(key, Math.max(others, most.get(key) ?? 0));
  parts.push(
    describe(
      'With the most other pages that a page has',
      outcomes.filter(({ key, others }) => most.get(key) === others),
    ),
    describeTimes(times),
  );
  return parts.join('\n\n');
}

function describe(title: string, outcomes: readonly Outcome[]): string {
  const types = [...new Set(outcomes.map(({ type }) => type))].toSorted();
  const rows = [
    ...types.map((type) => [
      type,
      ...summarize(
        outcomes.filter((one) => one.type === type),
        byWeight,
      ),
    ]),
    ['all pages', ...summarize(outcomes, byWeight)],
    ['mean of sites', ...summarize(outcomes, bySite(outcomes))],
  ];
  return `${title}; gains in thousandths of word F1, pages better and worse by ${NOTICED}\n\n${formatTable(['type', ...HEADS], rows)}`;
}

type Weigh = (outcome: Outcome) => number;

const byWeight: Weigh = ({ weight }) => weight;

function bySite(outcomes: readonly Outcome[]): Weigh {
  const total = new Map<string, number>();
  for (const { host, weight } of outcomes) total.set(host, (total.get(host) ?? 0) + weight);
  return ({ host, weight }) => weight / (total.get(host) ?? 1);
}

function summarize(outcomes: readonly Outcome[], weigh: Weigh): string[] {
  const sum = (value: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + weigh(outcome) * value(outcome), 0);
  const total = sum(() => 1);
  const gain = sum(({ generic, evidence }) => evidence - generic) / total;
  return [
    total.toFixed(0),
    String(outcomes.length),
    (sum(({ generic }) => generic) / total).toFixed(4),
    (sum(({ evidence }) => evidence) / total).toFixed(4),
    (1000 * gain).toFixed(1),
    sum(({ generic, evidence }) => (evidence - generic >= NOTICED ? 1 : 0)).toFixed(1),
    sum(({ generic, evidence }) => (generic - evidence >= NOTICED ? 1 : 0)).toFixed(1),
    sum(({ lost }) => lost).toFixed(1),
    sum(({ won }) => won).toFixed(1),
  ];
}

function describeTimes(times: readonly HostTimes[]): string {
  const pages = times.reduce((sum, one) => sum + one.pages, 0);
  const mean = (kind: 'generic' | 'notes' | 'evidence'): string =>
    (times.reduce((sum, one) => sum + one[kind], 0) / pages).toFixed(2);
  return `Milliseconds a page, without the parse: ${mean('generic')} generic, ${mean('notes')} with notes, ${mean('evidence')} with evidence`;
}
