import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBlocks, listBlocks } from '../content/blocks/blocks.ts';
import { renderText } from '../render/text/render-text.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { cutSignatures } from './cut-signatures.ts';

const LINE = '_________________';

function cut(html: string): string {
  const tree = parseTree(html);
  return renderText(tree, cutSignatures(tree, listBlocks(findBlocks(tree))));
}

test('signatures below a line of underscores are left out, in the block of the post or in their own', () => {
  assert.equal(
    cut(`<td>Two coats.<span><br>${LINE}<br>Never trust<br><br>a new rope.</span></td><p>One.</p>`),
    'Two coats.\n\nOne.',
  );
  assert.equal(cut(`<p>Two coats.</p><div>${LINE}<br>Never trust a new rope.</div><p>One.</p>`), 'Two coats.\n\nOne.');
});

test('chapters between such lines are kept', () => {
  const chapters = `<div>First coat.<br>${LINE}<br>Second coat.<br>${LINE}<br>${'Third coat. '.repeat(40)}</div>`;
  assert.match(cut(chapters), /First coat[^]*Second coat[^]*Third coat/);
  assert.match(cut('<p>A ___ between words</p>'), /between words/);
});
