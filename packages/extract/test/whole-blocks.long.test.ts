/** On real pages: whatever other pages of a site say, or a person marks, the main text consists of whole blocks. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { readBlockText } from '../src/content/blocks/block-text.ts';
import { findBlocks, listBlocks } from '../src/content/blocks/blocks.ts';
import { renderText } from '../src/render/text/render-text.ts';
import { extractTree } from '../src/sites/extract-on-site.ts';
import type { SiteEvidence } from '../src/sites/site-evidence.ts';
import type { TaughtSite } from '../src/sites/taught-site.ts';
import { parseTree } from '../src/tree/parse/parse-tree.ts';
import { skipHiddenStart } from '../src/tree/text/is-unseen.ts';
import type { Tree } from '../src/tree/tree.ts';

const DATA = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));
const WORD = /[\p{L}\p{N}_]+/gu;

/** A page may say anything of its class paths: half of them are content, by their hash. */
function decide(path: number): number {
  return (Math.imul(path, 2654435761) >>> 0) % 2;
}

function readWords(text: string): string[] {
  return text.match(WORD) ?? [];
}

type Pieces = ReadonlyMap<string, readonly (readonly string[])[]>;

/** Words of the blocks, also as they are rendered without their hidden start, by their first word. */
function indexPieces(tree: Tree): Pieces {
  const blocks = findBlocks(tree);
  const pieces = new Set<string>();
  for (const [index, block] of listBlocks(blocks).entries()) {
    const first = skipHiddenStart(tree, block.element, block.first);
    const texts = [block, { ...block, first }].map((part) => (first < block.end ? renderText(tree, [part]) : ''));
    for (const text of [readBlockText(tree, blocks, index), ...texts]) pieces.add(readWords(text).join(' '));
  }
  return Map.groupBy(
    Array.from(pieces, (piece) => piece.split(' ')),
    ([first = '']) => first,
  );
}

/** Returns the words that follow the longest start of a text that is made of whole pieces. */
function findCut(text: string, pieces: Pieces): string {
  const words = readWords(text);
  const reached = new Set([0]);
  for (let at = 0; at < words.length; at++) {
    if (!reached.has(at)) continue;
    for (const piece of pieces.get(words[at] ?? '') ?? [])
      if (piece.every((word, index) => words[at + index] === word)) reached.add(at + piece.length);
  }
  return reached.has(words.length)
    ? ''
    : words
        .slice(Math.max(...reached))
        .join(' ')
        .slice(0, 200);
}

const skip = existsSync(DATA) ? false : `there are no labelled pages in ${DATA}`;

test('evidence and marks remove and add only whole blocks of real pages', { skip }, (context) => {
  let pages = 0;
  let changed = 0;
  for (const set of readdirSync(DATA)) {
    const folder = `${DATA}${set}/html`;
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      if (!name.endsWith('.html.gz')) continue;
      const tree = parseTree(gunzipSync(readFileSync(`${folder}/${name}`)).toString());
      const { notes, ...alone } = extractTree(tree, { takeNotes: true });
      if (notes === undefined) continue;
      pages++;
      const paths = notes.paths.map(([path]) => path);
      const siteEvidence: SiteEvidence = {
        version: 1,
        pages: 4,
        texts: notes.texts.filter((text) => text % 5 === 0).map((text) => [text, 4]),
        paths: paths.map((path) => [path, decide(path)]),
      };
      const taught: TaughtSite = { paths: paths.map((path) => [path, decide(path + 1), 3]) };
      const pieces = indexPieces(tree);
      for (const known of [{ siteEvidence }, { taught }, { siteEvidence, taught }]) {
        const { mainText } = extractTree(tree, known);
        if (mainText !== alone.mainText) changed++;
        assert.equal(findCut(mainText, pieces), '', `${set}/${name}`);
      }
    }
  }
  context.diagnostic(`${pages} pages, ${changed} answers that differ from the page alone`);
  assert.ok(changed > pages);
});
