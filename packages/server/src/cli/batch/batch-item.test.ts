import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFault, parseBatchLine } from './batch-item.ts';

const GOOD = [
  [
    '{"id":"a","url":" http://x.example/\\n","html":"<p>"}',
    { id: 'a', url: 'http://x.example/', source: { html: '<p>' } },
  ],
  ['{"id":7,"html_file":"a.html","more":[1]}', { id: 7, url: null, source: { htmlFile: 'a.html' } }],
  ['{"id":"","html":"","html_file":null,"url":null}', { id: '', url: null, source: { html: '' } }],
] as const;

for (const [line, expected] of GOOD) {
  test(`reads ${line}`, () => assert.deepEqual(parseBatchLine(line, 1, false), expected));
}

/** Input line → id in the output and message. */
const BAD = [
  ['{"id":"a",', null, /line 3: is not JSON/],
  ['[1]', null, /line 3: is not a JSON object/],
  ['{"html":"<p>"}', null, /line 3: id/],
  ['{"id":{},"html":"<p>"}', null, /line 3: id/],
  ['{"id":"a","url":5,"html":"<p>"}', 'a', /url: must be a string/],
  ['{"id":"a","html":5}', 'a', /html: must be a string/],
  ['{"id":"a","html_file":""}', 'a', /html_file: must be the name/],
  ['{"id":"a","html":"","html_file":"b"}', 'a', /only one of the two/],
  ['{"id":"a","url":"http://x.example/"}', 'a', /neither html nor html_file \(with --engine/],
] as const;

for (const [line, id, message] of BAD) {
  test(`refuses ${line}`, () => {
    const fault = parseBatchLine(line, 3, false);
    assert.ok(isFault(fault));
    assert.equal(fault.id, id);
    assert.equal(fault.error.code, 'invalid_request');
    assert.match(fault.error.message, message);
  });
}

test('a line with only a URL is fetched if fetching is on', () => {
  const line = '{"id":"a","url":"http://x.example/"}';
  assert.deepEqual(parseBatchLine(line, 1, true), {
    id: 'a',
    url: 'http://x.example/',
    source: { fetch: 'http://x.example/' },
  });
  assert.ok(isFault(parseBatchLine('{"id":"a"}', 1, true)));
});
