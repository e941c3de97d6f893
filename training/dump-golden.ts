/**
 * Writes the features of the golden pages with the shipped lexicon, for `golden.py`.
 *
 *   node training/dump-golden.ts OUT
 */
import { writeFileSync } from 'node:fs';
import { findBlocks } from '../packages/extract/src/content/blocks/blocks.ts';
import { BLOCK_FEATURES, listColumns } from '../packages/extract/src/content/features/block-features.ts';
import { viewPage } from '../packages/extract/src/content/features/page-view.ts';
import { buildScopes } from '../packages/extract/src/content/blocks/scopes.ts';
import { GOLDEN_PAGES } from '../packages/extract/src/content/model/golden-pages.test-helper.ts';
import { LEXICON, WORD_LEXICON } from '../packages/extract/src/content/model/shipped-model.ts';
import { parseTree } from '../packages/extract/src/tree/parse/parse-tree.ts';

const out = process.argv[2];
if (out === undefined) throw new Error('usage: node training/dump-golden.ts OUT');
const pages = GOLDEN_PAGES.map(({ url, html }) => {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const columns = listColumns(viewPage(tree, blocks, buildScopes(tree, blocks, LEXICON), url, WORD_LEXICON));
  return columns.map((column) => [...column]);
});
writeFileSync(`${out}/golden-features.json`, JSON.stringify({ names: BLOCK_FEATURES, pages }));
