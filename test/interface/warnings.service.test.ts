import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { extractResponseSchema } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import { startRunning } from '../support/running-service.ts';
import type { Answer, Running } from '../support/running-service.ts';
import { WALL_PAGES } from './wall-pages.ts';

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

/** Captures a page over plain HTTP and extracts its snapshot; returns the capture's answer if that failed. */
async function extractPlainly(path: string): Promise<Answer> {
  const dump = await running.call('/v1/dom/dump', {
    url: running.pages.url + path,
    options: { engine_preference: 'http' },
  });
  if (dump.status !== 200) return dump;
  return running.call('/v1/extract', { extract: { dom_id: dump.body.dom_id } });
}

test('an ordinary page has an empty array of warnings', async () => {
  const { body } = await extractPlainly('/article');
  extractResponseSchema.strict().parse(body);
  assert.deepEqual(body.metadata.warnings, []);
});

for (const [index, { name, code }] of WALL_PAGES.entries()) {
  test(`the wall ${name} is reported as ${code}`, async () => {
    const { status, body } = await extractPlainly(`/wall/${index}`);
    if (code === 'fetch_blocked') {
      assert.equal(body.error.code, code);
      return;
    }
    // A shell without any text has no main content: its error names the probable kind.
    if (status === 422) assert.match(body.error.message, /shell of an application/);
    else assert.deepEqual([status, ...body.metadata.warnings.map((warning) => warning.code)], [200, code]);
  });
}

test('a block page is fetch_blocked, with its status only if that is not accepted', async () => {
  const refused = await extractPlainly('/challenge');
  assertRefused(refused, 'fetch_blocked', /block page/, 'fetch');
  assert.equal(refused.body.error.upstream_status_code, 403);
  const index = WALL_PAGES.findIndex(({ code }) => code === 'fetch_blocked');
  const passed = await extractPlainly(`/wall/${index}`);
  assertRefused(passed, 'fetch_blocked', /block page/, 'fetch');
  assert.equal('upstream_status_code' in passed.body.error, false);
});

test('a page without content is answered with its probable kind', async () => {
  const shell = await extractPlainly('/shell-without-text');
  assertRefused(shell, 'no_template_matched', /no main content found on the page: .*scripts have not run/, 'match');
  const empty = await extractPlainly('/empty');
  assertRefused(empty, 'no_template_matched', /no main content found on the page$/, 'match');
});
