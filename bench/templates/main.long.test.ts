import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTestPage } from '../../packages/server/src/domain/templates/testing/test-site.ts';
import type { PageRun } from './run-site.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const run = promisify(execFile);
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'winnow-templates-bench-'));
  await mkdir(join(folder, 'ground-truth'));
  await mkdir(join(folder, 'html'));
  for (let index = 0; index < 14; index++) {
    const { url, html, title, author, day, text } = makeTestPage(index);
    const truth = { title, author, publish_date: day, main_content: text, with: [], without: [] };
    const record = { url, _internal: { page_type: { primary: 'article' } }, ground_truth: truth };
    await writeFile(join(folder, 'ground-truth', `${index}.json`), JSON.stringify(record));
    await writeFile(join(folder, 'html', `${index}.html`), html);
  }
});
after(() => rm(folder, { recursive: true }));

test('a site gets a template after its first pages, and falls back when its markup changes', async () => {
  const { stdout } = await run(process.execPath, [MAIN, folder, '--sites', '1', '--pages', '12', '--json']);
  const { steady, changing } = JSON.parse(stdout) as { steady: PageRun[]; changing: PageRun[] };
  assert.equal(steady.length, 12);
  assert.equal(changing.length, 12);
  assert.ok(steady.slice(4).every((page) => page.templateId.startsWith('tpl_')));
  assert.ok(steady.slice(4).every((page) => page.served.title && page.served.author && page.served.date));
  assert.ok(changing.some((page) => page.changed && page.fallback !== undefined));
});

test('a run can be divided into parts with saved results', async () => {
  const saved = join(folder, 'saved');
  const plan = [MAIN, folder, '--sites', '2', '--pages', '6', '--no-change', '--save', saved];
  const first = await run(process.execPath, [...plan, '--to', '1']);
  assert.match(first.stdout, /sites active by the 5th page: 1 of 1/);
  const second = await run(process.execPath, [...plan, '--from', '2']);
  assert.match(second.stdout, /sites active by the 5th page: 2 of 2/);
  assert.deepEqual((await readdir(saved)).toSorted(), ['plan.json', 'site-1.example.json', 'site-2.example.json']);
  assert.equal((await run(process.execPath, plan)).stdout, second.stdout);
  await assert.rejects(run(process.execPath, [...plan, '--seed', '2']), /results of another plan/);
});

test('invalid arguments are refused with the reason', async () => {
  await assert.rejects(run(process.execPath, [MAIN]), /WCXB/);
  await assert.rejects(run(process.execPath, [MAIN, folder, '--pages', 'x']), /--pages must be a whole number/);
  await assert.rejects(run(process.execPath, [MAIN, folder, '--pages', '40']), /has only 14 pages/);
});
