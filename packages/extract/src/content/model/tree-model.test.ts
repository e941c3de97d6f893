import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findBlocks } from '../blocks/blocks.ts';
import { computeFeatures, planColumns } from '../features/block-features.ts';
import { viewPage } from '../features/page-view.ts';
import { buildScopes } from '../blocks/scopes.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { GOLDEN_PAGES } from './golden-pages.test-helper.ts';
import { CONTENT_COLUMNS, CONTENT_MODEL, LEXICON, WORD_LEXICON } from './shipped-model.ts';
import { evaluateRow, evaluateTrees, toOrderKeys } from './tree-model.ts';

const golden = JSON.parse(readFileSync(new URL('golden.json', import.meta.url), 'utf8')) as number[][];

test('the shipped trees give the same scores as the trained model', () => {
  assert.equal(golden.length, GOLDEN_PAGES.length);
  GOLDEN_PAGES.forEach(({ url, html }, page) => {
    const tree = parseTree(html);
    const blocks = findBlocks(tree);
    const view = viewPage(tree, blocks, buildScopes(tree, blocks, LEXICON), url, WORD_LEXICON);
    const { values, constants } = computeFeatures(view, planColumns(CONTENT_COLUMNS));
    const logOdds = evaluateTrees(CONTENT_MODEL, values, blocks.count, constants);
    assert.equal(logOdds.length, golden[page].length);
    logOdds.forEach((value, block) => {
      const probability = 1 / (1 + Math.exp(-value));
      const expected = golden[page][block];
      assert.ok(Math.abs(probability - expected) < 2e-6, `page ${page} block ${block}: ${probability}, ${expected}`);
    });
  });
});

test('trees send values below a cut to the left, others to the right', () => {
  const model = {
    depth: 2,
    trees: 1,
    features: Uint16Array.of(0, 1, 1),
    cuts: toOrderKeys(Float32Array.of(0, 10, 20)),
    leaves: Float32Array.of(1, 2, 3, 4),
    probe: { trees: 1, floor: 0 },
  };
  const values = Float32Array.of(-1, -1, 0, 1, 9, 10, 19, 20);
  const keys = toOrderKeys(values);
  assert.deepEqual([...evaluateTrees(model, values, 4)], [1, 2, 3, 4]);
  const alone = [0, 1, 2, 3].map((row) => evaluateRow(model, Int32Array.of(keys[row], keys[row + 4])));
  assert.deepEqual(alone, [1, 2, 3, 4]);
});

test('columns with one value in all rows come after the others', () => {
  const model = {
    depth: 2,
    trees: 1,
    features: Uint16Array.of(0, 1, 1),
    cuts: toOrderKeys(Float32Array.of(0, 10, 20)),
    leaves: Float32Array.of(1, 2, 3, 4),
    probe: { trees: 1, floor: 0 },
  };
  // Below and above the number of rows that are evaluated one by one.
  for (const rows of [2, 10]) {
    const values = Float32Array.from({ length: rows }, (_, row) => (row % 2) - 0.5);
    const sums = evaluateTrees(model, values, rows, Float32Array.of(15));
    assert.deepEqual(
      [...sums],
      Array.from(sums, (_, row) => (row % 2 === 0 ? 2 : 3)),
    );
  }
});

test('rows below the floor after the first trees skip the other trees', () => {
  const model = {
    depth: 1,
    trees: 2,
    features: Uint16Array.of(0, 1),
    cuts: toOrderKeys(Float32Array.of(0, 10)),
    leaves: Float32Array.of(-5, 1, 10, 20),
    probe: { trees: 1, floor: -3 },
  };
  // More rows than one chunk; every second one is dropped after the first trees.
  const rows = 1001;
  const values = Float32Array.from({ length: 2 * rows }, (_, k) => (k < rows ? (k % 2) - 0.5 : k % 3 === 0 ? 5 : 15));
  const expected = Array.from({ length: rows }, (_, row) => {
    if (row % 2 === 0) return -5;
    return 1 + ((rows + row) % 3 === 0 ? 10 : 20);
  });
  assert.deepEqual([...evaluateTrees(model, values, rows)], expected);
});

test('order keys sort like their numbers', () => {
  const values = Float32Array.of(-1e30, -99, -1, -1e-6, 0, 1e-6, 0.5, 1, 1.5, 500, 1e30);
  const keys = toOrderKeys(values);
  assert.deepEqual(
    [...keys],
    [...keys].toSorted((a, b) => a - b),
  );
  assert.equal(new Set(keys).size, values.length);
  assert.deepEqual([...toOrderKeys(Float32Array.of(-0))], [0]);
});
