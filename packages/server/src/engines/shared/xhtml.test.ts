import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHtmlSyntax } from './xhtml.ts';

void test('self-closing elements get an end tag unless they are void', async () => {
  const cases = [
    ['<script src="a.js"/><p>text</p>', '<script src="a.js"></script><p>text</p>'],
    ['<a id="top" /><div class="clear"/>', '<a id="top" ></a><div class="clear"></div>'],
    ['<br/><img src="a/"/><hr /><p title="a > b/>"/>', '<br/><img src="a/"/><hr /><p title="a > b/>"></p>'],
    ['<svg><path d="M0 0"/></svg>', '<svg><path d="M0 0"></path></svg>'],
    ['<?xml version="1.0"?><!-- <p/> --><p>a</p>', '<?xml version="1.0"?><!-- <p/> --><p>a</p>'],
  ] as const;
  for (const [xhtml, html] of cases) assert.equal(await toHtmlSyntax(xhtml), html);
});

void test('CDATA sections become text, except in scripts', async () => {
  assert.equal(await toHtmlSyntax('<p><![CDATA[a < b & <i/>]]></p>'), '<p>a &lt; b &amp; &lt;i/&gt;</p>');
  const script = '<script>//<![CDATA[\nif (a < b) document.write("<p/>");\n//]]></script><b/>';
  assert.equal(await toHtmlSyntax(script), script.replace('<b/>', '<b></b>'));
});

void test('unterminated markup is left alone, in linear time', { timeout: 20_000 }, async () => {
  for (const part of ['<', '<!--', '<![CDATA[', '<p a="', '<p/', '<a/><!--']) {
    const text = part.repeat(200_000);
    assert.ok((await toHtmlSyntax(text)).endsWith(part), part);
  }
});

// Checks: threat-expensive-page
void test('a long document leaves turns of the event loop to others', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    pending = setImmediate(count);
  };
  let pending = setImmediate(count);
  const html = await toHtmlSyntax('<a/>'.repeat(200_000));
  clearImmediate(pending);
  assert.equal(html, '<a></a>'.repeat(200_000));
  assert.ok(turns >= 9, `${turns} turns`);
});
