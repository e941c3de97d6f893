import type { ContentBlock, ContentSelection, Favor, PageType } from '../extraction.ts';
import { calibrate } from '../model/calibrate.ts';
import { chooseBlocks, smooth } from '../model/decide.ts';
import { CONTENT_COLUMNS, CONTENT_FLOOR, CONTENT_MODEL, LEXICON, TYPE_MODELS } from '../model/shipped-model.ts';
import { evaluateTrees } from '../model/tree-model.ts';
import type { Tree } from '../tree/tree.ts';
import { dropCopies } from './copies.ts';
import { ELEMENT, END, findBlocks, FIRST, STRIDE, TOKENS, type Blocks } from './blocks.ts';
import { computeFeatures } from './features/block-features.ts';
import { createJunkTest, isHiddenBlock } from './junk-rules.ts';
import { viewPage } from './features/page-view.ts';
import { buildScopes } from './scopes.ts';
import { findWordlessContent } from './wordless-runs.ts';

/** Rules are not asked about blocks that have no chance anyway. */
const LEAST_LIKELY = 0.05;

/** How many times as much recall counts as precision where the blocks are chosen. */
const BETAS: Readonly<Record<Favor, number>> = { precision: 0.5, balanced: 1, recall: 2 };

export interface PageContent extends ContentSelection {
  pageType: PageType;
  /** Runs without a word (closing brackets, a cell's `✓`) that belong to the blocks, in document order. */
  wordless: ContentBlock[];
}

/**
 * Finds the main content of a page, tells its type and how good the selection is expected to be.
 *
 * @param url address of the page, '' when it is not known
 * @param favor whether to keep fewer blocks of middling probability, or more
 */
export function selectContent(tree: Tree, url: string, favor: Favor = 'balanced'): PageContent {
  const blocks = findBlocks(tree);
  if (blocks.count === 0) return { blocks: [], confidence: 0, pageType: 'article', wordless: [] };
  const scopes = buildScopes(tree, blocks, LEXICON);
  const view = viewPage(tree, blocks, scopes, url);
  const { values, page } = computeFeatures(view, CONTENT_COLUMNS);
  const raw = evaluateTrees(CONTENT_MODEL, values, blocks.count).map(sigmoid);
  const isJunk = createJunkTest(tree, blocks, scopes);
  for (let b = 0; b < blocks.count; b++) {
    if (raw[b]! > LEAST_LIKELY && isJunk(b)) raw[b] = 0;
  }
  dropCopies(tree, blocks, scopes, raw, LEAST_LIKELY);
  // Hidden blocks say nothing of the shown ones beside them, and are not content because those are.
  const words = Float64Array.from(raw, (_, b) =>
    isHiddenBlock(tree, blocks, b) ? 0 : blocks.rows[b * STRIDE + TOKENS]!,
  );
  const probabilities = smooth(raw, view.paths.of, words).map((p, b) => (words[b] === 0 ? 0 : p));
  const { kept, expected, best } = chooseBlocks(probabilities, words, BETAS[favor]);
  const content = best < CONTENT_FLOOR ? [] : kept;
  return {
    blocks: content.map((block) => locate(blocks, block)),
    confidence: calibrate(expected),
    pageType: tellType(page),
    wordless: findWordlessContent(tree, blocks, content),
  };
}

function locate({ rows }: Blocks, block: number): ContentBlock {
  const row = block * STRIDE;
  return { first: rows[row + FIRST]!, end: rows[row + END]!, element: rows[row + ELEMENT]! };
}

/** The type whose model gives the page's features the most. */
function tellType(page: Float32Array): PageType {
  const scores = TYPE_MODELS.map(({ model }) => evaluateTrees(model, page, 1)[0]!);
  return TYPE_MODELS[scores.indexOf(Math.max(...scores))]!.type;
}

function sigmoid(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
