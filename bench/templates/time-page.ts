import { parse } from 'parse5';
import { compileTemplate, type CompiledTemplate, type Template } from '@winnow/extract/templates';
import { extractTree } from '../../packages/extract/src/pipeline/extract.ts';
import { applyTemplate } from '../../packages/extract/src/templates/application/apply-template.ts';
import { parseTree } from '../../packages/extract/src/tree/parse/parse-tree.ts';
import type { SitePage } from './make-site.ts';

/** Processor time of this thread for one page, in milliseconds: means, because the clock may be coarse. */
export interface PageTimes {
  /** parse5's bare parse into its default tree. */
  readonly parse5: number;
  /** Our parse, which both extractors share: mean over their runs. */
  readonly parse: number;
  /** From the parsed tree to the result. */
  readonly generic: number;
  readonly template: number;
}

/** Runs, including the warm-up. */
const RUNS = 8;
const WARM_UP = 3;
const compiled = new Map<string, CompiledTemplate>();

/** Times the two extractors and the bare parse in turn, so that other load of the machine affects all alike. */
export function timePage(page: SitePage, json: string): PageTimes {
  let template = compiled.get(json);
  if (template === undefined) {
    compiled.clear();
    compiled.set(json, (template = compileTemplate(JSON.parse(json) as Template)));
  }
  const ready = template;
  const options = { url: page.url };
  const mean = { parse5: 0, parse: 0, generic: 0, template: 0 };
  for (let run = 0; run < RUNS; run++) {
    const share = run < WARM_UP ? 0 : 1 / (RUNS - WARM_UP);
    const time = <T>(name: keyof PageTimes, part: number, work: () => T): T => {
      const started = process.threadCpuUsage();
      const result = work();
      const { user, system } = process.threadCpuUsage(started);
      mean[name] += ((user + system) / 1000) * part;
      return result;
    };
    time('parse5', share, () => parse(page.html, { scriptingEnabled: false }));
    const first = time('parse', share / 2, () => parseTree(page.html));
    time('generic', share, () => extractTree(first, options));
    const second = time('parse', share / 2, () => parseTree(page.html));
    time('template', share, () => applyTemplate(second, ready, options, () => extractTree(second, options)));
  }
  return mean;
}
