import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageType } from '../types/extraction.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { readBlockText } from './blocks/block-text.ts';
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
  '<div class="js-vote-count"><span>1,204</span></div>',
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
  '<div><span>Related</span> <a href="/x">The tram line closes</a></div>',
  '<div><b>Lesen Sie auch</b><br><a href="/x">Die Bahn endet im Juni</a></div>',
  '<p><b>Mehr dazu:</b> <a href="/x">Die Bahn endet im Juni</a></p>',
  '<p><b>Lesetipp: <a href="/x">Die Bahn endet im Juni</a></b></p>',
  '<div><span>【関連】</span><a href="/x">路面電車は六月に終わります</a></div>',
  '<p><strong>推荐阅读：</strong><a href="/x">电车六月停运</a></p>',
  '<div><span>You might also like</span> <a href="/x">The tram line closes</a></div>',
  '<p>Veja também: <a href="/x">O bonde para em junho</a></p>',
  '<p><a href="/p">Rezept drucken</a> <a href="/s">Rezept speichern</a></p>',
  '<p>Was this page helpful?</p>',
  '<p>War diese Seite hilfreich?</p>',
  '<button>Quick view</button>',
  '<a href="/1">Lire la suite…</a>',
  '<p>Tag @quay on Instagram and hashtag it #tar</p>',
  '<p>As an Amazon Associate I earn from qualifying purchases.</p>',
  '<div>From Quaypedia, the free encyclopedia</div>',
  '<li><a href="/ics">Outlook 365</a></li>',
  '<p>Print Recipe ↓ Pin Recipe</p>',
  '<p>Have you tried this recipe? Leave a rating below!</p>',
  '<p>★★★★★ 4.8 from 1,031 votes</p>',
  '<li>Previous message (by thread): <a href="/x">[tar] Two coats</a></li>',
  '<li><b>Messages sorted by:</b> <a href="/d">[ date ]</a></li>',
  '<td>You cannot post new topics in this forum<br>You cannot vote in polls in this forum</td>',
  '<p>You are receiving this e-mail because you signed up on the quay. <a href="/u">Unsubscribe</a></p>',
  '<p>(Reporting by Ida Lund in Nordhafen; additional reporting by Tom Elk; editing by Ines Moor)</p>',
  '<p><em>If you enjoyed this text, please consider <a href="/p">supporting me</a>.</em></p>',
  '<p>Please consider supporting our small library with a gift.</p>',
  '<p>Code: <a href="#">Alles auswählen</a></p>',
  '<span>1,204 views</span>',
  '<div><a href="/p/1">View this post on Instagram</a></div>',
  '<button>Decrease quantity for Storm Lamp</button>',
  '<a href="/w">In den Warenkorb</a>',
  '<div>{"id": 7, "variants": [{"price": 4900}]}</div>',
  '<div>[{"id":7,"title":"Black"}]</div>',
  '<p>Suivez-nous sur <a href="#">Telegram</a></p>',
  '<a href="/boats/3">Read more »</a>',
  '<p><a href="/b">Mehr erfahren</a></p>',
  '<p><a href="/b">詳細を見る</a></p>',
  '<p>© 2014 Nordhafen Ropes</p>',
  '<p>Nordhafen Ropes. All rights reserved.</p>',
  '<p><a href="/t">Terms of Use</a> | <a href="/p">Privacy Policy</a></p>',
  '<p>Page 3 of 12</p>',
  '<p>Showing 1–24 of 96 ropes</p>',
  '<span>Sponsored</span>',
  '<p>Unit price / per</p>',
  '<p>Home › Ropes › Hemp</p>',
  '<p>This post may contain affiliate links. Read the <a href="/d">disclosure</a>, if you like.</p>',
  '<p>Disclosure: some links of this page are affiliate links.</p>',
  '<p>Listen to this article</p>',
  '<span>0:00 / 4:31</span>',
  '<p>This audio is automatically generated.</p>',
  '<div>Advertentie</div>',
  '<div>Реклама</div>',
  '<div>Artikel gaat verder onder de advertentie</div>',
  '<div><a href="/p/1">Sieh dir diesen Beitrag auf Instagram an</a></div>',
  '<div><a href="/p/1">Voir cette publication sur Instagram</a></div>',
  '<p>Posted in <a href="/c/quay">The quay</a></p>',
  '<p>Schlagwörter: <a href="/t/tar">Teer</a>, <a href="/t/hemp">Hanf</a></p>',
  '<p>📣 <a href="/w">Siga o canal do porto no WhatsApp</a></p>',
  '<p>Подписывайтесь на наш <a href="/t">Telegram-канал</a></p>',
  '<p>Scarica la nostra app per leggere le notizie del porto</p>',
  '<p><a href="https://coffee.example/quay">Buy me a coffee</a></p>',
  '<p>Embed &lt;iframe src="https://radio.example/7" width="100%">&lt;/iframe></p>',
];
const NO_JUNK = [
  '<div class="score"><span>4.8</span></div>',
  '<div class="devotes">17</div>',
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
  '<p>If you found a boat, you can bring it to the quay.</p>',
  '<p>Follow us on the long way from the shed to the sea.</p>',
  '<p>Subscribe to the topic with a handler.</p>',
  '<p>Enable the second alarm</p>',
  '<dt><code>read</code>() <a href="#read">¶</a></dt>',
  '<p>Read more <a href="/x">about the bridge and its builders</a></p>',
  '<p>Mehr dazu steht im <a href="/x">Bericht</a>.</p>',
  '<h3>Calendar</h3>',
  '<p>Print the recipe on thick paper and pin it to the wall.</p>',
  '<p>4 votes were counted twice</p>',
  '<p>You may post letters at the quay.</p>',
  '<p>12 points were scored in the second half.</p>',
  '<p>Reporting by radio was slow; the editing took weeks.</p>',
  '<pre>{"id": 7}</pre>',
  '<p>{x} is a placeholder</p>',
  '<p><a href="/b">Learn more knots from the men of the quay</a></p>',
  '<p>Copyright law was new in 1710.</p>',
  '<p>Home was a long way from the quay.</p>',
  '<p>Page 3 of the log tells of a storm</p>',
  '<p>This post may be painted twice a year.</p>',
  '<p>Listen to this article of faith, he said.</p>',
  '<p>Posted in May, the letter arrived in June.</p>',
  '<p>Follow the canal to the old sluice.</p>',
  '<p>Download the map of the harbour.</p>',
];

for (const html of JUNK) test(`junk: ${html}`, () => assert.ok(isPageJunk(html)));
for (const html of NO_JUNK) test(`not junk: ${html}`, () => assert.ok(!isPageJunk(html)));

/** The junk of a page. */
function listRelated(html: string, pageType?: PageType): string[] {
  const tree = parseTree(html);
  const blocks = findBlocks(tree);
  const isJunk = createJunkTest(tree, blocks, buildScopes(tree, blocks, parseLexicon('')), pageType);
  return Array.from({ length: blocks.count }, (_, block) =>
    isJunk(block) ? readBlockText(tree, blocks, block) : '',
  ).filter((text) => text !== '');
}

const PROSE = `<p>${'The men of the quay mend their nets on the wall by day. '.repeat(3)}</p>`;
const CARDS =
  '<div class="rows"><div><a href="/1">Tar</a><p>What it is made of</p></div><div><a href="/2">Rope</a></div></div>';
const OF_CARDS = ['Tar', 'What it is made of', 'Rope'];

test('junk: sections that lead to other texts, in the text or beside it', () => {
  assert.deepEqual(listRelated(`<main>${PROSE}<h3>You might also like</h3>${CARDS}</main>`), [
    'You might also like',
    ...OF_CARDS,
  ]);
  assert.deepEqual(
    listRelated(`<main>${PROSE}<section><div><b>Ähnliche Beiträge:</b></div>${CARDS}</section>${PROSE}</main>`),
    ['Ähnliche Beiträge:', ...OF_CARDS],
  );
  assert.deepEqual(listRelated(`<main>${PROSE}<h2>関連記事</h2>${CARDS}<h2>Nets</h2>${PROSE}</main>`), [
    '関連記事',
    ...OF_CARDS,
  ]);
  assert.deepEqual(listRelated(`<main>${PROSE}<p>Related posts</p>${CARDS}${PROSE}</main>`), [
    'Related posts',
    ...OF_CARDS,
  ]);
});

test('junk: short panels that a sponsor pays for, not a long text with such a label', () => {
  const panel = '<div><p><span>Sponsored by</span> <a href="/l">Lampo</a></p><h3>Which lamp is yours?</h3></div>';
  assert.deepEqual(listRelated(`<p>Three tugs lay at the quay.</p>${panel}<p>One of them was blue.</p>`), [
    'Sponsored by Lampo',
    'Which lamp is yours?',
  ]);
  const long = `<div><p>Presented by the harbour</p><p>${'Three tugs lay at the quay. '.repeat(9)}</p></div>`;
  assert.deepEqual(listRelated(long), []);
});

test('not junk: the section of an item in a list', () => {
  const line = '<p>Posted in <a href="/c/quay">The quay</a></p>';
  assert.deepEqual(listRelated(`<h2><a href="/1">The tar pit</a></h2>${line}`, 'listing'), []);
});

test('junk: boxes about the author of an article', () => {
  const box =
    '<div><h5>Über die Autorin</h5><p>Ida Lund</p><p>Sie schreibt seit 2009 über Schiffe und wohnt am Kai, mit zwei Katzen und einem Boot.</p></div>';
  assert.equal(listRelated(`<main>${PROSE}${box}</main>`, 'article').length, 3);
  assert.equal(listRelated(`<main>${PROSE}${box}</main>`, 'service').length, 0);
});

test('junk: lists of what is most read beside the text, and of the parts of the page', () => {
  const most = `<div><h2>Meistgelesen</h2>${CARDS}</div>`;
  assert.deepEqual(listRelated(`${most}<main>${PROSE.repeat(9)}</main>`), ['Meistgelesen', ...OF_CARDS]);
  const parts =
    '<div class="toc"><p>Table of contents</p><ul><li><a href="#a">Tar</a></li><li><a href="/quay#b">Rope</a></li></ul></div>';
  assert.deepEqual(listRelated(`<main>${parts}${PROSE}</main>`), ['Table of contents', 'Tar', 'Rope']);
});

test('not junk: contents that are pages, and a heading with one link', () => {
  const chapters = '<h2>Contents</h2><ul><li><a href="/1">Tar</a></li><li><a href="/2">Rope</a></li></ul>';
  assert.deepEqual(listRelated(`<main>${chapters}${PROSE}</main>`), []);
  assert.deepEqual(listRelated(`<main>${PROSE}<div><h2>Contents</h2><a href="#a">Tar</a></div></main>`), []);
});

test('not junk: sources, titles without links, and pages that are such a list', () => {
  assert.deepEqual(listRelated(`<main>${PROSE}<h2>Further reading</h2>${CARDS}</main>`), []);
  assert.deepEqual(listRelated(`<main>${PROSE}<h2>Related products</h2>${PROSE}</main>`), []);
  assert.deepEqual(listRelated(`<main><h2>Similar articles</h2>${CARDS}</main>`), []);
});

const ASKS_TO_JOIN =
  '<div><h3>Join the quay</h3><p>Members pay for what you read here.</p><p><a href="/join">Become a member</a></p></div>';
const WALL =
  '<section><p>Die Fortsetzung lesen nur Abonnenten.</p><ul><li>Alle Texte</li></ul><button>Jetzt abonnieren</button></section>';
const FORM =
  '<div><h2>The quay letter</h2><p>All that happened on the quay, every Friday, in five minutes of reading.</p><form><label>E-mail</label><input type="email"><button>Sign up</button></form></div>';
const TEXT = PROSE.repeat(3);

/** Pages, and how many of their blocks are junk. */
const ASKING: readonly (readonly [string, string, number])[] = [
  ['a panel that asks readers to join', TEXT + ASKS_TO_JOIN + PROSE, 3],
  ['a panel that asks readers to subscribe', TEXT + WALL, 3],
  ['a form for a newsletter', TEXT + FORM + PROSE, 4],
  ['a form for an address that does not name its subject', `${TEXT}<aside><b>The Friday note</b><p>Tar, rope and weather.</p><form><input type="EMAIL" placeholder="you@quay.example"><input type="submit" value="Join now"></form></aside>${PROSE}`, 2],
  ['a form without an address', `${TEXT}<aside><b>Crew lists</b><p>Names of last year.</p><form><input type="text"><button>Join</button></form></aside>${PROSE}`, 0],
  ['a page that is such a panel', ASKS_TO_JOIN, 0],
  ['a link in prose', `${TEXT}<p>The men of the quay, who own it, ask everyone who comes by with a boat to <a href="/join">become a member</a> of their club for one summer.</p>`, 0],
  ['an offer with a price', `${TEXT}<div><h3>Member</h3><p>$9</p><p>One boat</p><a href="/buy">Subscribe</a></div>`, 0],
  ['a link without its subject', `${TEXT}<div><p>The boat leaves at noon.</p><a href="/boat">Register</a></div>`, 0],
]; // prettier-ignore

for (const [what, html, expected] of ASKING)
  test(`junk: ${what}, ${expected} blocks`, () => assert.equal(listRelated(`<main>${html}</main>`).length, expected));

const SAID = 'The men of the quay mend their nets on the wall by day, and by night they count the lamps of the ships.';
/** Quotes in an article with the sentence above, and what is junk of them. */
const QUOTES: readonly (readonly [string, string, readonly string[]])[] = [
  ['in an element with its name', '<div class="c-pullquote"><p>“by night they count the lamps of the ships”</p></div>', ['“by night they count the lamps of the ships”']],
  ['beside the text', '<aside><p>they count the lamps of the ships</p><p>Ida Lund</p></aside>', ['they count the lamps of the ships', 'Ida Lund']],
  ['before the text', '<figure class="wp-block-pullquote"><blockquote><p>the men of the quay mend their nets</p></blockquote></figure>', ['the men of the quay mend their nets']],
  ['of another text', '<aside class="pullquote"><p>Nobody had counted the ships, and the nets were torn.</p></aside>', []],
  ['without its name', '<blockquote><p>by night they count the lamps of the ships</p></blockquote>', []],
  ['of two words', '<aside>the lamps</aside>', []],
]; // prettier-ignore

for (const [what, html, expected] of QUOTES)
  test(`junk: quotes that repeat the text, ${what}`, () =>
    assert.deepEqual(listRelated(`<main>${html}<p>${SAID}</p></main>`), expected));

test('junk: placeholders of embedded posts that ask for consent', () => {
  const placeholder =
    '<div class="embed"><p>Externer Inhalt</p><p>Hier steht ein externer Inhalt, für den Daten an Drittanbieter gehen.</p><button>Inhalt anzeigen</button></div>';
  assert.equal(listRelated(`<main>${TEXT}${placeholder}${TEXT}</main>`).length, 3);
});

const SHOP = `<h1>Storm lamp</h1>${PROSE}`;
/** Panels of a product page, and what is junk of them. */
const PANELS: readonly (readonly [string, string, readonly string[]])[] = [
  ['by headings', `<h2>Shipping &amp; returns</h2>${PROSE}<h2>Specifications</h2><p>31 cm</p>`, ['Shipping & returns', PROSE]],
  ['in an accordion', `<details><summary><h2>Versand und Zahlung</h2></summary><p>Zwei Tage.</p></details><details><summary><h2>Pflege</h2></summary><p>Trocken.</p></details>`, ['Versand und Zahlung', 'Zwei Tage.']],
  ['by linked titles', '<div><div class="t"><a href="#1">Envíos y devoluciones</a></div><div class="c"><p>Dos días.</p></div><div class="t"><a href="#2">Detalles</a></div><div class="c"><p>Latón.</p></div></div>', ['Envíos y devoluciones', 'Dos días.']],
  ['by titles with a name', '<div><p class="block-title">Paiement sécurisé</p><p>Par carte.</p></div>', ['Paiement sécurisé', 'Par carte.']],
  ['a fact', '<table><tr><td>Delivery</td><td>2 days</td></tr></table>', []],
  ['a long text', `<h2>Delivery</h2>${PROSE.repeat(20)}`, []],
]; // prettier-ignore

for (const [what, html, expected] of PANELS)
  test(`junk: panels that a shop shows with every product, ${what}`, () => {
    const texts = expected.map((text) => text.replaceAll(/<\/?p>/g, '').trim());
    assert.deepEqual(listRelated(`<main>${SHOP}${html}</main>`, 'product'), texts);
    assert.deepEqual(listRelated(`<main>${SHOP}${html}</main>`, 'article'), []);
  });
