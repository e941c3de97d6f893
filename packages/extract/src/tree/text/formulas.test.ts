import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectEverything } from '../../../test/select-everything.ts';
import { createUrlResolver } from '../url-resolver.ts';
import { parseTree } from '../parse/parse-tree.ts';
import { TAG } from '../tags.ts';
import { readFormula } from './formulas.ts';
import { renderCleanHtml } from '../../render/render-clean-html.ts';
import { renderMarkdown } from '../../render/markdown/render-markdown.ts';
import { renderText } from '../../render/text/render-text.ts';

const MATH = `<math alttext="c^2"><semantics><msup><mi>c</mi><mn>2</mn></msup>
  <annotation encoding="application/x-tex">c^{2}</annotation></semantics></math>`;

test('a formula with a TeX annotation is written as that TeX', () => {
  assertFormula(MATH, 'c^{2}');
  assertFormula('<math alttext="{\\displaystyle \\{a\\}\n b}"><mi>a</mi></math>', '\\{a\\} b');
  assertFormula('<math alttext="{\\displaystyle a}{b}"><mi>a</mi></math>', '{\\displaystyle a}{b}');
});

test('a formula without TeX is read from its elements', () => {
  assertFormula('<math><mi>a</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>', 'a=1/2');
  assertFormula(
    '<math><mfrac><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow><msqrt><mn>2</mn></msqrt></mfrac></math>',
    '(x+1)/√(2)',
  );
  assertFormula(
    `<math><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>
      <mi>sin</mi><mo>&#x2061;</mo><msub><mi>x</mi><mi>i</mi></msub></math>`,
    '∑_{i=1}^n sin x_i',
  );
  assertFormula(
    '<math><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable></math>',
    '1, 0; 0, 1',
  );
});

test('macros of a formula that open addresses or write HTML become letters', () => {
  const source = String.raw`\href{javascript:alert(1)}{x} \\href \htmlData{a=b}{c} \mmlToken{mi}[href='x']{y} \hrefs \alpha`;
  const expected = String.raw` href{javascript:alert(1)}{x} \\href  htmlData{a=b}{c}  mmlToken{mi}[href='x']{y} \hrefs \alpha`;
  const tree = parseTree(`<math><annotation encoding="TeX">${source}</annotation></math>`);
  assert.equal(readFormula(tree, tree.tag.indexOf(TAG.math)), expected);
  const typed = parseTree(`<math><mtext>${source}</mtext></math>`);
  assert.equal(readFormula(typed, typed.tag.indexOf(TAG.math)), expected);
});

test('text that looks like a formula is written without active macros in Markdown', () => {
  const tree = parseTree(String.raw`<p>$\href{javascript:alert(1)}{x}$ and C:\data\x and \style{a}</p>`);
  const urls = createUrlResolver('https://example.org/', null);
  assert.equal(
    renderMarkdown(tree, selectEverything(tree), urls),
    String.raw`$\\href{javascript:alert(1)}{x}$ and C:\data\x and \\style{a}`,
  );
});

test('deep formulas are read without recursion', () => {
  const tree = parseTree(`<math>${'<msup><mi>x</mi>'.repeat(20_000)}`);
  assert.match(readFormula(tree, tree.tag.indexOf(TAG.math)), /^x\^/);
});

test('a formula displayed twice is written once', () => {
  const shown = '<span aria-hidden=true><b>c</b><span>2</span></span>';
  assertFormats(`<p>so <span><span>${MATH}</span>${shown}</span>.</p>`);
  assertFormats(`<p>so <span>${shown} <span>${MATH}</span></span>.</p>`);
});

test('a hidden formula with a visible image is written', () => {
  const hidden = `<span style="display: none">${MATH}</span>`;
  assertFormats(`<p>so <span>${hidden}<img src=c.svg alt="c^{2}"></span>.</p>`);
  assertFormats(`<p>so <span>${hidden}<img src=c.svg alt="c^{2}" aria-hidden=true></span>.</p>`);
  assert.equal(toText(`<p>so ${hidden} <b>not</b></p>`), 'so not');
});

test('a formula at the start of a paragraph is part of the paragraph', () => {
  assert.equal(toText(`<p>${MATH} is large.</p>`), 'c^{2} is large.');
  assert.equal(toMarkdown(`<p>${MATH} is large.</p>`), '$c^{2}$ is large.');
});

test('other elements hidden from screen readers are kept', () => {
  assert.equal(toText(`<p>${MATH} and <span aria-hidden=true>★ star</span></p>`), 'c^{2} and ★ star');
});

test('characters that would end a formula in Markdown are escaped', () => {
  assert.equal(toMarkdown('<p>so <math alttext="\\text{$a$}"><mi>a</mi></math></p>'), 'so `\\text{$a$}`');
  assert.equal(
    toMarkdown('<table><tr><th>a</th><td>is <math alttext="|a|"><mi>a</mi></math></td></tr></table>'),
    '| a | is $\\vert a\\vert $ |\n| - | - |',
  );
});

function assertFormula(html: string, text: string): void {
  const tree = parseTree(html);
  assert.equal(readFormula(tree, tree.tag.indexOf(TAG.math)), text);
}

function assertFormats(html: string): void {
  const tree = parseTree(html);
  const urls = createUrlResolver('https://example.org/', null);
  assert.equal(toText(html), 'so c^{2}.');
  assert.equal(toMarkdown(html), 'so $c^{2}$.');
  assert.equal(
    renderCleanHtml(tree, selectEverything(tree), urls),
    '<p>so <code class="language-math">c^{2}</code>.</p>',
  );
}

function toText(html: string): string {
  const tree = parseTree(html);
  return renderText(tree, selectEverything(tree));
}

function toMarkdown(html: string): string {
  const tree = parseTree(html);
  return renderMarkdown(tree, selectEverything(tree), createUrlResolver('https://example.org/', null));
}
