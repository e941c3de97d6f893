import { getAttribute, type Tree } from '../tree/tree.ts';
import { TAG } from '../tree/tags.ts';
import { collapse, getNodeText } from '../tree/text/node-text.ts';
import {
  IN_ASIDE,
  IN_COMMENT,
  IN_FOOTER,
  IN_HEADER,
  IN_HIDDEN,
  IN_LINK,
  IN_NAV,
  IN_RELATED,
  type PageContext,
} from './page-context.ts';
import type { Signals } from './signals.ts';

const MAX_TITLE = 1_000;
const MAX_HEADINGS = 12;
const LABEL = /^(?:thread|topic|title|question|discussion|thema|titel|sujet|tema|тема|konu)\s*:\s*/iu;
/** With an h1 of at least this score, h2s are not checked. */
const GOOD_SCORE = 1.5;

export interface HeadingFacts extends Signals {
  readonly tree: Tree;
  readonly context: PageContext;
  readonly isSiteName: (text: string) => boolean;
}

export interface TitleHeading {
  readonly node: number;
  readonly text: string;
  /** Share of its words that occur in the stated titles, 0-1. */
  readonly overlap: number;
  /** Share of a stated title's words (without the site's name) that the heading has, 0-1. */
  readonly coverage: number;
  readonly score: number;
}

/** Surroundings in which a heading is rarely the title. */
const CONTEXT_POINTS: readonly (readonly [number, number])[] = [
  [IN_NAV, -0.4],
  [IN_FOOTER, -0.5],
  [IN_COMMENT, -0.4],
  [IN_ASIDE, -0.4],
  [IN_RELATED, -0.2],
  [IN_HIDDEN, -0.15],
];

/** Picks the h1, or a better h2, with the page's title; null if there is none. */
export function findTitleHeading(facts: HeadingFacts): TitleHeading | null {
  const stated = listStatedTitles(facts);
  let best: TitleHeading | null = null;
  for (const list of [facts.h1s, facts.h2s]) {
    if (best !== null && best.score >= GOOD_SCORE) break;
    for (const [index, node] of list.slice(0, MAX_HEADINGS).entries()) {
      const heading = scoreHeading(facts, node, stated, list === facts.h1s ? 0.5 : -0.3);
      if (heading === null) continue;
      const score = heading.score - index * 0.02;
      if (score > (best?.score ?? 0)) best = { ...heading, score };
    }
  }
  return best;
}

function scoreHeading(facts: HeadingFacts, node: number, stated: StatedTitles, base: number): TitleHeading | null {
  const text = dropLabel(getNodeText(facts.tree, node), stated.titles);
  if (text.length < 2 || text.length > 300) return null;
  const words = toWords(text);
  const own = new Set(words);
  const overlap = shareOf(words, stated.all);
  const coverage = Math.max(...stated.bare.map((title) => shareOf(title, own)), 0);
  let score = base + 0.5 * overlap + coverage + Math.min(text.length, 60) / 400;
  if (facts.isSiteName(text)) score -= 0.6;
  if (isLogo(facts.tree, node)) score -= 0.7;
  const bits = facts.context.get(node);
  for (const [bit, points] of CONTEXT_POINTS) if ((bits & bit) !== 0) score += points;
  if ((bits & IN_HEADER) !== 0 && (bits & IN_LINK) !== 0) score -= 0.2;
  return { node, text, overlap, coverage, score };
}

function dropLabel(text: string, titles: readonly string[]): string {
  const rest = text.replace(LABEL, '');
  const isLabelled = rest !== text && rest !== '' && titles.some((title) => collapse(title).startsWith(rest));
  return isLabelled ? rest : text;
}

/** A heading that links to the front page is the logo. */
function isLogo(tree: Tree, node: number): boolean {
  const stop = Math.min(tree.end[node], node + 20);
  for (let i = node; i < stop; i++) if (tree.tag[i] === TAG.a && isHome(getAttribute(tree, i, 'href'))) return true;
  for (let i = tree.parent[node], step = 0; i > 0 && step < 3; i = tree.parent[i], step++) {
    if (tree.tag[i] === TAG.a) return isHome(getAttribute(tree, i, 'href'));
  }
  return false;
}

/** Whether an address, as written, is that of a front page: `/`, `https://example.com`, `/en/`, `index.html`. */
export function isHome(href: string | undefined): boolean {
  return (
    href !== undefined &&
    /^(?:https?:\/\/[^/]{1,100})?\/?(?:index\.\w{3,5}|[a-z]{2}\/?)?(?:[?#].{0,200})?$/i.test(href) &&
    !href.startsWith('#')
  );
}

interface StatedTitles {
  readonly titles: readonly string[];
  readonly all: ReadonlySet<string>;
  /** Each stated title without the parts that name the site. */
  readonly bare: readonly (readonly string[])[];
}

function listStatedTitles(facts: HeadingFacts): StatedTitles {
  const titles = [
    readDocumentTitle(facts),
    facts.meta.get('og:title')?.[0] ?? '',
    facts.meta.get('twitter:title')?.[0] ?? '',
  ].filter(Boolean);
  const bare = titles.map((title) => {
    const parts = title.split(/[|»«·•]|(?<!\s)\s+[-–—:]+\s+/);
    return toWords(parts.filter((part) => !facts.isSiteName(part.trim())).join(' '));
  });
  return { titles, all: new Set(toWords(titles.join(' '))), bare };
}

/** Text of the `<title>` element, or ''. */
export function readDocumentTitle(facts: Pick<HeadingFacts, 'tree' | 'titleElement'>): string {
  const { tree, titleElement } = facts;
  return titleElement >= 0 && tree.end[titleElement] > titleElement + 1
    ? collapse(tree.value[titleElement + 1].slice(0, MAX_TITLE))
    : '';
}

/** Share of a text's words that occur in another. */
export function shareOfWords(text: string, other: string): number {
  return shareOf(toWords(text), new Set(toWords(other)));
}

function shareOf(words: readonly string[], known: ReadonlySet<string>): number {
  if (words.length === 0) return 0;
  let shared = 0;
  for (const word of words) if (known.has(word)) shared++;
  return shared / words.length;
}

const DENSE = /[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]/;

function toWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (!DENSE.test(text)) return words;
  // Scripts without spaces: pairs of characters are words.
  return words.flatMap((word) =>
    DENSE.test(word) && word.length > 2
      ? Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2))
      : [word],
  );
}
