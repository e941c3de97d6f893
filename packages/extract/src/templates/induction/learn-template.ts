import { compileTemplate } from '../selectors/compile-template.ts';
import { tryTemplate } from '../application/extract-with-template.ts';
import type { Judgement } from '../application/judge-template.ts';
import { computeSignature, getSignatureDistance } from '../matching/signature.ts';
import type { Template } from '../format/template.ts';
import { induceTemplate } from './induce-template.ts';
import type { InductionPage } from './sample-page.ts';

export type Lesson =
  | {
      readonly ok: true;
      readonly template: Template;
      /** Which of the pages, by index, it was induced from. */
      readonly learnedFrom: readonly number[];
      /** How it did on the other pages of the cluster. */
      readonly trials: readonly (Judgement & { readonly page: number })[];
    }
  | { readonly ok: false; readonly reason: string };

/** Pages farther from each other than this are of different kinds. */
const CLUSTER_DISTANCE = 0.5;
/** Fewest pages to learn from, and most; the pages beyond are held out. */
const LEAST_PAGES = 3;
const MOST_PAGES = 8;

/**
 * Learns from the pages of one host: picks the largest group of like structure, induces a template from a part
 * of it and tries it on the rest. Deterministic.
 *
 * @param pages in the order in which they were seen, each address once
 */
export function learnTemplate(pages: readonly InductionPage[]): Lesson {
  const cluster = findCluster(pages);
  if (cluster.length < LEAST_PAGES)
    return { ok: false, reason: `only ${cluster.length} of the ${pages.length} pages are alike` };
  const held = cluster.length - LEAST_PAGES;
  const count = Math.min(MOST_PAGES, cluster.length - Math.min(held, Math.ceil(cluster.length / 4)));
  const learnedFrom = cluster.slice(0, count);
  const induction = induceTemplate(learnedFrom.map((index) => pages[index]!));
  if (!induction.ok) return induction;
  const compiled = compileTemplate(induction.template);
  const trials = cluster.slice(count, count + MOST_PAGES).map((page) => {
    const { html, url, contentLanguage } = pages[page]!;
    const options = { url, ...(contentLanguage === undefined || contentLanguage === null ? {} : { contentLanguage }) };
    return { page, ...tryTemplate(html, compiled, options).judgement };
  });
  return { ok: true, template: induction.template, learnedFrom, trials };
}

/** The largest set of pages that are near to one of them; the first such page wins a tie. */
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
