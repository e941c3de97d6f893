import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderText } from '../render/text/render-text.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { TEXT } from '../tree/tags.ts';
import { ELEMENT, END, findBlocks, FIRST, STRIDE } from './blocks/blocks.ts';
import { findSymbolRuns, insertRuns } from './symbol-runs.ts';

/** Text of a page with all blocks selected except those with the text "no". */
function keep(html: string): string {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const kept: number[] = [];
  for (let b = 0; b < blocks.count; b++) if (!says('no', b)) kept.push(b);
  const selected = kept.map((b) => ({ first: at(b, FIRST), end: at(b, END), element: at(b, ELEMENT) }));
  return renderText(tree, insertRuns(selected, findSymbolRuns(tree, blocks, kept)));

  function at(b: number, field: number): number {
    return blocks.rows[b * STRIDE + field];
  }
  function says(word: string, b: number): boolean {
    for (let node = at(b, FIRST); node < at(b, END); node++)
      if (tree.tag[node] === TEXT && tree.value[node] === word) return true;
    return false;
  }
}

/** Case, page, expected text. */
const CASES: readonly (readonly [string, string, string])[] = [
  ['cells', '<table><tr><td>Exports</td><td>✗</td><td>✓</td></tr></table>', 'Exports\t✗\t✓'],
  ['operators', '<table><tr><th>Or</th><td><code>||</code></td></tr><tr><th>Bar</th><td>|</td></tr></table>', 'Or\t||\nBar\t|'],
  ['terms', '<dl><dt>+</dt><dd>adds</dd><dt>−</dt><dd>–</dd><dt>none</dt></dl>', '+\nadds\n−\n–\nnone'],
  ['lines of code', '<pre><code><div>a = [</div><div>  1,</div><div>  ],</div><div>}</div></code></pre><p>no</p>', 'a = [\n  1,\n  ],\n}'],
  ['lines of code in paragraphs', '<p><code>if (a) {</code></p><p><code>}</code></p><p>end</p>', 'if (a) {\n\n}\n\nend'],
  ['code separated by line breaks', '<pre>f() {<br>  x<br><br>}<br><br>f();</pre>', 'f() {\n  x\n\n}\n\nf();'],
  ['rows of code', '<table><tr><td>f() {</td></tr><tr><td>}</td></tr></table><p>no</p>', 'f() {\n\n}'],
  ['list items', '<ul><li>fine</li><li>👍</li><li>|</li></ul><p>no</p>', 'fine\n👍'],
  ['between paragraphs', '<p>one</p><p>* * *</p><p>two</p><div>|</div><p>three</p>', 'one\n\n* * *\n\ntwo\n\nthree'],
  ['letters with two code units', '<p>one</p><p>𐌰𐌱</p><p>two</p>', 'one\n\n𐌰𐌱\n\ntwo'],
  ['at the edge of the page', '<p>★★★</p><p>one</p><p>* * *</p><p>no</p>', 'one'],
  ['between unselected blocks', '<p>one</p><nav><p>no</p><p>!!!</p><p>no</p></nav><p>two</p>', 'one\n\ntwo'],
  ['beside an unselected cell', '<table><tr><td>no</td><td>✓</td><td>one</td></tr></table>', 'one'],
  ['links and buttons', '<p>one</p><p><a href=x>!!!</a></p><button>$</button><p>two</p>', 'one\n\ntwo'],
  ['a list item that is a link', '<ul><li>one</li><li><a href=x>$</a></li><li>two</li></ul>', 'one\ntwo'],
  ['icon fonts', '<p>one</p><p>\ue900</p><p>two</p><table><tr><td>\ue900</td><td>three</td></tr></table>', 'one\n\ntwo\n\nthree'],
  ['hidden text', '<p>one</p><p hidden>$$</p><p>two</p>', 'one\n\ntwo'],
  ['in selected hidden text', '<div hidden><pre><div>f() {</div><div>}</div></pre></div>', 'f() {\n}'],
]; // prettier-ignore

for (const [name, html, expected] of CASES) {
  test(`symbol runs: ${name}`, () => assert.equal(keep(html), expected));
}

test('a symbol run inside a block is not returned a second time', () => {
  const whole = { first: 2, end: 9, element: 1 };
  assert.deepEqual(insertRuns([whole], [{ first: 2, end: 3, element: 2 }, { first: 9, end: 10, element: 1 }]), [
    whole,
    { first: 9, end: 10, element: 1 },
  ]); // prettier-ignore
});
