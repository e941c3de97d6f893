import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'parse5';
import { parseTree } from './parse-tree.ts';
import { TAG, TEXT } from '../tags.ts';
import { getAttribute, getTextContent, type Tree } from '../tree.ts';

/** The tree as nested brackets, text in quotes: `html(head()body(p("x")))`. */
function sketch(tree: Tree, node = 0): string {
  if (tree.tag[node] === TEXT) return JSON.stringify(tree.value[node]);
  let inside = '';
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
    assert.equal(tree.parent[child], node);
    inside += sketch(tree, child);
  }
  return `${tree.value[node]}(${inside})`;
}

/** Sketches parse5's own tree in the same way. */
function sketchReference(node: Reference): string {
  if (node.nodeName === '#text') return JSON.stringify(node.value);
  const inside = (node.childNodes ?? [])
    .filter((child) => !['#comment', '#documentType'].includes(child.nodeName))
    .map(sketchReference)
    .join('');
  return `${node.nodeName === '#document' ? '' : node.nodeName}(${inside})`;
}

interface Reference {
  nodeName: string;
  value?: string;
  childNodes?: Reference[];
}

const PAGES: Record<string, string> = {
  empty: '',
  plain: '<!doctype html><title>T</title><p>one<p>two<br>three',
  misnested: '<b>1<p>2</b>3</p><i>4<div>5</i>6</div>',
  fostered: '<table>a<tr>b<td>c</td>d</tr><p>e</p>f</table>g',
  noscript: '<head><noscript><link rel=x></noscript></head><body><noscript><p>shown</p></noscript>',
  frames: '<frameset><frame><noframes>x</noframes></frameset>',
  select: '<select><option>a<optgroup label=x><option>b</select>',
  formatting: '<a href=1>x<a href=2>y</a><nobr>1<nobr>2',
  repeatedBody: '<html a=1><body b=2><body c=3 b=4><html d=5>',
};

for (const [name, html] of Object.entries(PAGES)) {
  test(`the flat tree equals the tree of parse5: ${name}`, () => {
    const reference = parse(html, { scriptingEnabled: false }) as unknown as Reference;
    assert.equal(sketch(parseTree(html)), sketchReference(reference));
  });
}

test('comments do not split the text around them', () => {
  assert.match(sketch(parseTree('<p>a<!-- c -->b</p>')), /p\("ab"\)/);
});

test('repeated html and body tags add missing attributes', () => {
  const tree = parseTree(PAGES['repeatedBody']);
  assert.equal(getAttribute(tree, 1, 'd'), '5');
  const body = tree.value.indexOf('body');
  assert.equal(getAttribute(tree, body, 'b'), '2');
  assert.equal(getAttribute(tree, body, 'c'), '3');
});

test('declarative shadow roots are part of the tree, other templates and the content of svg are not', () => {
  const tree = parseTree(
    '<x-card><template shadowrootmode="open"><p>in the shadow</p></template>slotted</x-card>' +
      '<template><p>not shown</p></template><svg><text>drawn</text></svg><p>after</p>',
  );
  assert.equal(getTextContent(tree, 0), 'in the shadowslottedafter');
});

test('words that a font draws as icons are no text, and pictures of emoji are their characters', () => {
  const read = (html: string): string => getTextContent(parseTree(html), 0);
  assert.equal(read('<p><i class="material-icons md-18">chevron_right</i>Go</p>'), 'Go');
  assert.equal(read('<td><span class="material-symbols-outlined"> check </span></td>'), '✓');
  assert.equal(read('<p><i class="material">chevron</i></p>'), 'chevron');
  assert.equal(read('<p>Yes <img alt="🎉" src="/e.png" class="emoji"><img alt="👍🏽" src="/f.png"></p>'), 'Yes 🎉👍🏽');
  for (const alt of ['™', '7', '🎉 party', '→']) {
    const tree = parseTree(`<p><img alt="${alt}" src="/e.png"></p>`);
    assert.ok(tree.tag.includes(TAG.img), alt);
  }
});

test('a hundred thousand nested elements are parsed', () => {
  const tree = parseTree(`${'<div>'.repeat(100_000)}deep`);
  assert.equal(tree.size, 100_005);
  assert.equal(tree.end[0], tree.size);
  assert.equal(getTextContent(tree, 0), 'deep');
});

// Checks: threat-expensive-page
test('unclosed formats are reopened a bounded number of times, and no text is lost', () => {
  const count = 3_000;
  const html = Array.from({ length: count }, (_, index) => `<font size=${index}>x<p>`).join('');
  const tree = parseTree(html);
  assert.ok(tree.size < 250_000, String(tree.size));
  assert.equal(getTextContent(tree, 0), 'x'.repeat(count));
});
