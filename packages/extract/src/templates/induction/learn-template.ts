import { compileTemplate } from '../selectors/compile-template.ts';
import { tryTemplate } from '../application/extract-with-template.ts';
import type { Judgement } from '../application/judge-template.ts';
import { computeSignature, getSignatureDistance } from '../matching/signature.ts';
import type { Template } from '../format/template.ts';
import { induceTemplate } from './induce-template.ts';
import type { InductionPage } from './sample-page.ts';

export type LearnResult =
  | {
      readonly ok: true;
      readonly template: Template;
      readonly learnedFrom: readonly number[];
      /** Results on the other pages of the cluster. */
      readonly trials: readonly (Judgement & { readonly page: number })[];
    }
  | { readonly ok: false; readonly reason: string };

/** Largest distance within one kind of page. */
const CLUSTER_DISTANCE = 0.5;
/** Fewest and most pages to learn from; the rest is held out. */
const LEAST_PAGES = 3;
const MOST_PAGES = 8;

/**
 * Picks the largest group of similar pages of a host, learns a template from a part and tries it on the rest.
 * Deterministic.
 *
 * @param pages in order of arrival, each address once
 */
export function learnTemplate(pages: readonly InductionPage[]): LearnResult {
  const cluster = findCluster(pages);
  if (cluster.length < LEAST_PAGES)
    return { ok: false, reason: `only ${cluster.length} of the ${pages.length} pages are alike` };
  const held = cluster.length - LEAST_PAGES;
  const count = Math.min(MOST_PAGES, cluster.length - Math.min(held, Math.ceil(cluster.length / 4)));
  const learnedFrom = cluster.slice(0, count);
  const induction = induceTemplate(learnedFrom.map((index) => pages[index]));
  if (!induction.ok) return induction;
  const compiled = compileTemplate(induction.template);
  const trials = cluster.slice(count, count + MOST_PAGES).map((page) => {
    const { html, url, contentLanguage } = pages[page];
    const options = { url, ...(contentLanguage === undefined || contentLanguage === null ? {} : { contentLanguage }) };
    return { page, ...tryTemplate(html, compiled, options).judgement };
  });
  return { ok: true, template: induction.template, learnedFrom, trials };
}

/** The largest set of pages near one of them; the first wins a tie. */
function findCluster(pages: readonly InductionPage[]): number[] {
  const signatures = pages.map((page) => computeSignature(page.html));
  let best: number[] = [];
  for (const middle of signatures) {
    const near = signatures.flatMap((other, index) =>
      getSignatureDistance(middle, other) <= CLUSTER_DISTANCE ? [index] : [],
    );
    if (near.length > best.length) best = near;
  }
  return best;
}
