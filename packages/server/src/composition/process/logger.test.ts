import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger, redactSecrets } from './logger.ts';

// Checks: threat-recorded-secrets
test('no log line contains credentials of a URL, wherever the URL is', () => {
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line: string) => void lines.push(line) });
  for (const url of [
    '/r/http://user:hunter2@a.example/page',
    '/r/http:/user:hunter2@a.example/page',
    '/r/http%3A%2F%2Fuser%3Ahunter2%40a.example/',
    'http://user:at@hunter2@a.example/page',
    '/v1/snapshots?api_key=hunter2&limit=3',
    '/r/https://a.example/?q=1&X-Amz-Signature=hunter2#top',
    'https://a.example/?access_token=hunter2',
  ]) {
    logger.info({ req: { url }, reason: `could not fetch ${url} in time`, err: new Error(url) }, `asked for ${url}`);
    logger.child({ url }).warn('child');
  }
  assert.equal(lines.length, 14);
  for (const line of lines) {
    assert.doesNotMatch(line, /hunter2/);
    assert.match(line, /\[secret\]/);
    JSON.parse(line);
  }
});

test('other text stays as it is', () => {
  for (const text of ['{"url":"https://a.example/a@b?q=1&page=2"}', 'mail a@b.example', '12:30:00 {"a":"x:y@z"}'])
    assert.equal(redactSecrets(text), text);
});

// Checks: threat-regular-expression
test('a long address that a stranger requests is redacted in linear time', () => {
  const start = process.threadCpuUsage();
  for (const mark of ['%3a%2f%2f', '://a', ':', '@', '%40']) {
    const address = mark.repeat(40_000);
    assert.match(redactSecrets(`https://user:word@host/?${address}@b`), /^https:\/\/\[secret\]@host\/\?/);
    redactSecrets(`${address} c@d`);
  }
  assert.ok(process.threadCpuUsage(start).user < 5_000_000);
});
