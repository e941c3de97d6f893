import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeSrcdoc } from './write-srcdoc.ts';

void test('the document of a frame is escaped for its attribute', () => {
  assert.equal(writeSrcdoc('<p a="b">c &amp; d</p>', 100), ' srcdoc="<p a=&quot;b&quot;>c &amp;amp; d</p>"');
});

// Checks: threat-bomb
void test('the limit counts the escaped document', () => {
  for (const html of ['abc', '&&&', '"""', `a&"'<`]) {
    const attribute = writeSrcdoc(html, 100) ?? '';
    assert.equal(writeSrcdoc(html, attribute.length), attribute);
    assert.equal(writeSrcdoc(html, attribute.length - 1), undefined, html);
  }
});
