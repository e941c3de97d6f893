import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARTICLE, document } from '../../../../../test/site/route.ts';
import type { Capture } from '../../domain/ports.ts';
import { createShellJudge } from './shell-judge.ts';

const isSufficient = async (body: string, more: Partial<Capture> = {}): Promise<boolean> => {
  const capture = { engine: 'http', finalUrl: 'https://example.com/news?a=1&b=2', html: document(body), ...more };
  const budget = { timeoutMs: 1000, signal: new AbortController().signal };
  return (await createShellJudge().judge(capture as Capture, budget)).sufficient;
};

const meta = (content: string): string => `<meta http-equiv="refresh" content="${content}">`;

void test('pages that lead on soon are left, however they say it and whatever else they say', async () => {
  for (const html of [
    meta('0; url=/real'),
    '<meta content="0; url=/real" http-equiv=refresh>',
    '<META HTTP-EQUIV=Refresh CONTENT=0;/real>',
    meta('0; /real'),
    meta('0,/real'),
    meta('0 /real'),
    meta('.5; URL = &quot;/real&quot;'),
    meta("5;url='https://example.org/'"),
    meta('1; url=?a=1&amp;b=3'),
    `<script>'</scrip'</script><!-- > -->${meta('0; /real')}`,
  ]) {
    assert.equal(await isSufficient(html), false, html);
    assert.equal(await isSufficient(html + ARTICLE), false, `${html}, with text`);
  }
  assert.equal(await isSufficient(ARTICLE, { refresh: '0; url=/real' }), false, 'the header');
  assert.equal(await isSufficient('<h1>Please wait</h1>', { refresh: '20; url=/real' }), false, 'late, without text');
});

void test('pages that load themselves anew, or lead on when they have been read, are pages', async () => {
  for (const content of [
    '300',
    '0',
    '5;',
    '5; url=',
    '3; url=?a=1&amp;b=2#top',
    '3; https://example.com/news?a=1&b=2',
    '30; url=/real',
    '0; url=app://open',
    'soon; url=/real',
    '; url=/real',
  ])
    assert.ok(await isSufficient(meta(content) + ARTICLE), content);
  for (const refresh of ['300', '20; url=/real']) assert.ok(await isSufficient(ARTICLE, { refresh }), refresh);
  for (const html of [
    `<noscript>${meta('0; url=/without-scripts')}</noscript>`,
    `<!-- ${meta('0; url=/old')} -->`,
    `<script>document.write('${meta('0; url=/written')}')</script>`,
    `<textarea>${meta('0; url=/example')}</textarea>`,
    '<meta name="refresh" content="0; url=/real">',
  ])
    assert.ok(await isSufficient(html + ARTICLE), html);
  assert.ok(await isSufficient(meta('0; url=/real') + ARTICLE, { engine: 'vendor_lite' }), 'where a browser stayed');
});
