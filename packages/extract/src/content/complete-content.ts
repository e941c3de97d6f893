import type { PageType } from '../types/extraction.ts';
import { HEADING, TAG, TAG_FLAGS } from '../tree/tags.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import { HOLDER, LAST, LINK_WORDS, locateBlock, STRIDE, sumUp, WORDS, type Blocks } from './blocks/blocks.ts';
import type { Scopes } from './blocks/scopes.ts';
import { listNotes } from './list-notes.ts';
import { findProductFacts } from './product-facts.ts';
import { NAME_FAMILIES } from './words/name-families.ts';
import { TAG_BITS, TAG_FAMILIES } from './words/tag-families.ts';

const FACTS = bitOf('table') | bitOf('terms');
const QUOTED = bitOf('quote') | bitOf('code');
const QUOTE = bitOf('quote');
const LIST = bitOf('list');
const TERMS = bitOf('terms');
/** Groups that start with what labels the rest. */
const LABELLED = bitOf('details') | TERMS;
const LABELS = LABELLED | bitOf('heading') | bitOf('button') | bitOf('item') | bitOf('figure');
const LABEL_NAMES = (1 << NAME_FAMILIES.indexOf('title')) | (1 << NAME_FAMILIES.indexOf('tabs'));
/** `LAST` of a block that ends in a colon. */
const COLON = 2;

/** Least mean probability of parts that the text around them announces or frames. */
const LIKELY_QUOTE = 0.12;
const LIKELY_ANNOUNCED = 0.12;
const LIKELY_LINKS = 0.3;
/** Links to other sites under a heading are sources, not teasers. */
const LIKELY_SOURCES = 0.18;
const LIKELY_FACTS = 0.28;
const LIKELY_VALUE = 0.15;
const MAX_STEPS = 8;
const LIKELY_PROSE = 0.3;
/** Words of a paragraph that cannot be a notice or label. */
const LEAST_PROSE = 25;
const ENDS_SENTENCE = 1;
const LIKELY_LIST = 0.3;
const LIKELY_LAST = 0.45;
const LIKELY_NOTE = 0.08;
const LIKELY_LABEL = 0.1;
/** Longest label, such as the question of an answer, in words. */
const MAX_LABEL = 20;
/** Longest source of a quote, in words. */
const MAX_CITATION = 15;
/** Longest definition of a term, such as a size, in words. */
const MAX_DEFINITION = 12;
const MAX_LEVELS = 12;
const OUTWARD = /^https?:/i;
/** Least share of kept words beside a label. */
const MOST_OF_GROUP = 0.7;

/** The chosen blocks, and what the model says about all of them. */
export interface Choice {
  readonly chosen: readonly number[];
  /** By block; 0 for copies and surroundings. */
  readonly probabilities: Float32Array;
  readonly words: Float64Array;
  readonly pageType: PageType;
  /** Address of the page, or ''. */
  readonly url: string;
}

/**
 * Adds short blocks that belong to chosen ones, because the model judges each alone: tables, term lists, headings, quotes
 * and code between two chosen siblings; lists that a heading or colon announces; facts above and paragraphs after
 * chosen ones; footnotes of the text; questions and titles above chosen texts; price, availability and number of a product.
 */
export function completeContent(
  tree: Tree,
  blocks: Blocks,
  scopes: Scopes,
  { chosen, probabilities, words, pageType, url }: Choice,
  mayAdd: (block: number) => boolean,
): readonly number[] {
  const { parent, leaf, from, to, tagBits, nameBits } = scopes;
  const { rows, count } = blocks;
  const isKept = new Uint8Array(count);
  for (const block of chosen) isKept[block] = 1;
  if (chosen.length === 0) return chosen;
  const host = URL.parse(url)?.hostname ?? '';
  const isChosen = isKept.slice();
  let end = 0;
  for (let scope = 1; scope < scopes.count; scope++) {
    const [before, after] = [from[scope] - 1, to[scope]];
    if (after <= end || isChosen[before] !== 1 || parent[leaf[before]] !== parent[scope]) continue;
    const isBetween = isChosen[after] === 1 && parent[leaf[after]] === parent[scope];
    if (!belongs(scope, before, isBetween)) continue;
    for (let block = from[scope]; block < after; block++) if (mayAdd(block)) isKept[block] = 1;
    end = after;
  }
  if (pageType !== 'forum') addCitations();
  addNext();
  addFacts();
  if (pageType !== 'forum') addValues();
  addTerms();
  for (const note of listNotes(tree, blocks, isKept))
    if (probabilities[note] >= LIKELY_NOTE && mayAdd(note)) isKept[note] = 1;
  if (pageType !== 'forum') addLabels();
  if (pageType === 'product')
    for (const fact of findProductFacts(tree, blocks, mayAdd))
      if (!fact.blocks.some((block) => isKept[block] === 1)) for (const block of fact.first) isKept[block] = 1;
  const kept: number[] = [];
  for (let block = 0; block < count; block++) if (isKept[block] === 1) kept.push(block);
  return kept;

  function belongs(scope: number, before: number, isBetween: boolean): boolean {
    const bits = tagBits[scope];
    if (isBetween && ((bits & FACTS) !== 0 || isHeading(scope))) return true;
    if ((bits & (QUOTED | LIST)) === 0) return false;
    const mean = meanOf(scope);
    if ((bits & QUOTED) !== 0) return isBetween && mean >= LIKELY_QUOTE;
    const isLinks = isLinked(scope);
    if (isAnnounced(before)) {
      const least = !isLinks ? LIKELY_ANNOUNCED : isOutward(scope) ? LIKELY_SOURCES : LIKELY_LINKS;
      return mean >= least;
    }
    return mean >= (isBetween ? LIKELY_LIST : LIKELY_LAST) && !isLinks;
  }

  /** Whether all links of a list lead to other sites. */
  function isOutward(scope: number): boolean {
    const stop = locateBlock(blocks, to[scope] - 1).end;
    let links = 0;
    for (let node = locateBlock(blocks, from[scope]).first - 1; node < stop; node++) {
      if (tree.tag[node] !== TAG.a) continue;
      const href = getAttribute(tree, node, 'href') ?? '';
      if (!OUTWARD.test(href) || host === '' || URL.parse(href)?.hostname === host) return false;
      links++;
    }
    return links > 0;
  }

  /** Adds the short last line of a kept quote: who said it. */
  function addCitations(): void {
    for (let scope = 1; scope < scopes.count; scope++) {
      const last = to[scope] - 1;
      if (isKept[last] === 1 || last === from[scope] || (tagBits[scope] & QUOTE) === 0) continue;
      if (words[last] === 0 || words[last] > MAX_CITATION || isKept.subarray(from[scope], last).includes(0)) continue;
      if (mayAdd(last)) isKept[last] = 1;
    }
  }

  /** Adds paragraphs that follow kept paragraphs: a stray end tag puts them into an element of their own. */
  function addNext(): void {
    for (let block = 1; block < count; block++) {
      if (isKept[block] === 1 || isKept[block - 1] === 0 || probabilities[block] < LIKELY_PROSE) continue;
      if (parent[leaf[block]] === parent[leaf[block - 1]]) continue;
      if (isProse(block) && isProse(block - 1) && probabilities[block - 1] > 0.9 && mayAdd(block)) isKept[block] = 1;
    }
  }

  function isProse(block: number): boolean {
    const row = block * STRIDE;
    return (
      rows[row + HOLDER] === TAG.p &&
      rows[row + WORDS] >= LEAST_PROSE &&
      rows[row + LINK_WORDS] === 0 &&
      rows[row + LAST] === ENDS_SENTENCE
    );
  }

  /** Adds the cells beside a kept one at the start of a row: "Weight" without "15 lbs" says nothing. */
  function addValues(): void {
    let row = -1;
    let isLabelKept = false;
    for (let block = 0; block < count; block++) {
      const own = findRow(block);
      if (own !== row) {
        row = own;
        isLabelKept = own >= 0 && isKept[block] === 1 && words[block] <= MAX_LABEL;
      } else if (isLabelKept && isKept[block] === 0 && probabilities[block] >= LIKELY_VALUE && mayAdd(block))
        isKept[block] = 1;
    }
  }

  /** The row of the table cell around a block, or -1. */
  function findRow(block: number): number {
    const holder = rows[block * STRIDE + HOLDER];
    if (holder !== TAG.td && holder !== TAG.th) return -1;
    let node = locateBlock(blocks, block).element;
    for (let step = 0; step < MAX_STEPS && node > 0; step++, node = tree.parent[node])
      if (tree.tag[node] === TAG.tr) return node;
    return -1;
  }

  /** Adds the facts in terms right above the text. */
  function addFacts(): void {
    const first = isKept.indexOf(1);
    for (let scope = 1; scope < scopes.count && from[scope] < first; scope++) {
      if (to[scope] !== first || (tagBits[scope] & TERMS) === 0) continue;
      if (meanOf(scope) < LIKELY_FACTS) return;
      for (let block = from[scope]; block < first; block++) if (mayAdd(block)) isKept[block] = 1;
      return;
    }
  }

  /** Adds short definitions of kept terms, and terms of kept definitions. */
  function addTerms(): void {
    for (let block = 1; block < count; block++) {
      const isPair = rows[(block - 1) * STRIDE + HOLDER] === TAG.dt && rows[block * STRIDE + HOLDER] === TAG.dd;
      if (!isPair || isKept[block] === isKept[block - 1]) continue;
      const other = isKept[block] === 1 ? block - 1 : block;
      const isShort = words[other] > 0 && words[other] <= MAX_DEFINITION;
      if (isShort && rows[other * STRIDE + LINK_WORDS] === 0 && mayAdd(other)) isKept[other] = 1;
    }
  }

  function isHeading(scope: number): boolean {
    const holder = rows[from[scope] * STRIDE + HOLDER];
    return to[scope] - from[scope] === 1 && (TAG_FLAGS[holder] & HEADING) !== 0 && holder !== TAG.h1;
  }

  function isAnnounced(before: number): boolean {
    const row = before * STRIDE;
    return rows[row + LAST] === COLON || (TAG_FLAGS[rows[row + HOLDER]] & HEADING) !== 0;
  }

  function meanOf(scope: number): number {
    let sum = 0;
    let all = 0;
    for (let block = from[scope]; block < to[scope]; block++) {
      sum += words[block] * probabilities[block];
      all += words[block];
    }
    return all === 0 ? 0 : sum / all;
  }

  function isLinked(scope: number): boolean {
    let linked = 0;
    let all = 0;
    for (let block = from[scope]; block < to[scope]; block++) {
      linked += rows[block * STRIDE + LINK_WORDS];
      all += rows[block * STRIDE + WORDS];
    }
    return linked * 2 > all;
  }

  /** Adds the first short block of a group whose other blocks are kept, beside other kept text. */
  function addLabels(): void {
    const keptWords = sumUp(count, (block) => (isKept[block] === 1 ? words[block] : 0));
    const allWords = sumUp(count, (block) => words[block]);
    let next = -1;
    for (let block = count - 1; block >= 0; block--) {
      if (isKept[block] === 1) next = block;
      else if (next >= 0 && probabilities[block] >= LIKELY_LABEL && words[block] <= MAX_LABEL && mayAdd(block)) {
        let group = leaf[block];
        let names = 0;
        let tags = TAG_BITS[rows[block * STRIDE + HOLDER]];
        for (let level = 0; level < MAX_LEVELS && group >= 0 && to[group] <= next; level++) {
          names |= nameBits[group];
          tags |= tagBits[group];
          group = parent[group];
        }
        if (group < 0) continue;
        tags |= tagBits[group] & LABELLED;
        if ((tags & LABELS) === 0 && (names & LABEL_NAMES) === 0) continue;
        if (to[group] <= next || from[group] !== block || keptWords[block] === 0) continue;
        const inGroup = keptWords[to[group]] - keptWords[block];
        const others = allWords[to[group]] - allWords[block] - words[block];
        if (inGroup >= MOST_OF_GROUP * others) isKept[block] = 1;
      }
    }
  }
}

function bitOf(family: string): number {
  return 1 << TAG_FAMILIES.indexOf(family);
}
