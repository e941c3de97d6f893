import { formatTable } from '../quality/format-report.ts';
import type { Answer, HostTimes, Outcome } from './measure-hosts.ts';

/** A difference in word F1 that a reader notices. */
const NOTICED = 0.05;
const HEADS = ['pages', 'of', 'generic', 'answer', 'gain', 'better', 'worse', 'fields lost', 'won'];

/** Formats the outcomes by number of other pages: over pages by type, over all pages, and over sites. */
export function formatReport(outcomes: readonly Outcome[], times: readonly HostTimes[]): string {
  const counts = [...new Set(outcomes.map(({ others }) => others))].toSorted((a, b) => a - b);
  const most = new Map<string, number>();
  for (const { key, others } of outcomes) most.set(key, Math.max(others, most.get(key) ?? 0));
  const groups: [string, readonly Outcome[]][] = [
    ...counts.map((count): [string, readonly Outcome[]] => [
      `${count} other pages`,
      outcomes.filter(({ others }) => others === count),
    ]),
    ['the most other pages that a page has', outcomes.filter(({ key, others }) => most.get(key) === others)],
  ];
  const parts = KINDS.flatMap(({ kind, words }) =>
    groups.map(([name, group]) => describe(`${words} ${name}`, kind, group)),
  );
  return [...parts, describeTimes(times)].join('\n\n');
}

type Kind = 'evidence' | 'taught';

const KINDS = [
  { kind: 'evidence', words: 'With the evidence of' },
  { kind: 'taught', words: 'Taught by the labels of' },
] as const;

function describe(title: string, kind: Kind, outcomes: readonly Outcome[]): string {
  const types = [...new Set(outcomes.map(({ type }) => type))].toSorted();
  const rows = [
    ...types.map((type) => [
      type,
      ...summarize(
        outcomes.filter((one) => one.type === type),
        kind,
        byWeight,
      ),
    ]),
    ['all pages', ...summarize(outcomes, kind, byWeight)],
    ['mean of sites', ...summarize(outcomes, kind, bySite(outcomes))],
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

function summarize(outcomes: readonly Outcome[], kind: Kind, weigh: Weigh): string[] {
  const sum = (value: (answer: Answer, outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + weigh(outcome) * value(outcome[kind], outcome), 0);
  const total = sum(() => 1);
  const gain = sum(({ f1 }, { generic }) => f1 - generic) / total;
  return [
    total.toFixed(0),
    String(outcomes.length),
    (sum((_, { generic }) => generic) / total).toFixed(4),
    (sum(({ f1 }) => f1) / total).toFixed(4),
    (1000 * gain).toFixed(1),
    sum(({ f1 }, { generic }) => (f1 - generic >= NOTICED ? 1 : 0)).toFixed(1),
    sum(({ f1 }, { generic }) => (generic - f1 >= NOTICED ? 1 : 0)).toFixed(1),
    sum(({ lost }) => lost).toFixed(1),
    sum(({ won }) => won).toFixed(1),
  ];
}

function describeTimes(times: readonly HostTimes[]): string {
  const pages = times.reduce((sum, one) => sum + one.pages, 0);
  const mean = (kind: Exclude<keyof HostTimes, 'pages'>): string =>
    (times.reduce((sum, one) => sum + one[kind], 0) / pages).toFixed(2);
  return `Milliseconds a page, without the parse: ${mean('generic')} generic, ${mean('notes')} with notes, ${mean('evidence')} with evidence, ${mean('taught')} taught`;
}
