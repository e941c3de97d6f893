import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Outcome } from './measure-hosts.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const EXTRACT = fileURLToPath(new URL('../../packages/extract/src/', import.meta.url));
const TOPICS = ['harvest', 'cellar', 'vintage', 'barrel'];
const PROMISE =
  'Every bottle we sell is packed by hand in our cellar, and if one breaks on its way to you, we send another one at once and ask no questions.';
const run = promisify(execFile);
let folder = '';

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'winnow-sites-bench-'));
  await mkdir(join(folder, 'wine', 'ground-truth'), { recursive: true });
  await mkdir(join(folder, 'wine', 'html'));
  for (const topic of TOPICS) {
    const parts = Array.from(
      { length: 4 },
      (_, part) =>
        `Part ${part} of the story of the ${topic} tells how the people of the valley worked through the long summer, and what they learned.`,
    );
    const record = {
      url: `https://wine.example/${topic}`,
      _internal: { page_type: { primary: 'article' } },
      ground_truth: { main_content: parts.join('\n'), title: topic },
    };
    const html = `<title>${topic}</title><main>${parts.map((part) => `<p>${part}</p>`).join('')}<p class=promise>${PROMISE}</p></main>`;
    await writeFile(join(folder, 'wine', 'ground-truth', `${topic}.json`), JSON.stringify(record));
    await writeFile(join(folder, 'wine', 'html', `${topic}.html`), html);
  }
  await copyFile(join(EXTRACT, 'content/model/model-data.ts'), join(folder, '0.ts'));
  await copyFile(join(EXTRACT, 'sites/evidence-weights.ts'), join(folder, '0-evidence.ts'));
  await writeFile(join(folder, 'folds.json'), JSON.stringify({ 'wine/harvest': 0 }));
});
after(() => rm(folder, { recursive: true }));

test('measures each page with other pages of its host', async () => {
  const { stdout } = await run(process.execPath, [
    MAIN,
    folder,
    folder,
    '--sets',
    'wine',
    '--others',
    '1,2,3',
    '--json',
  ]);
  const outcomes = JSON.parse(stdout) as Outcome[];
  for (const one of outcomes.filter(({ others }) => others === 1)) assert.equal(one.taught.f1, one.generic);
  assert.equal(outcomes.filter(({ others }) => others === 2).length, 4 * 3);
  assert.equal(outcomes.filter(({ others }) => others === 3).length, 4);
  for (const outcome of outcomes.filter(({ others }) => others === 3)) {
    for (const { f1, confidenceChanged, lost } of [outcome.evidence, outcome.taught]) {
      assert.ok(outcome.generic < 1 && f1 === 1, JSON.stringify(outcome));
      assert.ok(!confidenceChanged && lost === 0);
    }
  }
});

test('the report has a row for each type, all pages and the mean of sites', async () => {
  const { stdout } = await run(process.execPath, [MAIN, folder, folder, '--sets', 'wine', '--others', '3']);
  for (const row of ['article', 'all pages', 'mean of sites'])
    assert.match(stdout, new RegExp(`^\\| ${row} +\\| +\\d `, 'm'));
});
