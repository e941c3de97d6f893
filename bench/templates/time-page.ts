import { parse } from 'parse5';
import { extract } from '@winnow/extract';
import { compileTemplate, extractWithTemplate, type CompiledTemplate, type Template } from '@winnow/extract/templates';
import { parseTree } from '../../packages/extract/src/tree/parse-tree.ts';
import type { SitePage } from './make-site.ts';

/** Milliseconds of this thread's processor time that one page takes: means, since the clock may tick coarsely. */
export interface PageTimes {
  /** parse5's bare parse into its default tree. */
  readonly parse5: number;
  /** Our parse, which both extractors share. */
  readonly parse: number;
  /** HTML string to result, parse included. */
  readonly generic: number;
  readonly template: number;
}

/** The first of them warms up. */
const RUNS = 6;
const compiled = new Map<string, CompiledTemplate>();

/** Times the four in turn, so that what else the machine does falls on all alike. */
export function timePage(page: SitePage, json: string): PageTimes {
  let template = compiled.get(json);
  if (template === undefined) {
    compiled.clear();
    compiled.set(json, (template = compileTemplate(JSON.parse(json) as Template)));
  }
  const ready = template;
  const options = { url: page.url };
  const work = {
    parse5: () => parse(page.html, { scriptingEnabled: false }),
    parse: () => parseTree(page.html),
    generic: () => extract(page.html, options),
    template: () => extractWithTemplate(page.html, ready, options),
  };
  const mean = { parse5: 0, parse: 0, generic: 0, template: 0 };
  for (let run = 0; run < RUNS; run++) {
    for (const name of Object.keys(work) as (keyof typeof work)[]) {
      const started = process.threadCpuUsage();
      work[name]();
      const { user, system } = process.threadCpuUsage(started);
      if (run > 0) mean[name] += (user + system) / 1000 / (RUNS - 1);
    }
  }
  return mean;
}
