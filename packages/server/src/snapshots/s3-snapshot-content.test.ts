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
  content = new S3SnapshotContent({ ...s3.createOptions(), requestTimeoutMs: 400, partBytes: 5 * 1024 * 1024 });
  s3.requests.length = 0;
  s3.faults.length = 0;
});

test('content that is there is not sent again', async () => {
  await content.put(HTML);
  await content.put(HTML);
  const methods = s3.requests.map((line) => line.split(' ', 1)[0]);
  assert.deepEqual(methods, ['PUT', 'PUT', 'HEAD'], 'the second PUT is refused by its condition');
});

test('503 SlowDown and silence are waited out, for writing and for reading', async () => {
  s3.faults.push('slow-down', 'silence', 'slow-down');
  const { hash } = await content.put(HTML);
  assert.equal(s3.faults.length, 0);
  s3.faults.push('slow-down', 'silence');
  assert.equal(await content.get(hash), HTML);
  assert.equal(s3.faults.length, 0);
});

test('a put whose answer is lost is acknowledged once it is known to be there', async () => {
  s3.faults.push('lost-answer');
  const { hash } = await content.put(HTML);
  assert.equal(await content.get(hash), HTML);
});

test('a torn or damaged answer is read again, not returned', async () => {
  const { hash } = await content.put(HTML);
  s3.faults.push('torn-response', 'damaged', 'torn-response');
  assert.equal(await content.get(hash), HTML);
  assert.equal(s3.faults.length, 0);
});

test('a service that stays silent is an error within bounds', async () => {
  s3.faults.push(...Array.from({ length: 5 }, () => 'silence' as const));
  await assert.rejects(content.put('<p>never</p>'), /time/i);
});

test('large content goes up in parts, and comes back whole', async () => {
  const html = randomBytes(6 * 1024 * 1024).toString('hex');
  const { hash, storedBytes } = await content.put(html);
  assert.ok(storedBytes > 5 * 1024 * 1024);
  assert.ok(s3.requests.some((line) => line.includes('partNumber=2')));
  assert.equal(await content.get(hash), html);
});

test('a check says what is wrong with the bucket', async () => {
  const absent = new S3SnapshotContent({ ...s3.createOptions(), bucket: 'absent' });
  await assert.rejects(absent.check(), /the bucket absent does not answer.*404/);
  absent.close();
  const away = new S3SnapshotContent({ ...s3.createOptions(), endpoint: 'http://127.0.0.1:9' });
  await assert.rejects(away.check(), {
    message: `the bucket ${s3.createOptions().bucket} does not answer: ECONNREFUSED`,
  });
  away.close();
});
