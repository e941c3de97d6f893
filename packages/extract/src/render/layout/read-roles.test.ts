import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectEverything } from '../../../test/select-everything.ts';
import { createUrlResolver } from '../../tree/url-resolver.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { renderCleanHtml } from '../render-clean-html.ts';
import { renderMarkdown } from '../markdown/render-markdown.ts';
import { renderText } from '../text/render-text.ts';

test('a table by roles has rows and cells, whatever elements it is made of', () => {
  const row = (...cells: string[]): string => `<div role="row">${cells.join('')}</div>`;
  const table = `<div role="treegrid"><div><div role="rowgroup">${row('<b role="columnheader">x</b>', '<div role="columnheader">Knots</div>', '<span role="columnheader">Berths</span>')}</div></div><div role="rowgroup">${row('<div role="rowheader">Alma</div>', '<div role="gridcell"><div>7</div></div>', '<span role="gridcell">12</span>')}${row('<div role="rowheader">Berta</div>', '<div role="gridcell"></div>', '<span role="gridcell">9</span>')}</div></div>`;
  const page = read(
    `<p>Boats.</p>${table.replace('<b role="columnheader">x</b>', '<p role="columnheader">Boat</p>')}<p>End.</p>`,
  );
  assert.equal(page.text, 'Boats.\n\nBoat\tKnots\tBerths\nAlma\t7\t12\nBerta\t\t9\n\nEnd.');
  assert.match(page.markdown, /\| Boat +\| Knots +\| Berths +\|\n.*\n\| Alma +\| 7 +\| 12 +\|/);
  assert.match(page.html, /<tr><th>Berta<\/th><td><\/td><td>9<\/td><\/tr>/);
});

test('rows of single cells, rows without a table, and elements with a meaning of their own are no tables by roles', () => {
  const cards =
    '<div role="grid"><div role="row"><div role="gridcell">One</div></div><div role="row"><div role="gridcell">Two</div></div></div>';
  assert.equal(read(cards).html, '<p>One</p><p>Two</p>');
  assert.equal(
    read('<div role="row"><div role="cell">One</div><div role="cell">Two</div></div>').html,
    '<p>One</p><p>Two</p>',
  );
  assert.equal(read('<ol role="list"><li role="listitem">One</li></ol>').html, '<ol><li>One</li></ol>');
});

test('headings and lists by roles are those of Markdown', () => {
  const page = read(
    '<div role="heading" aria-level="3">Bring</div><div role="list"><div><div role="listitem">rope</div></div><div role="listitem">oars<div role="list"><span role="listitem">two</span></div></div></div><p role="heading">Then</p><p>Go.</p>',
  );
  assert.equal(page.markdown, '### Bring\n\n- rope\n- oars\n  - two\n\n## Then\n\nGo.');
  assert.equal(page.text, 'Bring\n\nrope\noars\ntwo\n\nThen\n\nGo.');
});

function read(html: string): { text: string; markdown: string; html: string } {
  const tree = parseTree(html);
  const blocks = selectEverything(tree);
  const urls = createUrlResolver('https://example.org/', null);
  return {
    text: renderText(tree, blocks),
    markdown: renderMarkdown(tree, blocks, urls),
    html: renderCleanHtml(tree, blocks, urls),
  };
}
