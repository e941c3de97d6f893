import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { startEchoSite } from '../../../../../test/requests/echo-site.ts';
import type { EchoSite } from '../../../../../test/requests/echo-site.ts';
import { runCli } from '../run-cli.ts';

let site: EchoSite;
before(async () => {
  site = await startEchoSite(['127.0.0.1']);
});
after(() => site.close());

async function run(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const outputs = Promise.all([text(stdout), text(stderr)]);
  const environment = { WINNOW_EGRESS_ALLOW: '127.0.0.1', WINNOW_KEEP_WARM: '0s' };
  const signal = new AbortController().signal;
  const code = await runCli(args, { stdin: Readable.from([]), stdout, stderr, environment, signal }, '1.2.3');
  stdout.end();
  stderr.end();
  const [out, err] = await outputs;
  return { code, out, err };
}

const page = () => `http://127.0.0.1:${site.port}/page`;

for (const command of ['extract', 'dump']) {
  test(`${command}: capture flags apply to the request`, async () => {
    const flags = [
      '--header',
      'X-Team: harbour: old',
      '--cookie',
      'session=a=b',
      '--locale',
      'de-CH',
      '--device',
      'mobile',
    ];
    const { code, err } = await run([command, page(), '--engine', 'http', ...flags]);
    assert.equal(code, 0, err);
    const [request] = site.take();
    assert.equal(request?.headers['x-team'], 'harbour: old');
    assert.equal(request?.headers.cookie, 'session=a=b');
    assert.equal(request?.headers['accept-language'], 'de-CH,de;q=0.9');
    assert.match(request?.headers['user-agent'] ?? '', /Mobile Safari/);
  });

  test(`${command}: invalid flags are named, and nothing is fetched`, async () => {
    for (const [flags, message] of [
      [['--header', 'Host: a'], /options\.headers\.Host: must not be set/],
      [['--header', 'no colon'], /must be a name, ":" and a value/],
      [['--proxy', 'eu'], /options\.proxy: must be one of direct/],
      [['--wait-for', '500'], /options\.wait_for: needs a browser/],
      [['--scroll', '20,5'], /options\.scroll: needs a browser/],
      [['--scroll', 'far'], /options\.scroll\.max_steps/],
      [['--locale', 'german!'], /options\.locale: must be a language tag/],
    ] as const) {
      const { code, out, err } = await run([command, page(), '--engine', 'http', ...flags]);
      assert.notEqual(code, 0);
      assert.match(out + err, message);
    }
    assert.deepEqual(site.take(), []);
  });
}

test('extract and dump: --include-tags and --exclude-tags select elements', async () => {
  const dumped = await run(['dump', page(), '--engine', 'http', '--exclude-tags', 'article', 'script']);
  assert.equal(dumped.code, 0, dumped.err);
  assert.doesNotMatch(dumped.out, /fishermen|<script/);
  assert.match(dumped.out, /<title>The market by the harbour/);
  const extracted = await run(['extract', page(), '--engine', 'http', '--include-tags', 'h1', '--format', 'text']);
  assert.equal(extracted.out.trim(), 'The market by the harbour');
  site.take();
});

test('extract: capture flags are refused for a file', async () => {
  const { code, err } = await run(['extract', 'page.html', '--user-agent', 'x']);
  assert.equal(code, 2);
  assert.match(err, /--user-agent: page\.html is not fetched/);
});
