import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKAGE = path.join(import.meta.dirname, '..');
const MODULES = path.join(PACKAGE, '..', '..', 'node_modules');

const PROGRAM = `
import { extract } from '@winnow/extract';
import { scoreTemplate } from '@winnow/extract/matching';
import { applyTemplate } from '@winnow/extract/templates';
const page = extract('<title>Tides</title><p>Twice a day the sea comes in.', { formats: ['markdown'] });
console.log(page.title, typeof page.markdown, typeof scoreTemplate, typeof applyTemplate);
`;

const TYPED = `
import { extract } from '@winnow/extract';
import type { Extraction, ExtractOptions } from '@winnow/extract';
const options: ExtractOptions = { url: 'https://example.org/', formats: ['html'] };
export const page: Extraction = extract('<p>Twice a day', options);
export const title: string | null = page.title;
// @ts-expect-error there is no such format
export const wrong: ExtractOptions = { formats: ['pdf'] };
`;

const TSCONFIG = {
  compilerOptions: { module: 'nodenext', strict: true, noEmit: true, lib: ['es2024'], types: [] },
  include: ['typed.mts'],
};

test('the built package runs as JavaScript from node_modules, with its types and without tests', async (t) => {
  // Below the repository's node_modules, which has the dependencies of an installation.
  await mkdir(path.join(MODULES, '.cache'), { recursive: true });
  const folder = await mkdtemp(path.join(MODULES, '.cache', 'winnow-extract-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await run(process.execPath, ['scripts/build.ts'], { cwd: PACKAGE });
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder, './dist'], { cwd: PACKAGE });
  const [tarball] = JSON.parse(packed.stdout) as { filename: string; files: { path: string }[] }[];
  assert(tarball);
  const files = tarball.files.map((file) => file.path);
  assert(
    ['README.md', 'LICENSE', 'index.js', 'index.d.ts'].every((file) => files.includes(file)),
    files.join(),
  );
  assert(!files.some((file) => /\.test\.|(?<!\.d)\.ts$/.test(file)), files.join());

  await run('tar', ['-xzf', tarball.filename], { cwd: folder });
  await mkdir(path.join(folder, 'node_modules', '@winnow'), { recursive: true });
  await rename(path.join(folder, 'package'), path.join(folder, 'node_modules', '@winnow', 'extract'));
  await writeFile(path.join(folder, 'program.mjs'), PROGRAM);
  await writeFile(path.join(folder, 'typed.mts'), TYPED);
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder });
  assert.equal(stdout.trim(), 'Tides string function function');
  await run(process.execPath, [path.join(MODULES, 'typescript', 'bin', 'tsc'), '-p', folder]);
});
