import type { Candidate } from '../shared/candidate.ts';
import {
  IN_ARTICLE,
  IN_ASIDE,
  IN_BIO,
  IN_COMMENT,
  IN_FOOTER,
  IN_HIDDEN,
  IN_NAV,
  IN_RELATED,
} from '../../page/page-context.ts';
import type { PageFacts } from '../../page/page-facts.ts';
import { markTags } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { cleanName } from '../../page/person-names.ts';

const CONTEXT_FACTORS: readonly (readonly [number, number, string])[] = [
  [IN_COMMENT, 0.12, 'the author of a comment'],
  [IN_RELATED, 0.3, 'the author of another page'],
  [IN_NAV, 0.1, 'part of the navigation'],
  [IN_FOOTER, 0.2, 'part of the footer'],
  [IN_ASIDE, 0.5, 'beside the content'],
  [IN_HIDDEN, 0.9, 'not shown'],
];

/** For the author of a list entry that links to another page. */
const OTHER_ENTRY_FACTOR = 0.15;

/** Returns how likely the author at a node is the page's own, by surroundings. */
export function contextFactor(facts: PageFacts, node: number): number {
  const bits = facts.context.getBeside(node, facts.titleNode);
  // In a discussion, posts look like comments.
  const isCommenter = (bits & IN_COMMENT) !== 0 && getAttribute(facts.tree, node, 'rel') !== 'author';
  if (isCommenter && !facts.isDiscussion && facts.pageType !== 'forum') return 0;
  let factor = facts.isInOtherEntry(node) ? OTHER_ENTRY_FACTOR : 1;
  for (const [bit, value] of CONTEXT_FACTORS) if ((bits & bit) !== 0) factor *= value;
  return factor;
}

/** Prefers authors near the title or at the end of the article. */
export function placeFactor(facts: PageFacts, node: number): number {
  const bits = facts.context.get(node);
  if ((bits & IN_BIO) !== 0) return 0.95;
  if (facts.titleNode < 0) return 0.9;
  const distance = node - facts.titleNode;
  if (distance >= -60 && distance <= 150) return 1;
  return (bits & IN_ARTICLE) !== 0 ? 0.9 : 0.75;
}

/** Lowers the weight of every name after the first. */
export function firstOnly(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Map<string, number>();
  return candidates.map((candidate) => {
    const key = toNameKey(cleanName(candidate.value));
    const rank = seen.get(key) ?? seen.size;
    seen.set(key, rank);
    return { ...candidate, weight: candidate.weight * 0.75 ** Math.min(rank, 6) };
  });
}

const LEAST_ROWS = 4;
const ROW_FACTOR = 0.3;
const NEAR_TITLE = 60;

/** Lowers the weight of names far from the title if there are several, as in the rows of a list. */
export function demoteRows(facts: PageFacts, candidates: readonly Candidate[]): readonly Candidate[] {
  if (facts.isDiscussion) return candidates;
  const names = new Set(candidates.map(({ value, node }) => (node === undefined ? '' : toNameKey(cleanName(value)))));
  names.delete('');
  if (names.size < LEAST_ROWS) return candidates;
  return candidates.map((candidate) =>
    isNearTitle(facts, candidate.node) ? candidate : { ...candidate, weight: candidate.weight * ROW_FACTOR },
  );
}

function isNearTitle({ titleNode }: PageFacts, node: number | undefined): boolean {
  return node === undefined || (titleNode >= 0 && Math.abs(node - titleNode) <= NEAR_TITLE);
}

export function toNameKey(value: string): string {
  return value
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim();
}

const QUOTING = markTags('blockquote', 'cite', 'figcaption');
const QUOTING_NAME = /(?:^|[\s_-])(?:caption|credit|quote|testimonial)/i;
const MAX_QUOTED = 4;

/** Whether a name is that of a photographer or a quoted person. */
export function isQuoted(tree: Tree, node: number): boolean {
  for (let at = tree.parent[node], step = 0; at > 0 && step < MAX_QUOTED; at = tree.parent[at], step++) {
    if (QUOTING[tree.tag[at]] === 1 || QUOTING_NAME.test((getAttribute(tree, at, 'class') ?? '').slice(0, 200)))
      return true;
  }
  return false;
}
