import type { ContentBlock, ContentSelection, Favor, PageType } from '../types/extraction.ts';
import { chooseBlocks, smooth, type SectionShare } from './model/decide.ts';
import {
  CONFIDENCE_CURVE,
  CONFIDENCE_FACTORS,
  CONTENT_COLUMNS,
  CONTENT_FLOOR,
  CONTENT_MODEL,
  LEXICON,
  TYPE_MODELS,
  WORD_LEXICON,
} from './model/shipped-model.ts';
import { evaluateRow, evaluateTrees, toOrderKeys } from './model/tree-model.ts';
import type { Tree } from '../tree/tree.ts';
import { completeContent } from './complete-content.ts';
import { dropCopies } from './blocks/copies.ts';
import { findBlocks, locateBlock, STRIDE, TOKENS, type Blocks } from './blocks/blocks.ts';
import { computeFeatures, planColumns } from './features/block-features.ts';
import { TAG_FAMILIES } from './words/tag-families.ts';
import { createJunkTest, isHiddenBlock } from './junk-rules.ts';
import { describeLikely, LIKELY_FEATURES } from './features/likely-features.ts';
import { viewPage } from './features/page-view.ts';
import { buildScopes, markBelow } from './blocks/scopes.ts';
import { leaveOutSurroundings } from './surroundings.ts';
import { readStatedType } from './stated-type.ts';
import { findSymbolRuns } from './symbol-runs.ts';
import { keepTopicRows } from './topics/keep-topic-rows.ts';

/** Rules are not applied to blocks below this probability. */
const LEAST_LIKELY = 0.05;

const PRECISION_BETA = 0.6;
const RECALL_BETA = 1.7;
const PRECISION_SHARE = 0.8;
/**
 * Beta by page type. Wrong text follows an article in one piece; rows of a listing are all right or all wrong; other products
 * surround a product.
 */
const TYPE_BETAS: Readonly<Partial<Record<PageType, number>>> = { article: 0.75, listing: 1.5, product: 0.7 };

/** Types whose blocks are mostly right or wrong together with their section, see `smooth`. */
const SECTIONS: Readonly<Partial<Record<PageType, SectionShare>>> = {
  product: { share: 0.4, levels: 1 },
  collection: { share: 0.3, levels: 2 },
  service: { share: 0.3, levels: 2 },
};
const NO_SECTION: SectionShare = { share: 0, levels: 0 };

/** Factor on the odds of an article: one that is taken for another type loses more, such as its date and author. */
const ARTICLE_FACTOR = 1.6;

/** Small pages look like services; with this share of their words in the likely content, they are cut like articles. */
const PLAIN_SHARE = 0.7;
const LIKELY_SHARE = LIKELY_FEATURES.indexOf('likely.share');

/** Factor on the odds of blocks in an element for navigation: the trees do not rule out a menu of a hundred short links. */
const NAVIGATION_FACTOR = 0.14;

const CONTENT_PLAN = planColumns(CONTENT_COLUMNS);

export interface PageContent extends ContentSelection {
  pageType: PageType;
  symbolRuns: ContentBlock[];
  /** Whether the page lists topics or boards of a forum. */
  isTopicIndex: boolean;
}

/** What the model says about a page alone. */
export interface JudgedPage {
  readonly tree: Tree;
  readonly blocks: Blocks;
  /** By block, before its neighbours change them; 0 for junk, copies and hidden text. */
  readonly probabilities: Float32Array;
  /** Words by block; a block without words is neither chosen nor counted. */
  readonly words: Float64Array;
  /** Indices of the chosen blocks. */
  readonly kept: readonly number[];
}

/**
 * Returns other probabilities for the blocks, which decide in place of the page's own; undefined: no others. May also set
 * words of blocks to 0.
 */
export type SecondOpinion = (page: JudgedPage) => Float32Array | undefined;

/**
 * Finds the main content of a page, its type and its expected quality.
 *
 * @param url address of the page, or ''
 * @param favor whether to keep fewer or more blocks of middling probability
 * @param askSecond changes which blocks are chosen, not their expected quality
 */
export function selectContent(
  tree: Tree,
  url: string,
  favor: Favor = 'balanced',
  askSecond?: SecondOpinion,
): PageContent {
  const blocks = findBlocks(tree);
  const stated = readStatedType(tree);
  if (blocks.count === 0)
    return { blocks: [], confidence: 0, pageType: stated ?? 'article', symbolRuns: [], isTopicIndex: false };
  const scopes = buildScopes(tree, blocks, LEXICON);
  const view = viewPage(tree, blocks, scopes, url, WORD_LEXICON);
  const { values, constants, page } = computeFeatures(view, CONTENT_PLAN);
  const raw = evaluateTrees(CONTENT_MODEL, values, blocks.count, constants);
  for (let b = 0; b < blocks.count; b++) raw[b] = sigmoid(raw[b]);
  const likely = describeLikely(view, raw);
  const guess = stated === undefined ? predictType(page, likely) : { pageType: stated, sureness: 1 };
  const { pageType } = guess;
  const cut = chooseCut(guess, likely[LIKELY_SHARE]);
  const isNavigation = markBelow(scopes, scopes.tagBits, TAG_FAMILIES.indexOf('nav'));
  for (let b = 0; b < blocks.count; b++)
    if (isNavigation(b)) raw[b] = (NAVIGATION_FACTOR * raw[b]) / (1 - raw[b] + NAVIGATION_FACTOR * raw[b]);
  const isJunk = createJunkTest(tree, blocks, scopes, cut.pageType);
  const junk = new Uint8Array(blocks.count);
  for (let b = 0; b < blocks.count; b++) {
    if (raw[b] <= LEAST_LIKELY || !isJunk(b)) continue;
    junk[b] = 1;
    raw[b] = 0;
  }
  dropCopies(tree, blocks, scopes, raw, LEAST_LIKELY);
  // Hidden blocks must not influence visible neighbours.
  const words = new Float64Array(blocks.count);
  for (let b = 0; b < blocks.count; b++) {
    if (!isHiddenBlock(tree, blocks, b)) words[b] = blocks.rows[b * STRIDE + TOKENS];
  }
  // What a rule excludes says nothing about its neighbours.
  const counted = words.map((count, b) => (junk[b] === 1 ? 0 : count));
  let isTopicIndex = false;
  const alone = decide(raw.slice());
  const second = askSecond?.({ tree, blocks, probabilities: raw, words, kept: alone.content });
  const { content } = second === undefined ? alone : decide(second);
  return {
    blocks: content.map((block) => locateBlock(blocks, block)),
    confidence: calibrate(alone.expected, pageType),
    pageType,
    symbolRuns: findSymbolRuns(tree, blocks, content),
    isTopicIndex,
  };

  function decide(own: Float32Array): { content: readonly number[]; expected: number } {
    const wordsInside = leaveOutSurroundings(blocks, scopes, cut, own, counted);
    const section = { scopes, words: wordsInside, ...(SECTIONS[cut.pageType] ?? NO_SECTION) };
    const probabilities = smooth(own, view.paths.of, counted, section);
    // The text around must not make it likely again.
    for (let b = 0; b < blocks.count; b++) if (words[b] === 0 || junk[b] === 1) probabilities[b] = 0;
    isTopicIndex = keepTopicRows(tree, blocks, { url, pageType }, probabilities, words, isJunk);
    const beta = chooseBeta(favor, TYPE_BETAS[cut.pageType] ?? 1);
    const { kept, expected, best } = chooseBlocks(probabilities, words, beta);
    const choice = { chosen: best < CONTENT_FLOOR ? [] : kept, probabilities: own, words, pageType, url };
    const mayAdd = (block: number): boolean => !isHiddenBlock(tree, blocks, block) && !isJunk(block);
    return { content: completeContent(tree, blocks, scopes, choice, mayAdd), expected };
  }
}

function chooseBeta(favor: Favor, balanced: number): number {
  if (favor === 'balanced') return balanced;
  return favor === 'precision' ? Math.min(PRECISION_BETA, PRECISION_SHARE * balanced) : Math.max(RECALL_BETA, balanced);
}

interface Guess {
  readonly pageType: PageType;
  readonly sureness: number;
}

/** The type by which blocks are chosen. */
function chooseCut(guess: Guess, likelyShare: number): Guess {
  if (guess.pageType !== 'service' || likelyShare < PLAIN_SHARE) return guess;
  return { pageType: 'article', sureness: 1 - guess.sureness };
}

function predictType(page: Float32Array, likely: Float32Array): Guess {
  const keys = toOrderKeys(Float32Array.from([...page, ...likely]));
  const scores = TYPE_MODELS.map(
    ({ type, model }) => evaluateRow(model, keys) + (type === 'article' ? Math.log(ARTICLE_FACTOR) : 0),
  );
  const highest = Math.max(...scores);
  const sum = scores.reduce((total, score) => total + Math.exp(score - highest), 0);
  return { pageType: TYPE_MODELS[scores.indexOf(highest)].type, sureness: 1 / sum };
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/**
 * Maps the expected F1 of the block probabilities to the F1 observed out of fold, by linear interpolation and a factor by
 * page type; see `training/report.md`.
 */
function calibrate(expected: number, pageType: PageType): number {
  const curve = CONFIDENCE_CURVE;
  let at = 1;
  while (at < curve.length - 1 && curve[at][0] < expected) at++;
  const [fromX, fromY] = curve[at - 1];
  const [toX, toY] = curve[at];
  const share = Math.min(1, Math.max(0, (expected - fromX) / (toX - fromX)));
  return Math.min(1, (fromY + share * (toY - fromY)) * CONFIDENCE_FACTORS[pageType]);
}
