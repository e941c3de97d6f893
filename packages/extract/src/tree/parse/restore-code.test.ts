import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeInner, writeArticlePage } from '../../../test/article-page.ts';
import { renderPage } from '../../../test/render-page.ts';
import { selectEverything } from '../../../test/select-everything.ts';
import { extract } from '../../pipeline/extract.ts';
import { isHiddenItself } from '../hiding/find-hidden.ts';
import { parseTree } from './parse-tree.ts';

/** What adds to code, markup, text. */
const TOOLS: readonly (readonly [string, string, string])[] = [
  ['a bar with language and button', '<p>Do:</p><div class=hl><div class=bar><span>Bash</span><button>Copy</button></div><pre>ls -l</pre></div>', 'Do:\n\nls -l'],
  ['a bar after the code', '<div><pre><code>ls -l</code></pre><div><div><span>shell-session</span></div><div><button><span>Copy</span></button></div></div></div>', 'ls -l'],
  ['a button in the code', '<pre><code>ls -l<button title="Copy code">Copy</button></code></pre>', 'ls -l'],
  ['a label without a bar', '<figure><span class=lang>yaml</span><div><pre>a: 1</pre></div></figure>', 'a: 1'],
  ['the numbers of an editor', '<div class="cm-scroller"><div class="cm-gutters"><div class="cm-gutterElement">1</div><div>2</div></div><div class="cm-content"><div>a: 1</div><div>b: 2</div></div></div>', 'a: 1\nb: 2'],
  ['numbers after the code', '<div class="language-py"><span class="lang">py</span><pre>a = 1</pre><div class="line-numbers-wrapper"><span>1</span><br></div></div>', 'a = 1'],
  ['a bar above a listing', '<div><div class="head"><span>Rust</span><button>Copy</button></div><div><code><table><tr><td class="gutter gl"><pre class="lineno">1\n2\n</pre></td><td><pre>a()\nb()</pre></td></tr></table></code></div></div>', 'a()\nb()'],
  ['where it is hosted', '<div><div class="gist-data"><table><tr><td class="blob-num" data-line-number="1"></td><td class="blob-code">a()</td></tr></table></div><div class="gist-meta"><a href="/r">view raw</a> <a href="/f">x.rs</a> hosted with ❤ by <a href="/">GitHub</a></div></div>', 'a()'],
  ['a file name, which stays', '<div><div>src/index.js <button>Copy</button></div><pre>go()</pre></div>', 'src/index.js\n\ngo()'],
  ['text beside it, which stays', '<div>Bash<pre>ls -l</pre></div><section><p>Go</p><p>A long sentence that stands beside the code here.</p><pre>x</pre></section>', 'Bash\n\nls -l\n\nGo\n\nA long sentence that stands beside the code here.\n\nx'],
]; // prettier-ignore

for (const [what, html, text] of TOOLS) {
  test(`beside code: ${what}`, () => {
    const tree = parseTree(html);
    const shown = selectEverything(tree).filter(({ element }) => !isHiddenItself(tree, element));
    assert.equal(renderPage(html, shown).mainText, text);
  });
}

/** Code outside `<pre>`, and its Markdown. */
const CODE: readonly (readonly [string, string, string])[] = [
  ['kept white space', '<p>Do:</p><div style="white-space: pre">a {\n  b\n}</div>', 'Do:\n\n```\na {\n  b\n}\n```'],
  ['a fixed width', '<div style="font-family: Menlo, monospace; white-space:pre-wrap"><div>a {</div><div><span>  b</span></div></div>', '```\na {\n  b\n```'],
  ['an editor with lines', '<div class="cm-content" role=textbox><div class="cm-line">a {</div><div class="cm-line">  b</div></div>', '```\na {\n  b\n```'],
  ['an older editor', '<div class="CodeMirror-code"><div><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber">1</div></div><pre class="CodeMirror-line">a {</pre></div><div><pre class="CodeMirror-line">  b</pre></div></div>', '```\na {\n  b\n```'],
  ['lines of a highlighter', '<pre><code><span class="line">a {</span><span class="line"><span>  b</span></span></code></pre>', '```\na {\n  b\n```'],
  ['lines of a file view', '<div class="blob-wrapper"><table><tr><td class="blob-num" data-line-number="1"></td><td class="blob-code">a {</td></tr><tr><td class="blob-num"></td><td class="blob-code">  b</td></tr></table></div>', '```\na {\n  b\n```'],
  ['an old highlighter', '<div class="syntaxhighlighter"><table><tr><td class="gutter"><div>1</div><div>2</div></td><td class="code"><div class="container"><div class="line"><code>a {</code></div><div class="line"><code>&nbsp;&nbsp;b</code></div></div></td></tr></table></div>', '```\na {\n  b\n```'],
  ['line breaks', '<p>Do:</p><code>a {<br>&nbsp; b</code><p>Done.</p>', 'Do:\n\n```\na {\n  b\n```\n\nDone.'],
  ['line breaks in a sentence', '<p>Do <code>a<br>b</code> now.</p>', 'Do `a`\\\n`b` now.'],
  ['a paragraph of a fixed width', '<p style="white-space: pre; font-family: Courier New">a {\n  b</p>', '```\na {\n  b\n```'],
  ['lines as items of a list', '<ol class="listing"> <li><code>a {</code></li> <li><code><b>&nbsp; b</b></code></li> </ol>', '```\na {\n  b\n```'],
  ['commands as items of a list', '<ol><li><code>make</code></li><li><code>make install</code></li></ol>', '1. `make`\n2. `make install`'],
  ['a text field', '<p>Do:</p><textarea readonly>\na {\n  b\n}</textarea>', 'Do:\n\n```\na {\n  b\n}\n```'],
  ['a message with kept line ends, which is no code', '<div style="white-space: pre-wrap">Dear all, hello</div>', 'Dear all, hello'],
  ['paragraphs with kept white space', '<div style="white-space: pre"><p>One.</p><p>Two.</p></div>', 'One.\n\nTwo.'],
]; // prettier-ignore

for (const [what, html, markdown] of CODE) {
  test(`code outside <pre>: ${what}`, () => {
    const tree = parseTree(html);
    const shown = selectEverything(tree).filter(({ element }) => !isHiddenItself(tree, element));
    assert.equal(renderPage(html, shown).markdown, markdown);
  });
}

test('numbers of lines are no part of the code', () => {
  const numbered = [
    '<pre><span class="lineno">1</span><span>harbour = 1\n</span><span class="linenos">2 </span><span>bridge = 22</span></pre>',
    '<pre><code><span class="line"><span class="ln">10</span>harbour = 1\n</span><span class="x-syntax-line-number">11</span>bridge = 22</code></pre>',
  ];
  for (const html of numbered) {
    const { mainText, markdown } = extract(writeArticlePage(html), { formats: ['markdown'] });
    assert.equal(takeInner(mainText), '\n\nharbour = 1\nbridge = 22\n\n');
    assert.equal(takeInner(markdown!), '\n\n```\nharbour = 1\nbridge = 22\n```\n\n');
  }
});
