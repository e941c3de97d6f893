import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeSignature, getSignatureDistance } from './signature.ts';

const ARTICLE =
  '<!doctype html><html><head><title>A</title></head><body><header><nav><ul><li><a href="/">x</a></ul></nav></header><main><article><h1>t</h1><p>one<p>two</article><aside><ul><li>x</ul></aside></main><footer><p>z</footer></body></html>';
const FORM =
  '<html><body><form><fieldset><table><tr><td><input><select><option>1</select></td></tr></table></fieldset></form></body></html>';

function distance(a: string, b: string): number {
  return getSignatureDistance(computeSignature(a), computeSignature(b));
}

test('text, attributes, inline markup and repeats do not change a signature', () => {
  assert.equal(
    distance(ARTICLE, ARTICLE.replace('one', 'quite <b>another</b> text').replace('<article>', '<article class="x">')),
    0,
  );
  assert.equal(distance(ARTICLE, ARTICLE.replace('<p>two', '<p>two<p>three<p>four')), 0);
});

test('the distance grows with the changed share of the structure', () => {
  const wrapped = distance(
    ARTICLE,
    ARTICLE.replace('<article>', '<div><article>').replace('</article>', '</article></div>'),
  );
  assert.ok(wrapped > 0 && wrapped < 0.6, String(wrapped));
  assert.ok(distance(ARTICLE, FORM) > 0.8);
});

test('scripts, comments and unusual markup do not change a signature', () => {
  const scripted = ARTICLE.replace(
    '<h1>',
    '<script>if (a<b) document.write("<table><tr>")</script><!-- <form> --><h1 title="a > b">',
  );
  assert.ok(distance(ARTICLE, scripted) < 0.15);
  for (const html of [
    '',
    '<',
    '<a',
    '</',
    '<!--',
    '<div',
    '<p title="',
    '<'.repeat(100_000),
    '<script>',
    '\u0000<\ud800>',
  ]) {
    assert.equal(computeSignature(html).length, 64);
  }
});

test('a megabyte of repeated markup has the signature of a few repeats', () => {
  const part = '<div><section><p>x</p></section></div>';
  assert.equal(distance(part.repeat(30_000), part.repeat(3)), 0);
});
