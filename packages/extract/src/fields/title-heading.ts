import type { Tree } from '../tree/tree.ts';
import { collapse, getNodeText } from './node-text.ts';
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
const MAX_HEADINGS = 40;

/** What is needed to tell which heading is the title. */
export interface HeadingFacts extends Signals {
  readonly tree: Tree;
  readonly context: PageContext;
  readonly isSiteName: (text: string) => boolean;
}

/** Picks the h1 (h2 when there is none) that shows the page's title; -1 when none does. */
export function findTitleNode(facts: HeadingFacts): number {
  const reference = `${readDocumentTitle(facts)} ${facts.meta.get('og:title')?.[0] ?? ''}`;
  let best = -1;
  let bestScore = 0;
  for (const list of [facts.h1s, facts.h2s]) {
    for (const [index, node] of list.slice(0, MAX_HEADINGS).entries()) {
      const text = getNodeText(facts.tree, node);
      if (text.length < 2 || text.length > 300) continue;
      const bits = facts.context.get(node);
      const overlap = shareOfWords(text, reference);
      let score = overlap + (list === facts.h1s ? 0.35 : -0.35) - index * 0.02 + Math.min(text.length, 60) / 400;
      if (facts.isSiteName(text)) score -= 0.6;
      if (bits & (IN_NAV | IN_FOOTER | IN_COMMENT | IN_ASIDE)) score -= 0.4;
      if (bits & IN_RELATED) score -= 0.2;
      if (bits & IN_HIDDEN) score -= 0.15;
      if (bits & IN_HEADER && bits & IN_LINK) score -= 0.2;
      if (score > bestScore) {
        bestScore = score;
        best = node;
      }
    }
    if (best >= 0) break;
  }
  return best;
}

/** Text of the `<title>` element, or ''. */
export function readDocumentTitle(facts: Pick<HeadingFacts, 'tree' | 'titleElement'>): string {
  const { tree, titleElement } = facts;
  return titleElement >= 0 && tree.end[titleElement]! > titleElement + 1
    ? collapse(tree.value[titleElement + 1]!.slice(0, MAX_TITLE))
    : '';
}

/** Share of a text's words that another has. */
export function shareOfWords(text: string, other: string): number {
  const words = toWords(text);
  if (words.length === 0) return 0;
  const known = new Set(toWords(other));
  let shared = 0;
  for (const word of words) if (known.has(word)) shared++;
  return shared / words.length;
}

function toWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  // Scripts without spaces: pairs of characters stand for words.
  return words.flatMap((word) =>
    /[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]/.test(word) && word.length > 2
      ? Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2))
      : [word],
  );
}
