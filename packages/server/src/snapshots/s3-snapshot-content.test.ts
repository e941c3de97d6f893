import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { S3SnapshotContent } from './s3-snapshot-content.ts';
import { startTestS3 } from './testing/test-s3.ts';
import type { TestS3 } from './testing/test-s3.ts';

const HTML = `<p>${'snapshot '.repeat(2000)}</p>`;
let s3: TestS3;
let content: S3SnapshotContent;

before(async () => {
  s3 = await startTestS3();
});
after(() => s3.stop());
beforeEach(() => {
  content = new S3SnapshotContent({ ...s3.createOptions(), partBytes: 5 * 1024 * 1024 });
  s3.requests.length = 0;
  s3.faults.length = 0;
});

/** For tests with silence only: on a busy machine a real answer may take longer. */
function openWithShortTimeout(): S3SnapshotContent {
  return new S3SnapshotContent({ ...s3.createOptions(), requestTimeoutMs: 1000 });
}

test('existing content is not uploaded again', async () => {
  await content.put(HTML);
  await content.put(HTML);
  const methods = s3.requests.map((line) => line.split(' ', 1)[0]);
  assert.deepEqual(methods, ['PUT', 'PUT', 'HEAD'], 'the condition rejects the second PUT');
});

test('writes and reads retry after 503 SlowDown and after silence', async () => {
  const hasty = openWithShortTimeout();
  s3.faults.push('slow-down', 'silence', 'slow-down');
  const { hash } = await hasty.put(HTML);
  assert.equal(s3.faults.length, 0);
  s3.faults.push('slow-down', 'silence');
  assert.equal(await hasty.get(hash), HTML);
  assert.equal(s3.faults.length, 0);
});

test('a put with a lost response is acknowledged once the object is known to exist', async () => {
  s3.faults.push('lost-answer');
  const { hash } = await content.put(HTML);
  assert.equal(await content.get(hash), HTML);
});

test('a truncated or damaged response is read again', async () => {
  const { hash } = await content.put(HTML);
  s3.faults.push('torn-response', 'damaged', 'torn-response');
  assert.equal(await content.get(hash), HTML);
  assert.equal(s3.faults.length, 0);
});

test('a put to a silent service ends with a timeout error', async () => {
  s3.faults.push(...Array.from({ length: 5 }, () => 'silence' as const));
  await assert.rejects(openWithShortTimeout().put('<p>never</p>'), /time/i);
});

test('large content is uploaded in parts and read back whole', async () => {
  const html = randomBytes(6 * 1024 * 1024).toString('hex');
  const { hash, storedBytes } = await content.put(html);
  assert.ok(storedBytes > 5 * 1024 * 1024);
  assert.ok(s3.requests.some((line) => line.includes('partNumber=2')));
  assert.equal(await content.get(hash), html);
});

// Checks: threat-revealing-message
test('a check reports why the bucket does not answer', async () => {
  const absent = new S3SnapshotContent({ ...s3.createOptions(), bucket: 'absent' });
  await assert.rejects(absent.check(), /the bucket absent does not answer.*404/);
  absent.close();
  const away = new S3SnapshotContent({ ...s3.createOptions(), endpoint: 'http://127.0.0.1:9' });
  await assert.rejects(away.check(), {
    message: `the bucket ${s3.createOptions().bucket} does not answer: ECONNREFUSED`,
  });
  away.close();
});
