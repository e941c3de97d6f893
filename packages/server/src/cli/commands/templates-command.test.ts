import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { makeTestPage } from '../../domain/templates/testing/test-site.ts';
import { runCli } from '../run-cli.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-templates-cli-'));
});
after(() => rm(folder, { recursive: true }));

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(...args: string[]): Promise<Run> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const collected = Promise.all([text(stdout), text(stderr)]);
  const environment = { WINNOW_DATA_DIR: path.join(folder, 'data') };
  const io = { stdin: new PassThrough().end(), stdout, stderr, environment, signal: new AbortController().signal };
  const code = await runCli(['templates', ...args], io, '0.0.0');
  stdout.end();
  stderr.end();
  const [out, err] = await collected;
  return { code, out, err };
}

test('rules are imported, tested, activated, listed, exported, imported again, rolled back and retired', async () => {
  const rules = path.join(folder, 'rules');
  await mkdir(rules);
  await writeFile(
    path.join(rules, 'news.example.com.txt'),
    'title: //h1\nbody: //div[@class="story-text"]\nstrip_id_or_class: story-related\nprune: no\n',
  );
  await writeFile(path.join(rules, 'bad.example.com.txt'), '# comment\nbody: //div[[\n');
  const imported = await run('import-ftr', rules);
  assert.equal(imported.code, 0);
  assert.match(imported.err, /^bad\.example\.com\.txt:2: content\.include\[0\]\.xpath: /);
  assert.match(imported.out, /^1 of 2 files taken; 1 directives/);

  const [listed] = JSON.parse((await run('list', '--json')).out) as { id: string; state: string }[];
  assert.equal(listed?.state, 'candidate');
  const id = listed?.id ?? '';
  const page = makeTestPage(3);
  const file = path.join(folder, 'page.html');
  await writeFile(file, page.html);
  const tested = await run('test', id, file, '--url', page.url);
  assert.equal(tested.code, 0, tested.err);
  assert.match(tested.out, /page\.html: holds/);
  assert.match(tested.out, /title +=/);

  assert.equal((await run('activate', id)).out, `${id}:v1 is active\n`);
  const copy = path.join(folder, 'copy.json');
  await run('export', id, '--output', copy);
  assert.equal((JSON.parse(await readFile(copy, 'utf8')) as { id: string }).id, id);
  assert.equal((await run('import', copy, '--activate')).out, `${id}:v2\n`);
  assert.equal((await run('rollback', id)).out, `${id}:v1 is active\n`);
  const shown = JSON.parse((await run('show', id)).out) as { versions: { state: string }[] };
  assert.deepEqual(
    shown.versions.map((one) => one.state),
    ['retired', 'active'],
  );
  assert.equal((await run('retire', id)).out, `${id}:v1 is retired\n`);
});

test('errors name the file, field or template', async () => {
  const file = path.join(folder, 'bad.json');
  await writeFile(file, '{"format":1}');
  const refused = await run('import', file);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /hosts: is required/);
  const unknown = await run('show', 'tpl_0');
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /there is no template tpl_0/);
  assert.match((await run('import', path.join(folder, 'none.json'))).err, /no such file: /);
  assert.match((await run('import-ftr', path.join(folder, 'none'))).err, /cannot be read/);
});
