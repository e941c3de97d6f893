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
  '<p>[et_pb_section fb_built="1" module_class="a b c d"][et_pb_row column_structure="1_2,1_2"][et_pb_column type="1_2"]</p>',
  '<p>[gallery ids="1,2,3"]</p>',
  '<p><b>READ MORE: <a href="/x">The tram line closes in June, and nobody knows what comes after it or when</a></b></p>',
  '<p>À lire aussi : <a href="/x">Le tram s’arrête en juin</a></p>',
  '<p><a href="/x">ALSO READ | The tram line closes</a></p>',
  '<div>▶ Lesen Sie auch: <a href="/x">Die Bahn endet im Juni</a></div>',
  '<p>関連記事：<a href="/x">路面電車は六月に終わります</a></p>',
  '<p>Sign up for our weekly newsletter to get stories like this in your inbox.</p>',
  '<p><em>Follow us on <a href="#">WhatsApp</a> for the latest news.</em></p>',
  '<p>Suivez-nous sur <a href="#">Telegram</a></p>',
];
const NO_JUNK = [
  '<dialog open><p>Choose your country</p></dialog>',
  '<div role="tabpanel" hidden><p>Specifications of the lamp</p></div>',
  '<div role="dialog"><p>A page that is one open dialog</p></div>',
  '<p>Image 1 of 5 shows the harbour</p>',
  '<p>deadbeef</p>',
  '<p>Loading the ship took a day</p>',
  '<p>[sic]</p>',
  '<p>[1] [2]</p>',
  '<p>Related: a tale of two bridges and of the people who built them.</p>',
  '<p><a href="/x">Read more about the bridge and its builders</a></p>',
  '<p>See also: <a href="/x">Bridges of the county</a></p>',
  '<p>Follow us on the long way from the shed to the sea.</p>',
  '<p>Subscribe to the topic with a handler.</p>',
  '<p>Enable the second alarm</p>',
];

for (const html of JUNK) test(`junk: ${html}`, () => assert.ok(isPageJunk(html)));
for (const html of NO_JUNK) test(`not junk: ${html}`, () => assert.ok(!isPageJunk(html)));
