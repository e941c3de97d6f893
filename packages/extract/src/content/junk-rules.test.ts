import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { findBlocks } from './blocks/blocks.ts';
import { createJunkTest } from './junk-rules.ts';
import { parseLexicon } from './words/lexicon.ts';
import { buildScopes } from './blocks/scopes.ts';

function isPageJunk(html: string): boolean {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  assert.equal(blocks.count, 1, html);
  return createJunkTest(tree, blocks, buildScopes(tree, blocks, parseLexicon('')))(0);
}

const JUNK = [
  '<dialog><p>Choose your country</p></dialog>',
  '<div role="dialog" aria-hidden="true"><p>We value your privacy</p></div>',
  '<div hidden><section role="alertdialog">Sign up now</section></div>',
  '<p>3f2504e0-4f89-11d3-9a0c-0305e82c3301</p>',
  '<p>64f1c0ffee64f1c0ffee64f1</p>',
  '<span>Image 1 of 5</span>',
  '<p>Sli<b>de</b> 3/7</p>',
  '<p>Lorem ipsum dolor sit amet</p>',
  '<p>Please enable JavaScript to view this page.</p>',
  '<p>Your browser does not support the video tag.</p>',
  '<div>Loading…</div>',
  '<div>ADVERTISEMENT</div>',
  '<p>[vc_row full_width="stretch"]</p>',
];
const NO_JUNK = [
  '<dialog open><p>Choose your country</p></dialog>',
  '<div role="tabpanel" hidden><p>Specifications of the lamp</p></div>',
  '<div role="dialog"><p>A page that is one open dialog</p></div>',
  '<p>Image 1 of 5 shows the harbour</p>',
  '<p>deadbeef</p>',
  '<p>Loading the ship took a day</p>',
  '<p>[sic]</p>',
  '<p>Enable the second alarm</p>',
];

for (const html of JUNK) test(`junk: ${html}`, () => assert.ok(isPageJunk(html)));
for (const html of NO_JUNK) test(`not junk: ${html}`, () => assert.ok(!isPageJunk(html)));
