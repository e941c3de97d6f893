/**
 * Writes what training needs of a folder of labelled pages (WCXB layout), so that features have one
 * implementation, the one that ships.
 *
 *   node training/dump-features.ts DATA OUT             features, block texts and element names
 *   node training/dump-features.ts DATA OUT lexicons    only the lexicon columns, for OUT/lexicons.json
 *
 * OUT/meta.json names the pages and columns; OUT/features.bin holds, page by page, one float32 column a
 * feature; OUT/pages.jsonl the block texts, scopes and name tokens. OUT/lexicons.json is a list of lexicons
 * and, for each variant, the index of the lexicon that each page gets; OUT/lexicon-columns.bin answers it.
 */
import { createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { findBlocks, HASH, STRIDE, type Blocks } from '../packages/extract/src/content/blocks.ts';
import { readBlockText } from '../packages/extract/src/content/block-text.ts';
import { findPart, hasKind, isTelling } from '../packages/extract/src/content/copies.ts';
import { BLOCK_FEATURES, computeFeatures } from '../packages/extract/src/content/features/block-features.ts';
import { LEXICON_FEATURES } from '../packages/extract/src/content/features/lexicon-features.ts';
import { PAGE_FEATURES } from '../packages/extract/src/content/features/page-features.ts';
import { viewPage } from '../packages/extract/src/content/features/page-view.ts';
import { HEADING_PREFIX, LABEL_PREFIX, parseLexicon, type Lexicon } from '../packages/extract/src/content/lexicon.ts';
import { findLead, isLabel } from '../packages/extract/src/content/section-words.ts';
import { buildScopes, type Scopes } from '../packages/extract/src/content/scopes.ts';
import { createJunkTest } from '../packages/extract/src/content/junk-rules.ts';
import { parseTree } from '../packages/extract/src/tree/parse-tree.ts';
import type { Tree } from '../packages/extract/src/tree/tree.ts';

interface LexiconRun {
  lexicons: Record<string, number[]>[];
  /** One entry a variant: lexicon index by page, in the order of meta.json. */
  variants: number[][];
}

const [dataFolder, outFolder, mode] = process.argv.slice(2);
if (dataFolder === undefined || outFolder === undefined) {
  throw new Error('usage: node training/dump-features.ts DATA OUT [lexicons]');
}
if (mode === 'lexicons') await dumpLexiconColumns(dataFolder, outFolder);
else await dumpAll(dataFolder, outFolder);

function listIds(data: string): string[] {
  return readdirSync(`${data}/ground-truth`)
    .map((name) => name.replace('.json', ''))
    .toSorted();
}

async function dumpAll(data: string, out: string): Promise<void> {
  const features = createWriteStream(`${out}/features.bin`);
  const pages = createWriteStream(`${out}/pages.jsonl`);
  const counts: number[] = [];
  const ids = listIds(data);
  for (const id of ids) {
    const { tree, blocks, url } = readPage(data, id);
    const tokens: string[][] = [];
    const scopes = buildScopes(tree, blocks, parseLexicon(''), (scope, names) => {
      (tokens[scope] ??= []).push(...names);
    });
    addWordTokens(tree, blocks, scopes, tokens);
    const view = viewPage(tree, blocks, scopes, url);
    const { columns } = computeFeatures(view);
    counts.push(blocks.count);
    for (const column of columns) {
      features.write(Buffer.from(column.buffer.slice(column.byteOffset, column.byteOffset + column.byteLength)));
    }
    const isJunk = createJunkTest(tree, blocks, scopes);
    const page = {
      id,
      texts: Array.from({ length: blocks.count }, (_, b) => readBlockText(tree, blocks, b)),
      words: Array.from({ length: blocks.count }, (_, b) => view.words[b + 1]! - view.words[b]!),
      parent: [...scopes.parent.subarray(0, scopes.count)],
      from: [...scopes.from.subarray(0, scopes.count)],
      to: [...scopes.to.subarray(0, scopes.count)],
      leaf: [...scopes.leaf],
      tokens: Array.from({ length: scopes.count }, (_, s) => tokens[s] ?? []),
      path: [...view.paths.of],
      copy: Array.from({ length: blocks.count }, (_, b) =>
        isTelling(blocks, b) ? blocks.rows[b * STRIDE + HASH]! : null,
      ),
      hash: Array.from({ length: blocks.count }, (_, b) => blocks.rows[b * STRIDE + HASH]!),
      part: Array.from({ length: blocks.count }, (_, b) => findPart(tree, blocks, b)),
      kind: Array.from({ length: scopes.count }, (_, s) => (hasKind(tree, scopes, s) ? scopes.signature[s]! : null)),
      junk: Array.from({ length: blocks.count }, (_, b) => isJunk(b)),
    };
    if (!pages.write(`${JSON.stringify(page)}\n`)) await once(pages, 'drain');
  }
  features.end();
  pages.end();
  await Promise.all([once(features, 'finish'), once(pages, 'finish')]);
  const meta = {
    ids,
    counts,
    features: BLOCK_FEATURES,
    pageFeatures: PAGE_FEATURES,
    lexiconFeatures: LEXICON_FEATURES,
  };
  writeFileSync(`${out}/meta.json`, JSON.stringify(meta));
}

async function dumpLexiconColumns(data: string, out: string): Promise<void> {
  const run = JSON.parse(readFileSync(`${out}/lexicons.json`, 'utf8')) as LexiconRun;
  const lexicons = run.lexicons.map(toLexicon);
  const stream = createWriteStream(`${out}/lexicon-columns.bin`);
  const start = BLOCK_FEATURES.indexOf(LEXICON_FEATURES[0]!);
  for (const [p, id] of listIds(data).entries()) {
    const { tree, blocks, url } = readPage(data, id);
    for (const variant of run.variants) {
      const scopes = buildScopes(tree, blocks, lexicons[variant[p]!]!);
      const { columns } = computeFeatures(viewPage(tree, blocks, scopes, url));
      for (const column of columns.slice(start, start + LEXICON_FEATURES.length)) {
        stream.write(Buffer.from(column.buffer.slice(column.byteOffset, column.byteOffset + column.byteLength)));
      }
    }
  }
  stream.end();
  await once(stream, 'finish');
}

function toLexicon(weights: Record<string, number[]>): Lexicon {
  const lines = Object.entries(weights).map(([token, values]) =>
    [token, ...values.map((value) => Math.round(value * 100))].join(' '),
  );
  return parseLexicon(lines.join('\n'));
}

/** The words that `addWordWeights` weighs, as tokens of their scopes. */
function addWordTokens(tree: Tree, blocks: Blocks, scopes: Scopes, tokens: string[][]): void {
  for (let scope = 0; scope < scopes.count; scope++) {
    const from = scopes.from[scope]!;
    const isLeaf = scopes.to[scope]! - from === 1 && scopes.leaf[from] === scope;
    const block = isLeaf ? (isLabel(blocks, from) ? from : -1) : findLead(blocks, from, scopes.to[scope]!);
    if (block < 0) continue;
    const words =
      readBlockText(tree, blocks, block)
        .toLowerCase()
        .match(/[\p{L}\p{N}_]+/gu) ?? [];
    const prefix = isLeaf ? LABEL_PREFIX : HEADING_PREFIX;
    (tokens[scope] ??= []).push(...words.filter((word) => !/\d/.test(word)).map((word) => prefix + word));
  }
}

function readPage(data: string, id: string): { tree: Tree; blocks: Blocks; url: string } {
  const html = gunzipSync(readFileSync(`${data}/html/${id}.html.gz`)).toString();
  const truth = JSON.parse(readFileSync(`${data}/ground-truth/${id}.json`, 'utf8')) as {
    url: string | null;
  };
  const tree = parseTree(html);
  return { tree, blocks: findBlocks(tree), url: truth.url ?? '' };
}
