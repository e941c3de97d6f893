import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { defaultTreeAdapter, parse, type DefaultTreeAdapterMap } from 'parse5';
import { RunParser } from './run-tokenizer.ts';

/** Complete and broken tokens of every kind, combined into pages. */
const PIECES = [
  ['<p', '<p>', '</p>', '<div', '<b>', '</b>', '<i>', '<a href="?a=1&b=2" rel=x>', '</a>', '<h1>', '</h1 >', '<x-y>'],
  [' class="a b"', " title='it\"s'", ' id=x', ' data-x', ' alt=""', ' CLASS="B"', ' é="ü"', ' a="&amp;c"', ' a=b&lt;'],
  [' class="c', " id='", ' =', '="', '>', '/>', '/', '<', '</', '"', "'", '`', '&', '&amp;', '&ampx', '&#32;', '&#0;'],
  [' ', '\n', '\t ', '\f', '\0', 'text', 'two words', ' led by a space', 'é', '漢字', '\ud83d\ude00', '\ud800', '\udc00'],
  ['<table>', '<tr>', '<td>', '<caption>', '<col>', '</table>', '<pre>', '<pre>\n', '<textarea>', '\n</textarea>'],
  ['<script>', '</script>', '<style>', '</style>', '<title>', '</title>', '<xmp>', '</xmp>', '<plaintext>', '<!--', '-->'],
  ['<svg>', '</svg>', '<math>', '<mi>', '<desc>', '<![CDATA[', ']]>', '<?x', '<!doctype html>', '<!x', '<image>', '<br>'],
  ['<html a=1>', '<head>', '</head>', '<body>', '</body>', '</html>', '<frameset>', '<frame>', '</frameset>', '<noframes>'],
  ['<select>', '<option>', '</select>', '<template>', '</template>', '<noscript>', '</noscript>', '<li>', '<form>', '<DIV>'],
].flat(); // prettier-ignore

type Node = DefaultTreeAdapterMap['node'];

/** Serialises a tree without recursion, since pages nest deeply. */
function sketch(root: Node): string {
  const parts: string[] = [];
  const open: (Node | string)[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node === 'string') {
      parts.push(node);
      continue;
    }
    const { attrs, value, data } = node as { attrs?: unknown; value?: string; data?: string };
    parts.push(`${node.nodeName} ${JSON.stringify([attrs, value, data])} (`);
    open.push(')');
    if ('content' in node) open.push(node.content);
    if ('childNodes' in node) open.push(...node.childNodes.toReversed());
  }
  return parts.join('');
}

test('the tree equals the one that parse5 builds character by character', () => {
  const options = { scriptingEnabled: false, treeAdapter: defaultTreeAdapter };
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 40, size: 'max' }), (pieces) => {
      const html = pieces.join('');
      const document = new RunParser<DefaultTreeAdapterMap>(options).run(html);
      assert.equal(sketch(document), sketch(parse(html, options)));
    }),
    { numRuns: 2000 },
  );
});
