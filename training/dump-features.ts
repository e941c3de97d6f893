/**
 * Writes the training input of all labelled pages, with the shipped implementation of the features.
 *
 *   node training/dump-features.ts DATA OUT             features, block texts and element names
 *   node training/dump-features.ts DATA OUT lexicons    only the lexicon columns, for OUT/lexicons.json
 *
 * OUT/meta.json names the pages and columns; OUT/features.bin has one float32 column per page and feature; OUT/pages.jsonl
 * the block texts, scopes and name tokens. OUT/lexicons.json is a list of lexicons and, for each variant, the index of each
 * page's lexicon; OUT/lexicon-columns.bin has their columns.
 */
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import {
  findBlocks,
  HASH,
  STRIDE,
  TOKENS,
  WORDS_KEPT,
  type Blocks,
} from '../packages/extract/src/content/blocks/blocks.ts';
import { readBlockText } from '../packages/extract/src/content/blocks/block-text.ts';
import { findPart, hasKind, isTelling } from '../packages/extract/src/content/blocks/copies.ts';
import { BLOCK_FEATURES, listColumns } from '../packages/extract/src/content/features/block-features.ts';
import { createColumns, createTaker } from '../packages/extract/src/content/features/columns.ts';
import { findGroups, findNearGroups } from '../packages/extract/src/content/features/group-features.ts';
import { fillLexiconFeatures, LEXICON_FEATURES } from '../packages/extract/src/content/features/lexicon-features.ts';
import { LIKELY_FEATURES } from '../packages/extract/src/content/features/likely-features.ts';
import { PAGE_FEATURES } from '../packages/extract/src/content/features/page-features.ts';
import { fillWordFeatures, WORD_FEATURES } from '../packages/extract/src/content/features/word-features.ts';
import { viewPage } from '../packages/extract/src/content/features/page-view.ts';
import {
  HEADING_PREFIX,
  LABEL_PREFIX,
  parseLexicon,
  type Lexicon,
} from '../packages/extract/src/content/words/lexicon.ts';
import { findLead, isLabelBlock } from '../packages/extract/src/content/blocks/section-words.ts';
import { buildScopes, type Scopes } from '../packages/extract/src/content/blocks/scopes.ts';
import { createJunkTest, isHiddenBlock } from '../packages/extract/src/content/junk-rules.ts';
import { findProductFacts } from '../packages/extract/src/content/product-facts.ts';
import {
  joinPair,
  NO_WORDS,
  START,
  unpackWords,
  type PackedWords,
} from '../packages/extract/src/content/blocks/word-lexicon.ts';
import { TYPE_MODELS } from '../packages/extract/src/content/model/shipped-model.ts';
import { hashClassPaths } from '../packages/extract/src/sites/class-paths.ts';
import { findTopicRows } from '../packages/extract/src/content/topics/find-topic-rows.ts';
import { parseTree } from '../packages/extract/src/tree/parse/parse-tree.ts';
import { showAll } from '../packages/extract/src/tree/hiding/find-hidden.ts';
import type { Tree } from '../packages/extract/src/tree/tree.ts';
import { listPages, readHtml, type LabelledPage } from './corpus.ts';

interface LexiconRun {
  lexicons: Record<string, number[]>[];
  /** Word lexicons, in the order of `lexicons`. */
  words: PackedWords[];
  /** For each variant: lexicon index by page, in the order of meta.json. */
  variants: number[][];
}

const [dataFolder, outFolder, mode] = process.argv.slice(2);
if (dataFolder === undefined || outFolder === undefined) {
  throw new Error('usage: node training/dump-features.ts DATA OUT [lexicons]');
}
if (mode === 'lexicons') await dumpLexiconColumns(dataFolder, outFolder);
else await dumpAll(dataFolder, outFolder);

async function dumpAll(data: string, out: string): Promise<void> {
  const features = createWriteStream(`${out}/features.bin`);
  const pages = createWriteStream(`${out}/pages.jsonl`);
  const counts: number[] = [];
  const sources = listPages(data);
  for (const source of sources) {
    const { tree, blocks } = readPage(source);
    const tokens: string[][] = [];
    const scopes = buildScopes(tree, blocks, parseLexicon(''), (scope, names) => {
      (tokens[scope] ??= []).push(...names);
    });
    addWordTokens(tree, blocks, scopes, tokens);
    const view = viewPage(tree, blocks, scopes, source.url, NO_WORDS);
    const columns = listColumns(view);
    counts.push(blocks.count);
    for (const column of columns) {
      features.write(Buffer.from(column.buffer.slice(column.byteOffset, column.byteOffset + column.byteLength)));
    }
    const shown = showAll(tree);
    const junk: Record<string, number[]> = {};
    for (const { type } of TYPE_MODELS) {
      const isJunk = createJunkTest(shown, blocks, scopes, type);
      junk[type] = Array.from({ length: blocks.count }, (_, b) => b).filter((b) => isJunk(b));
    }
    const junkOfProduct = new Set(junk['product']);
    const page = {
      key: source.key,
      texts: Array.from({ length: blocks.count }, (_, b) => readBlockText(tree, blocks, b)),
      wordTokens: Array.from({ length: blocks.count }, (_, b) => listWordTokens(blocks, b)),
      words: Array.from({ length: blocks.count }, (_, b) => view.words[b + 1]! - view.words[b]!),
      parent: [...scopes.parent.subarray(0, scopes.count)],
      from: [...scopes.from.subarray(0, scopes.count)],
      to: [...scopes.to.subarray(0, scopes.count)],
      leaf: [...scopes.leaf],
      tokens: Array.from({ length: scopes.count }, (_, s) => tokens[s] ?? []),
      path: [...view.paths.of],
      classPath: [...hashClassPaths(tree, blocks)],
      copy: Array.from({ length: blocks.count }, (_, b) =>
        isTelling(blocks, b) ? blocks.rows[b * STRIDE + HASH]! : null,
      ),
      hash: Array.from({ length: blocks.count }, (_, b) => blocks.rows[b * STRIDE + HASH]!),
      part: Array.from({ length: blocks.count }, (_, b) => findPart(tree, blocks, b)),
      kind: Array.from({ length: scopes.count }, (_, s) => (hasKind(tree, scopes, s) ? scopes.signature[s]! : null)),
      junk,
      hidden: Array.from({ length: blocks.count }, (_, b) => isHiddenBlock(tree, blocks, b)),
      topicRows: findTopicRowsByType(tree, blocks, source.url),
      facts: findProductFacts(tree, blocks, (b) => !isHiddenBlock(tree, blocks, b) && !junkOfProduct.has(b)).map(
        (fact) => [fact.blocks, fact.first],
      ),
    };
    if (!pages.write(`${JSON.stringify(page)}\n`)) await once(pages, 'drain');
  }
  features.end();
  pages.end();
  await Promise.all([once(features, 'finish'), once(pages, 'finish')]);
  const meta = {
    keys: sources.map((source) => source.key),
    counts,
    features: BLOCK_FEATURES,
    pageFeatures: PAGE_FEATURES,
    likelyFeatures: LIKELY_FEATURES,
    lexiconFeatures: [...LEXICON_FEATURES, ...WORD_FEATURES],
  };
  writeFileSync(`${out}/meta.json`, JSON.stringify(meta));
}

async function dumpLexiconColumns(data: string, out: string): Promise<void> {
  const run = JSON.parse(readFileSync(`${out}/lexicons.json`, 'utf8')) as LexiconRun;
  const lexicons = run.lexicons.map(toLexicon);
  const wordLexicons = run.words.map(unpackWords);
  const stream = createWriteStream(`${out}/lexicon-columns.bin`);
  for (const [p, source] of listPages(data).entries()) {
    const { tree, blocks } = readPage(source);
    for (const variant of run.variants) {
      const which = variant[p]!;
      const scopes = buildScopes(tree, blocks, lexicons[which]!);
      const view = viewPage(tree, blocks, scopes, source.url, wordLexicons[which]!);
      const near = findNearGroups(view, findGroups(view));
      const width = LEXICON_FEATURES.length + WORD_FEATURES.length;
      const columns = createColumns([...Array(width).keys()], width, blocks.count);
      const take = createTaker(columns);
      fillLexiconFeatures(view, near, take(LEXICON_FEATURES.length));
      fillWordFeatures(view, near, take(WORD_FEATURES.length));
      const { values } = columns;
      stream.write(Buffer.from(values.buffer, 0, width * blocks.count * values.BYTES_PER_ELEMENT));
    }
  }
  stream.end();
  await once(stream, 'finish');
}

/** Returns the parts of an index of topics by guessed page type. */
function findTopicRowsByType(tree: Tree, blocks: Blocks, url: string): Record<string, number[]> {
  const parts: Record<string, number[]> = {};
  for (const { type } of TYPE_MODELS) {
    const found = findTopicRows(tree, blocks, { url, pageType: type });
    if (found !== undefined) parts[type] = [...found];
  }
  return parts;
}

/** Returns the tokens that `weighWords` looks up for a block. */
function listWordTokens({ rows, firstWords }: Blocks, block: number): number[] {
  const words = [...firstWords.subarray(block * WORDS_KEPT, (block + 1) * WORDS_KEPT)];
  const shown = words.slice(0, rows[block * STRIDE + TOKENS]);
  return [
    joinPair(START, shown[0]!),
    ...shown.flatMap((word, k) => (k > 0 ? [word, joinPair(shown[k - 1]!, word)] : [word])),
  ];
}

function toLexicon(weights: Record<string, number[]>): Lexicon {
  const lines = Object.entries(weights).map(([token, values]) =>
    [token, ...values.map((value) => Math.round(value * 100))].join(' '),
  );
  return parseLexicon(lines.join('\n'));
}

/** Adds the words that `addWordWeights` weighs as tokens of their scopes. */
function addWordTokens(tree: Tree, blocks: Blocks, scopes: Scopes, tokens: string[][]): void {
  for (let scope = 0; scope < scopes.count; scope++) {
    const from = scopes.from[scope]!;
    const isLeaf = scopes.to[scope]! - from === 1 && scopes.leaf[from] === scope;
    const block = isLeaf ? (isLabelBlock(blocks, from) ? from : -1) : findLead(blocks, from, scopes.to[scope]!);
    if (block < 0) continue;
    const words =
      readBlockText(tree, blocks, block)
        .toLowerCase()
        .match(/[\p{L}\p{N}_]+/gu) ?? [];
    const prefix = isLeaf ? LABEL_PREFIX : HEADING_PREFIX;
    (tokens[scope] ??= []).push(...words.filter((word) => !/\d/.test(word)).map((word) => prefix + word));
  }
}

function readPage(source: LabelledPage): { tree: Tree; blocks: Blocks } {
  const tree = parseTree(readHtml(source));
  return { tree, blocks: findBlocks(tree) };
}
