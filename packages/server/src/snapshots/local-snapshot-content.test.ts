/** Complements the contract tests: the file, its disk and other processes. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { randomBytes } from 'node:crypto';
import type { AppError } from '../domain/shared/errors.ts';
import { LocalSnapshotContent } from './local-snapshot-content.ts';
import { damageContentSchema } from './testing/change-content.ts';

let folder: string;
let content: LocalSnapshotContent;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-snapshots-'));
  content = new LocalSnapshotContent(path.join(folder, 'snapshots'));
  file = path.join(folder, 'snapshots', 'content.db');
});
afterEach(async () => {
  await content.close();
  await rm(folder, { recursive: true });
});

const putMany = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, index) => content.put(`<p>${index}</p>`)));

test('concurrent puts are stored together, each under its own address', async () => {
  const all = await putMany(200);
  assert.equal(new Set(all.map(({ hash }) => hash)).size, 200);
  for (const [index, { hash }] of all.entries()) assert.equal(await content.get(hash), `<p>${index}</p>`);
  const listed: string[] = [];
  for await (const hashes of content.listPutBefore(new Date(Date.now() + 1000))) listed.push(...hashes);
  assert.deepEqual(listed.toSorted(), all.map(({ hash }) => hash).toSorted());
});

test('a text too long to be grouped, or too long for the limit, is stored alone', async () => {
  const texts = [9, 9, 20, 1].map((millions, index) => String(index).repeat(millions * 1_000_000));
  const all = await Promise.all(texts.map((text) => content.put(text)));
  for (const [index, { hash, bytes }] of all.entries()) {
    assert.equal(bytes, texts[index]?.length);
    assert.ok((await content.get(hash)) === texts[index], `text ${index}`);
  }
});

// Checks: threat-large-requests
test('a read does not wait until a large text is stored', async () => {
  const { hash } = await content.put('<p>small</p>');
  await content.get(hash);
  const order: string[] = [];
  const stored = content.put(randomBytes(8_000_000).toString('hex')).then(() => order.push('stored'));
  // The thread has the text by then.
  for (let turns = 0; turns < 10; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  await content.get(hash).then(() => order.push('read'));
  await stored;
  assert.deepEqual(order, ['read', 'stored']);
});

// Checks: threat-other-users
test('the folder is private to its owner, whether created by a put or a check', async () => {
  await content.check();
  assert.equal((await stat(path.dirname(file))).mode & 0o777, 0o700);
  await rm(path.dirname(file), { recursive: true });
  await content.put('<p>private</p>');
  assert.equal((await stat(path.dirname(file))).mode & 0o777, 0o700);
});

test('a reader of another process sees acknowledged content and does not block writers', async () => {
  const { hash } = await content.put('<p>seen</p>');
  const other = new LocalSnapshotContent(path.join(folder, 'snapshots'));
  assert.equal(await other.get(hash), '<p>seen</p>');
  const later = await content.put('<p>later</p>');
  assert.equal(await other.get(later.hash), '<p>later</p>');
  await other.close();
});

test('removed content frees disk space', async () => {
  const pages = await Promise.all(
    Array.from({ length: 40 }, () => content.put(randomBytes(200_000).toString('base64'))),
  );
  const sizeOf = async (): Promise<number> => {
    await content.close();
    content = new LocalSnapshotContent(path.join(folder, 'snapshots'));
    return (await stat(file)).size;
  };
  const before = await sizeOf();
  for (const { hash } of pages.slice(1)) await content.delete(hash);
  const after = await sizeOf();
  assert.ok(after < before / 2, `${before} bytes, then ${after}`);
  assert.ok((await content.get(pages[0]?.hash ?? '')) !== undefined);
});

test('a removed folder is detected at once, and the next put creates it again', async () => {
  const { hash } = await content.put('<p>gone</p>');
  await rm(path.join(folder, 'snapshots'), { recursive: true });
  assert.equal(await content.get(hash), undefined);
  const again = await content.put('<p>again</p>');
  assert.equal(await content.get(again.hash), '<p>again</p>');
  assert.equal(await content.get(hash), undefined);
});

test('the check reports a damaged database until it is repaired', async () => {
  await content.put('<p>one</p>');
  await content.close();
  await writeFile(file, 'no database at all');
  content = new LocalSnapshotContent(path.join(folder, 'snapshots'));
  await assert.rejects(content.put('<p>two</p>'), /not a database/);
  await assert.rejects(content.check(), /not a database|damaged/);
  await rm(path.join(folder, 'snapshots'), { recursive: true });
  await content.put('<p>three</p>');
  await content.check();
});

test('a text that cannot be written fails alone, and the others of its group are stored', async () => {
  await content.put('<p>first</p>');
  const database = new DatabaseSync(file);
  database.exec(`CREATE TRIGGER refuse BEFORE INSERT ON contents WHEN length(NEW.packed) > 1000
    BEGIN SELECT RAISE(ABORT, 'too long for this test'); END`);
  database.close();
  const long = content.put(randomBytes(5000).toString('base64'));
  const [refused, ...others] = await Promise.allSettled([long, content.put('<p>a</p>'), content.put('<p>b</p>')]);
  assert.match(String((refused as PromiseRejectedResult).reason), /too long for this test/);
  assert.deepEqual([...new Set(others.map(({ status }) => status))], ['fulfilled']);
});

test('check creates the folder and reports when it is unusable', async () => {
  await content.check();
  await assert.doesNotReject(readdir(path.join(folder, 'snapshots')));
  await writeFile(path.join(folder, 'file'), '');
  await mkdir(path.join(folder, 'other'));
  await assert.rejects(new LocalSnapshotContent(path.join(folder, 'file', 'snapshots')).check());
});

// Checks: threat-locked-database
test('a lock of another process is waited out or reported to all callers; reads continue', async () => {
  const faults: AppError[] = [];
  const retrying = new LocalSnapshotContent(path.dirname(file), (fault) => faults.push(fault));
  const { hash } = await retrying.put('<p>before</p>');
  const other = new DatabaseSync(file);
  try {
    other.exec('begin immediate');
    const waiting = retrying.put('<p>waits</p>');
    assert.equal(await retrying.get(hash), '<p>before</p>');
    other.exec('rollback');
    assert.equal(await retrying.get((await waiting).hash), '<p>waits</p>');
    other.exec('begin immediate');
    const overloaded = { code: 'overloaded', stage: 'snapshot', retryAfterSeconds: 1 };
    const refused = ['1', '2', '3'].map((text) => assert.rejects(retrying.put(text), overloaded));
    assert.equal(await retrying.get(hash), '<p>before</p>');
    await Promise.all(refused);
    // All texts were handed to the thread together.
    assert.equal(faults.length, 1);
    other.exec('rollback');
    await retrying.put('<p>after</p>');
  } finally {
    other.close();
    await retrying.close();
  }
});

test('the check reports a database too damaged to be opened', async () => {
  await content.put('<p>kept</p>');
  await content.close();
  damageContentSchema(path.dirname(file));
  content = new LocalSnapshotContent(path.dirname(file));
  await assert.rejects(content.put('<p>refused</p>'), /malformed database schema/);
  await assert.rejects(content.check(), /the database file is damaged, restore a backup \(malformed database schema/);
});
