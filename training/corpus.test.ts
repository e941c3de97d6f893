import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { listPages, readHtml } from './corpus.ts';

const SETS = JSON.parse(await readFile(new URL('sets.json', import.meta.url), 'utf8')) as Record<
  string,
  { relabels?: string; reduced?: boolean }
>;
const TRUTH = {
  url: 'https://example.org/a',
  _internal: { page_type: { primary: 'article' } },
  ground_truth: { main_content: 'Spring comes late', ingredients: ['2 eggs'], steps: ['Beat the eggs.'] },
};
const folders: string[] = [];
let data = '';

/** All sets, with one page each. */
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'winnow-corpus-'));
  folders.push(data);
  for (const [set, { relabels }] of Object.entries(SETS)) {
    await mkdir(join(data, set, 'ground-truth'), { recursive: true });
    await writeTruth(set, TRUTH);
    if (relabels !== undefined) continue;
    await mkdir(join(data, set, 'html'));
    await writeFile(join(data, set, 'html', 'a.html.gz'), gzipSync(`<p>${set}</p>`));
  }
});
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

function writeTruth(set: string, truth: unknown): Promise<void> {
  return writeFile(join(data, set, 'ground-truth', 'a.json'), JSON.stringify(truth));
}

test('lists the pages of all sets, relabelled pages once', () => {
  const pages = listPages(data);
  const own = Object.keys(SETS).filter((set) => SETS[set]?.relabels === undefined);
  assert.deepEqual(
    pages.map(({ key }) => key),
    own.flatMap((set) => [`${set}/a`, ...(SETS[set]?.reduced === true ? [`${set}/a~small`] : [])]),
  );
  assert.equal(readHtml(pages.find(({ key }) => key === `${own[1]}/a`)!), `<p>${own[1]}</p>`);
});

test('a ground-truth file with a missing field stops with its name', async () => {
  const { url: _url, ...nameless } = TRUTH;
  for (const [truth, field] of [
    [nameless, 'url'],
    [{ ...TRUTH, _internal: {} }, '_internal.page_type.primary'],
    [{ ...TRUTH, ground_truth: { title: 'Spring' } }, 'ground_truth.main_content'],
  ] as const) {
    await writeTruth('news', truth);
    assert.throws(
      () => listPages(data),
      new RegExp(`news/ground-truth/a\\.json: no field ${field.replaceAll('.', '\\.')}`),
    );
  }
  await writeTruth('recipes', {
    ...TRUTH,
    ground_truth: { ...TRUTH.ground_truth, main_content: null, steps: 'Beat.' },
  });
  await writeTruth('news', TRUTH);
  assert.throws(() => listPages(data), /recipes\/ground-truth\/a\.json: no field ground_truth\.steps/);
  await writeFile(join(data, 'news', 'ground-truth', 'a.json'), '{');
  assert.throws(() => listPages(data), /news\/ground-truth\/a\.json: not JSON/);
});

test('a set of which only parts are known needs no full text', async () => {
  await writeTruth('recipes', { ...TRUTH, ground_truth: { ...TRUTH.ground_truth, main_content: null } });
  assert.ok(listPages(data).some(({ key }) => key === 'recipes/a'));
});

test('a set or a page without HTML stops with its name', async () => {
  await rm(join(data, 'blogs', 'html', 'a.html.gz'));
  assert.throws(() => listPages(data), /blogs\/html\/a\.html\.gz: missing/);
  await rm(join(data, 'blogs', 'html'), { recursive: true });
  assert.throws(() => listPages(data), /blogs\/html: missing, so set blogs has no HTML/);
  await rm(join(data, 'blogs'), { recursive: true });
  assert.throws(() => listPages(data), /blogs\/ground-truth: missing/);
});
