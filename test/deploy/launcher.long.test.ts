import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '../..');
const LAUNCHER = path.join(ROOT, 'packages/launcher');

interface Manifest {
  readonly name: string;
  readonly bin: { readonly winnow: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

interface FirstLine {
  readonly url: string;
  readonly first_start: { readonly key_only_key: string; readonly sample_dom_id: string };
}

describe('the package of the service', () => {
  let folder: string;
  let files: readonly string[];
  let program: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'winnow-launcher-'));
    await run(process.execPath, ['scripts/build.ts'], { cwd: LAUNCHER });
    const packed = await run('npm', ['pack', '--json', '--pack-destination', folder, './dist'], { cwd: LAUNCHER });
    const [tarball] = JSON.parse(packed.stdout) as { filename: string; files: { path: string }[] }[];
    assert(tarball);
    files = tarball.files.map((file) => file.path);
    const installed = path.join(folder, 'node_modules/@winnow/service');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', path.join(folder, tarball.filename), '-C', installed, '--strip-components=1']);
    const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8')) as Manifest;
    assert.equal(manifest.name, '@winnow/service', 'the name winnow belongs to another project on npm');
    await linkDependencies(Object.keys(manifest.dependencies), path.join(folder, 'node_modules'));
    program = path.join(installed, manifest.bin.winnow);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('has the service as JavaScript, the console and the licence, and no tests', () => {
    for (const file of ['README.md', 'LICENSE', 'packages/console/dist/index.html'])
      assert.ok(files.includes(file), file);
    assert.deepEqual(
      files.filter((file) => /\.ts$|\.test\.|\/testing\//.test(file)),
      [],
    );
  });

  test('extracts a page without a clone', async () => {
    const page = path.join(folder, 'page.html');
    await writeFile(page, `<title>Tides</title><article>${'<p>Twice a day the sea comes in.</p>'.repeat(5)}</article>`);
    const { stdout } = await run(process.execPath, [program, 'extract', page, '--format', 'text'], { cwd: folder });
    assert.match(stdout, /Twice a day the sea comes in/);
  });

  test('starts without a clone, extracts its sample page, serves the console, and SIGTERM stops it', async () => {
    const service = spawn(process.execPath, [program, 'serve', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, WINNOW_PORT: '0', WINNOW_CHROMIUM: 'none', WINNOW_LOG_LEVEL: 'silent' },
    });
    const ended = once(service, 'exit');
    try {
      const failed = ended.then(([code]) => assert.fail(`it ended with ${code}`));
      const [line] = (await Promise.race([once(createInterface({ input: service.stdout }), 'line'), failed])) as [
        string,
      ];
      const { url, first_start: first } = JSON.parse(line) as FirstLine;
      const answer = await fetch(`${url}/v1/extract`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'text/markdown', 'X-API-Key': first.key_only_key },
        body: JSON.stringify({ extract: { dom_id: first.sample_dom_id } }),
      });
      assert.equal(answer.status, 200);
      assert.match(await answer.text(), /^# A harbour town keeps its market\n/);
      const page = await fetch(`${url}/console/`);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /<script/);
    } finally {
      service.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null]);
    assert.ok(existsSync(path.join(folder, '.winnow')), 'data is kept in the current folder');
  });
});

/** Links packages installed in the repository, instead of installing them from a registry. */
async function linkDependencies(names: readonly string[], target: string): Promise<void> {
  for (const name of names) {
    const places = ['packages/server/node_modules', 'packages/extract/node_modules', 'node_modules'];
    const source = places.map((place) => path.join(ROOT, place, name)).find((place) => existsSync(place));
    assert(source, `${name} is not installed`);
    await mkdir(path.dirname(path.join(target, name)), { recursive: true });
    await symlink(source, path.join(target, name));
  }
}
