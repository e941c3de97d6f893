import { formatTable } from '../quality/format-report.ts';
import type { PageRun } from './run-site.ts';

/** Formats the report of the sites with unchanged markup, and of those whose markup changes. */
export function formatReport(steady: readonly PageRun[], changing: readonly PageRun[]): string {
  return [formatSteady(steady), formatChange(changing)].filter((part) => part !== '').join('\n\n');
}

function formatSteady(runs: readonly PageRun[]): string {
  const sites = [...Map.groupBy(runs, (run) => run.site)];
  const firsts = sites.map(([, pages]) => pages.find(isServed)?.place ?? Infinity);
  const later = runs.filter((run) => run.place >= (firsts[sites.findIndex(([site]) => site === run.site)] ?? Infinity));
  const served = runs.filter(isServed);
  const rows = (['generic', 'served'] as const).map((side) => [
    side === 'served' ? 'template' : side,
    mean(served.map((run) => run[side].f1)),
    share(served.map((run) => run[side].title)),
    share(served.map((run) => run[side].author)),
    share(served.map((run) => run[side].date)),
  ]);
  const worse = sites.filter(([, pages]) => {
    const own = pages.filter(isServed);
    return sum(own.map((run) => run.served.f1 - run.generic.f1)) < -1e-9;
  });
  const late = sites.filter((_, index) => (firsts[index] ?? Infinity) > 5).map(([site]) => site);
  return [
    `${sites.length} sites, ${runs.length} pages, ${served.length} of them served by a template`,
    '',
    formatTable(['on pages served by a template', 'word F1', 'title', 'author', 'date'], rows),
    '',
    `sites active by the 5th page: ${sites.length - late.length} of ${sites.length}${late.length === 0 ? '' : ` (not: ${late.join(', ')})`}`,
    `share of pages served by template from a site's first such page on: ${((100 * served.length) / Math.max(1, later.length)).toFixed(1)} %; from the 5th page on, all sites: ${((100 * served.filter((run) => run.place >= 5).length) / Math.max(1, runs.filter((run) => run.place >= 5).length)).toFixed(1)} %`,
    `sites whose mean word F1 is below generic's: ${worse.length}${worse.length === 0 ? '' : ` (${worse.map(([site]) => site).join(', ')})`}`,
    ...formatTimes(served),
  ].join('\n');
}

function formatTimes(runs: readonly PageRun[]): string[] {
  const times = runs.map((run) => run.times).filter((one) => one !== undefined);
  if (times.length === 0) return [];
  const total = (name: keyof (typeof times)[number]): number => sum(times.map((one) => one[name]));
  const perPage = (ms: number): string => (ms / times.length).toFixed(2);
  return [
    `ms a page, ${times.length} pages: parse5 ${perPage(total('parse5'))}, our parse ${perPage(total('parse'))}, work beyond the parse: generic ${perPage(total('generic'))}, template ${perPage(total('template'))}: ${(total('generic') / total('template')).toFixed(1)} times faster`,
    `a template page in all: ${((total('parse') + total('template')) / total('parse5')).toFixed(2)} times parse5's bare parse`,
  ];
}

/** Whether the template's text is far off although the generic extractor found the text. */
function isWrong(run: PageRun): boolean {
  return run.served.f1 < 0.5 && run.generic.f1 > 0.8;
}

function formatChange(runs: readonly PageRun[]): string {
  if (runs.length === 0) return '';
  const sites = [...Map.groupBy(runs, (run) => run.site)];
  const after = sites.map(([site, pages]) => {
    const before = pages.filter((run) => !run.changed).findLast(isServed)?.templateId;
    const changed = pages.filter((run) => run.changed);
    const kept = changed.slice(0, 3).every((run) => run.templateId === before);
    const healed = changed.findIndex((run) => isServed(run) && (kept || run.templateId !== before));
    return {
      site,
      wrong: changed.filter(isWrong).length,
      fell: changed.filter((run) => !isServed(run)).length,
      kept,
      healed: healed < 0 ? Infinity : healed + 1,
      had: before !== undefined,
    };
  });
  const learned = after.filter((one) => one.had);
  const healing = learned.filter((one) => !one.kept);
  const slow = healing.filter((one) => one.healed > 10);
  return [
    `after the markup change, ${learned.length} sites that had a template:`,
    `  pages served wrong: ${sum(learned.map((one) => one.wrong))} in all, at most ${Math.max(0, ...learned.map((one) => one.wrong))} on a site`,
    `  pages answered by the generic extractor: ${(sum(learned.map((one) => one.fell)) / Math.max(1, learned.length)).toFixed(1)} a site`,
    `  sites whose template still worked: ${learned.length - healing.length}; healed within 10 pages: ${healing.length - slow.length} of ${healing.length}${slow.length === 0 ? '' : ` (not: ${slow.map((one) => one.site).join(', ')})`}`,
    `  pages until healed: mean ${(sum(healing.filter((one) => one.healed !== Infinity).map((one) => one.healed)) / Math.max(1, healing.filter((one) => one.healed !== Infinity).length)).toFixed(1)}`,
  ].join('\n');
}

function isServed(run: PageRun): boolean {
  return run.templateId.startsWith('tpl_');
}

function mean(values: readonly number[]): string {
  return (sum(values) / Math.max(1, values.length)).toFixed(3);
}

function share(values: readonly (boolean | undefined)[]): string {
  const known = values.filter((value) => value !== undefined);
  return (known.filter(Boolean).length / Math.max(1, known.length)).toFixed(3);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
