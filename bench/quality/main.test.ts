import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PageScore } from './score-page.ts';
import type { Summary } from './summarize-scores.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const run = promisify(execFile);
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'winnow-quality-'));
  await mkdir(join(folder, 'ground-truth'));
  await mkdir(join(folder, 'html'));
  await addPage('a', 'article', 'Spring comes late to the valley', 'Ann Lee');
  await addPage('b', 'category', 'Blue shoes and red shoes', null);
});
after(() => rm(folder, { recursive: true }));

test('scores a results file by page type and overall', async () => {
  const file = join(folder, 'results.jsonl');
  const result = {
    main_text: 'Spring comes late to the valley',
    title: 'Late spring',
    author: 'Ann Lee',
    publish_time: null,
  };
  await writeFile(
    file,
    `${JSON.stringify({ id: 'a', result })}\n${JSON.stringify({ id: 'b', error: { code: 'internal' } })}\n`,
  );

  const { stdout } = await run(process.execPath, [MAIN, folder, '--results', file, '--json']);
  const { summaries, pages }: { summaries: Summary[]; pages: PageScore[] } = JSON.parse(stdout);

  assert.deepEqual(
    summaries.map((summary) => [summary.type, summary.pages, summary.f1, summary.errors]),
    [
      ['article', 1, 1, 0],
      ['collection', 1, 0, 1],
      ['all', 2, 0.5, 1],
    ],
  );
  assert.equal(summaries[2]?.author, 1);
  assert.equal(summaries[2]?.noAuthor, 1);
  assert.equal(summaries[2]?.date, 0);
  assert.match(pages[1]?.error ?? '', /internal/);
});

test('scores are the same in this thread and on worker threads', async () => {
  const here = await run(process.execPath, [MAIN, folder, '--json']);
  const onWorkers = await run(process.execPath, [MAIN, folder, '--json', '--workers', '2']);
  assert.deepEqual(scoresOf(onWorkers.stdout), scoresOf(here.stdout));
  assert.equal(scoresOf(here.stdout)[0]?.error, undefined);
});

test('each of several folders gets its own report', async () => {
  const { stdout } = await run(process.execPath, [MAIN, folder, folder]);
  assert.equal(stdout.match(/^## winnow-quality-/gm)?.length, 2);
  assert.equal(stdout.match(/^\| all /gm)?.length, 2);
  const { sets }: { sets: { set: string; pages: PageScore[] }[] } = JSON.parse(
    (await run(process.execPath, [MAIN, folder, folder, '--json'])).stdout,
  );
  assert.deepEqual(
    sets.map((set) => set.pages.length),
    [2, 2],
  );
});

test('an unlabelled field is not scored as absent', async () => {
  const bare = await mkdtemp(join(tmpdir(), 'winnow-quality-'));
  try {
    await mkdir(join(bare, 'ground-truth'));
    await mkdir(join(bare, 'html'));
    await writeFile(
      join(bare, 'ground-truth', 'a.json'),
      JSON.stringify({ url: null, ground_truth: { author: null, main_content: 'text' } }),
    );
    await writeFile(join(bare, 'html', 'a.html'), '<title>A</title><p>text');
    const { stdout } = await run(process.execPath, [MAIN, bare, '--json']);
    const { summaries }: { summaries: Summary[] } = JSON.parse(stdout);
    assert.equal(summaries[0]?.noAuthor, 1);
    assert.equal(summaries[0]?.noDate, null);
    assert.equal(summaries[0]?.title, null);
  } finally {
    await rm(bare, { recursive: true });
  }
});

test('invalid arguments are refused with the reason', async () => {
  await assert.rejects(run(process.execPath, [MAIN]), /WCXB/);
  await assert.rejects(run(process.execPath, [MAIN, join(folder, 'html')]), /no folder "ground-truth"/);
  await assert.rejects(run(process.execPath, [MAIN, folder, '--limit', 'x']), /--limit must be a whole number/);
});

function scoresOf(json: string): PageScore[] {
  const { pages }: { pages: PageScore[] } = JSON.parse(json);
  return pages.map((page) => ({ ...page, milliseconds: 0 }));
}

async function addPage(id: string, type: string, text: string, author: string | null): Promise<void> {
  const truth = {
    url: `https://example.org/${id}`,
    _internal: { page_type: { primary: type } },
    ground_truth: {
      title: 'Late spring',
      author,
      publish_date: '2024-05-01',
      main_content: text,
      with: [],
      without: [],
    },
  };
  await writeFile(join(folder, 'ground-truth', `${id}.json`), JSON.stringify(truth));
  await writeFile(
    join(folder, 'html', `${id}.html`),
    `<!doctype html><title>Late spring</title><article><p>${text}</p></article>`,
  );
}
