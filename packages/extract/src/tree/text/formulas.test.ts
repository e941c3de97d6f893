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

test('binomials, fractions beside factors, fences and hidden parts of MathML', () => {
  assertFormula(
    '<math><mo>(</mo><mfrac linethickness="0pt"><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></math>',
    '(n choose k)',
  );
  assertFormula('<math><mfrac><mn>1</mn><mn>2</mn></mfrac><mi>x</mi></math>', '(1/2)x');
  assertFormula(
    '<math><mn>3</mn><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>+</mo><mfrac><mi>c</mi><mi>d</mi></mfrac></math>',
    '3(a/b)+c/d',
  );
  assertFormula('<math><msup><mi>x</mi><mrow><mfrac><mn>1</mn><mn>2</mn></mfrac></mrow></msup></math>', 'x^{1/2}');
  assertFormula(
    '<math><mfenced open="[" close=")" separators=";"><mi>a</mi><mi>b</mi></mfenced><mphantom><mi>c</mi></mphantom></math>',
    '[a; b)',
  );
  const many = '<mfrac><mn>1</mn><mn>2</mn></mfrac>'.repeat(30_000);
  const tree = parseTree(`<math>${many}</math>`);
  assert.match(readFormula(tree, tree.tag.indexOf(TAG.math)), /^\(1\/2\)\(1\/2\)/);
});

/** Formulas that are no plain `<math>`, and their TeX or text. */
const DRAWN: readonly (readonly [string, string, string])[] = [
  ['MathJax 4', '<mjx-container jax="CHTML"><mjx-math data-latex="b_1" aria-hidden=true><mjx-mi data-latex=b>b</mjx-mi></mjx-math></mjx-container>', 'b_1'],
  ['MathJax with TeX in its container', '<mjx-container jax=SVG data-latex="b_1"><svg><g></g></svg></mjx-container>', 'b_1'],
  ['MathJax 3 in CHTML', '<mjx-container><mjx-math aria-hidden=true><mjx-c></mjx-c></mjx-math><mjx-assistive-mml style="clip:rect(1px,1px,1px,1px)"><math><msub><mi>b</mi><mn>1</mn></msub></math></mjx-assistive-mml></mjx-container>', 'b_1'],
  ['MathJax 4 in SVG', '<mjx-container jax="SVG"><svg viewBox="0 0 9 9"><defs></defs><g stroke=black><g data-mml-node="math" data-latex="b_1"><path d="M0"></path></g></g></svg></mjx-container>', 'b_1'],
  ['MathJax 2 with more in its script', '<span class="MathJax_Preview"></span><span class="MathJax" id="E-2-Frame"><nobr>c/d</nobr><span class="MJX_Assistive_MathML"><math><mfrac><mi>c</mi><mi>d</mi></mfrac></math></span></span><script type="math/tex" id="E-2">\\frac{c}{d}</script>', '\\frac{c}{d}'],
  ['an editor', '<span class="ql-formula" data-value="b_1">\ufeff<span>b1</span></span>', 'b_1'],
  ['a course', '<img class="equation_image" title="b_1" src="/eq/1" alt="LaTeX: b_1" data-equation-content="b_1">', 'b_1'],
  ['MathJax 2', '<span class="MathJax_Preview">b1</span><span class="MathJax_SVG"><svg></svg><span class="MJX_Assistive_MathML" style="clip:rect(1px,1px,1px,1px)"><math><msub><mi>b</mi><mn>1</mn></msub></math></span></span><script type="math/tex" id="MathJax-Element-1">b_1</script>', 'b_1'],
  ['MathJax 2 before it runs', '<script type="math/tex">b_1</script>', 'b_1'],
  ['an attribute', '<span class=eq data-tex="b_1"></span>', 'b_1'],
  ['an attribute of another name', '<x-tex data-expr="\\beta"></x-tex>', '\\beta'],
  ['a newsletter', '<span data-attrs="{&quot;persistentExpression&quot;:&quot;b_1&quot;}"></span>', 'b_1'],
  ['an image of a class', '<img class="latex" src=1.png alt="$b_1$">', 'b_1'],
  ['an image of a service', '<img src="https://latex.codecogs.com/svg.image?b_1" alt="">', 'b_1'],
  ['an image with its TeX in the address', '<img src="https://tex.example/equation?tex=b_1+%5Cbeta">', 'b_1 \\beta'],
]; // prettier-ignore

for (const [what, html, tex] of DRAWN) {
  test(`a formula is read from ${what}`, () => {
    assert.equal(toText(`<p>so ${html} holds</p>`), `so ${tex} holds`);
    assert.equal(toMarkdown(`<p>so ${html} holds</p>`), `so $${tex}$ holds`);
    assert.equal(toText(`<p>${html}</p>`), tex);
  });
}

test('images and attributes that state no TeX are no formulas', () => {
  assert.equal(toText('<p>so <img class="formula" src=1.png alt="Formula 1 car"> on latex</p>'), 'so on latex');
  assert.equal(toText('<div data-math="true" class=latex-page><p>One.</p></div>'), 'One.');
  assert.equal(toText('<div data-tex="a"><p>One.</p></div>'), 'One.');
  assert.equal(toText('<p>so <span class="rating" data-value="4_5">4.5</span></p>'), 'so 4.5');
  const large = 'x'.repeat(5_000_000);
  assert.equal(toText(`<p>so <img class=latex src=1.png alt="${large}"> it is</p>`), 'so it is');
});

test('a displayed formula is on a line of its own', () => {
  const html = '<p>so <math display="block" alttext="b"><mi>b</mi></math> holds</p>';
  assert.equal(toText(html), 'so\nb\nholds');
  assert.equal(toMarkdown(html), 'so\\\n$$b$$\\\nholds');
  assert.equal(toText('<p>so</p><script type="math/tex; mode=display">b</script>'), 'so\n\nb');
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

test('a text in delimiters alone in an element for formulas is a formula', () => {
  assert.equal(toMarkdown('<p>so <span class="math inline">\\(c^2\\)</span>.</p>'), 'so $c^2$.');
  assert.equal(toMarkdown('<p>so</p><div class="arithmatex">\\[\n c^2\n\\]</div>'), 'so\n\n$$c^2$$');
  assert.equal(toText('<p>so <span class="katex-tex">$c_1$</span>.</p>'), 'so c_1.');
  assert.equal(toText('<p>so <span class="aftermath">\\(c^2\\)</span>.</p>'), 'so \\(c^2\\).');
  assert.equal(toText('<p>so <span class="math">it costs $5</span>.</p>'), 'so it costs $5.');
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
