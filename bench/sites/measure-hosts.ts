import { describePath, gatherEvidence, gatherTaught, splitAddress, type TaughtPage } from '@winnow/extract/matching';
import {
  extractTree,
  markPage,
  outlinePage,
  parseTree,
  type SiteExtraction,
  type SiteOptions,
  type Tree,
} from '@winnow/extract/templates';
import { readHtml } from '../quality/benchmark-page.ts';
import { agreeAsDays, agreeAsNames, isGiven } from '../quality/score-fields.ts';
import { scoreText } from '../quality/score-text.ts';
import { labelBlocks } from './label-blocks.ts';
import type { SitePage } from './list-hosts.ts';

/** One page with the evidence of `others` pages of its host, and with their labels as marks. */
export interface Outcome {
  readonly key: string;
  readonly host: string;
  readonly type: string;
  readonly others: number;
  /** Share of this outcome in those of the page with as many others. */
  readonly weight: number;
  readonly generic: number;
  readonly evidence: Answer;
  readonly taught: Answer;
}

export interface Answer {
  readonly f1: number;
  /** Fields that the generic answer has right and this one has not, and the reverse. */
  readonly lost: number;
  readonly won: number;
  readonly confidenceChanged: boolean;
}

export interface HostTimes {
  readonly pages: number;
  /** Milliseconds over all pages, without the parse. */
  readonly generic: number;
  readonly notes: number;
  readonly evidence: number;
  readonly taught: number;
}

interface Read {
  readonly page: SitePage;
  readonly tree: Tree;
  readonly alone: SiteExtraction;
  readonly score: number;
  readonly marked: TaughtPage;
}

/** Measures the pages of one host with every number of others in `counts`, each with up to `orders` choices of them. */
export function measureHost(
  host: string,
  pages: readonly SitePage[],
  counts: readonly number[],
  orders: number,
): { outcomes: Outcome[]; times: HostTimes } {
  const times = { pages: 0, generic: 0, notes: 0, evidence: 0, taught: 0 };
  const read = pages.map((page): Read => {
    const tree = parseTree(readHtml(page.folder, page.id));
    const { url } = page;
    extractTree(tree, { url });
    time('generic', () => extractTree(tree, { url }));
    const alone = time('notes', () => extractTree(tree, { url, takeNotes: true }));
    times.pages++;
    return { page, tree, alone, score: score(page, alone), marked: markByTruth(page, tree) };
  });
  const outcomes = read.flatMap((one, index) => {
    const rest = read.toSpliced(index, 1);
    let isTimed = false;
    return counts.flatMap((count) => {
      const choices = chooseOthers(rest, count, orders, index);
      return choices.map((others): Outcome => {
        const siteEvidence = gatherEvidence(others.flatMap(({ alone }) => alone.notes ?? []));
        const taught = gatherTaught(others.map(({ marked }) => marked));
        const answer = (kind: 'evidence' | 'taught', known: SiteOptions): Answer => {
          const run = (): SiteExtraction => extractTree(one.tree, { url: one.page.url, ...known });
          return judge(one, isTimed ? run() : time(kind, run));
        };
        const answers = { evidence: answer('evidence', { siteEvidence }), taught: answer('taught', { taught }) };
        isTimed = true;
        return {
          key: one.page.key,
          host,
          type: one.page.pageType,
          others: count,
          weight: 1 / choices.length,
          generic: one.score,
          ...answers,
        };
      });
    });
  });
  return { outcomes, times };

  function time<T>(kind: Exclude<keyof HostTimes, 'pages'>, work: () => T): T {
    const started = performance.now();
    const result = work();
    times[kind] += performance.now() - started;
    return result;
  }
}

/** Marks every block of a page as a person would who knows the true text. */
function markByTruth({ url, truth }: SitePage, tree: Tree): TaughtPage {
  const outline = outlinePage(tree, url);
  const labels = labelBlocks(
    outline.map(({ text }) => text),
    truth.mainContent,
  );
  const { page } = markPage(tree, new Map(outline.map(({ id }, index) => [id, labels[index] === true])));
  const parts = splitAddress(url);
  return { shape: parts === undefined ? '' : describePath(parts), marks: page };
}

function judge({ page, alone }: Read, answer: SiteExtraction): Answer {
  return {
    f1: score(page, answer),
    lost: countRight(page, alone, answer),
    won: countRight(page, answer, alone),
    confidenceChanged: answer.confidence !== alone.confidence,
  };
}

function score({ truth }: SitePage, { mainText }: SiteExtraction): number {
  return scoreText(truth.mainContent, mainText, truth.neutral).f1;
}

/** Number of fields that are right in one answer and not in another. */
function countRight({ truth }: SitePage, one: SiteExtraction, other: SiteExtraction): number {
  const isRight = ({ title, author, publishTime }: SiteExtraction): boolean[] => [
    isGiven(truth.title) && agreeAsNames(truth.title, title),
    isGiven(truth.author) && agreeAsNames(truth.author, author),
    isGiven(truth.publishDate) && agreeAsDays(truth.publishDate, publishTime),
  ];
  const others = isRight(other);
  return isRight(one).filter((right, index) => right && others[index] !== true).length;
}

/** Different choices of `count` items, the same in every run: rotations with growing steps. */
function chooseOthers<T>(items: readonly T[], count: number, orders: number, seed: number): T[][] {
  if (items.length < count) return [];
  const chosen = new Map<string, T[]>();
  for (let order = 0; chosen.size < orders && order < 4 * orders; order++) {
    const step = 1 + Math.floor(order / items.length);
    const picked = new Set<number>();
    for (let k = 0; picked.size < count && k < items.length * count; k++) {
      let at = (seed + order + k * step) % items.length;
      while (picked.has(at)) at = (at + 1) % items.length;
      picked.add(at);
    }
    const indices = [...picked].toSorted((a, b) => a - b);
    chosen.set(
      indices.join(),
      indices.map((index) => items[index]!),
    );
  }
  return [...chosen.values()];
}
