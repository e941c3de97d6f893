import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { writeGroups } from '../../scripts/test-groups.mjs';
import { findTests, LAYERS, sortByLayer } from '../../scripts/test-layers.mjs';

const ROOT = path.join(import.meta.dirname, '..', '..');

test('every test file of the repository belongs to exactly one layer', () => {
  const skipped = new Set(['node_modules', 'dist', '.git', '.winnow']);
  const files = globSync('**/*{.,_}{test,spec}.{ts,tsx,mts,js,mjs}', {
    cwd: ROOT,
    exclude: (name) => skipped.has(path.basename(name)),
  }).toSorted();
  const layers = findTests(ROOT);
  assert.deepEqual([...layers.keys()], ['unit', 'browser', 'service', 'postgres', 'long']);
  assert.deepEqual([...layers.values()].flat().toSorted(), files);
  for (const [layer, held] of layers) assert.ok(held.length > 0, layer);
});

/** Imports that start a service, browser or database, and the layers that may have them. */
const STARTERS: readonly (readonly [imports: RegExp, layers: readonly string[]])[] = [
  [/\/support\/(?:running-service|service-process)\.ts'/, ['service', 'browser', 'postgres', 'long']],
  [/\/(?:start-console|start-cluster|start-node)\.ts'/, ['service', 'browser', 'postgres', 'long']],
  [/^import .* from 'playwright-core';$/m, ['service', 'browser', 'long']],
  [/\/testing\/test-(?:databases|nodes|postgres)\.ts'/, ['postgres', 'long']],
];

test('the file name of a test says what it starts', () => {
  for (const [layer, files] of findTests(ROOT))
    for (const file of files) {
      const text = readFileSync(path.join(ROOT, file), 'utf8');
      for (const [imports, layers] of STARTERS)
        assert.ok(
          !imports.test(text) || layers.includes(layer),
          `${file} imports ${String(imports)}: name a layer of ${layers.join(', ')}`,
        );
    }
});

test('a test file outside all layers is reported with the allowed names', () => {
  assert.deepEqual(sortByLayer(['a/one.test.ts', 'b/two.service.test.ts']).get('service'), ['b/two.service.test.ts']);
  for (const name of ['a/one.slow.test.ts', 'a/One.test.ts', 'a/one.two.service.test.ts'])
    assert.throws(() => sortByLayer(['b/fine.test.ts', name]), {
      message: new RegExp(
        `^${name}: the name of a test ends in \\.test\\.ts \\(unit\\) or one of \\.browser\\.test\\.ts`,
      ),
    });
});

test('each layer has its own command, and an unknown name is refused', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const { name } of LAYERS) assert.match(scripts[`test:${name}`] ?? '', new RegExp(`/check\\.mjs ${name}$`));
  const { status, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'scripts', 'check.mjs'), 'units']);
  assert.equal(status, 2);
  assert.match(
    stderr.toString(),
    /^there is no check units; there are types, .*\btests, unit, browser, service, postgres, long\n$/,
  );
});

test('a test run ends with each failed file and how to run it alone, even if files share a process', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'winnow-reporter-'));
  try {
    const texts = {
      'good.test.mjs': "import { test } from 'node:test'; test('good', () => undefined);",
      'bad.test.mjs': "import { test } from 'node:test'; test('bad', () => { throw new Error('bad'); });",
      'broken.test.mjs': "throw new Error('broken');",
      'ended.test.mjs': 'process.exit(0);',
    };
    for (const [file, text] of Object.entries(texts)) writeFileSync(path.join(folder, file), text);
    const [ended, ...shared] = Object.keys(texts).toReversed() as [string, ...string[]];
    const layers = new Map([
      ['unit', shared],
      ['long', [ended]],
    ]);
    const groups = [...writeGroups(folder, layers, folder).values()].flat();
    const reporter = path.join(ROOT, 'scripts', 'report-test-files.mjs');
    const { NODE_TEST_CONTEXT: _context, ...environment } = process.env;
    const { stdout } = spawnSync(process.execPath, ['--test', `--test-reporter=${reporter}`, ...groups], {
      cwd: folder,
      env: environment,
    });
    const text = stdout.toString();
    const [slowest = '', failed = ''] = text.split('\nfailed test files, and how to run each alone:\n');
    assert.match(slowest, /^\nslowest test files:\n(?: +\d+\.\d s {2}\S+\n){4}$/);
    assert.match(slowest, / good\.test\.mjs\n/);
    assert.deepEqual(failed.split('\n'), [
      '  node_modules/.bin/node --test broken.test.mjs',
      '  node_modules/.bin/node --test bad.test.mjs',
      `  node_modules/.bin/node --test ${path.join(folder, '4-long-00.test.mjs')}`,
      '',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a run fails if a test that names a threat did not run although its file passed', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'winnow-reporter-'));
  try {
    const file = 'packages/extract/src/page/person-names.test.ts';
    const groups = [...writeGroups(ROOT, new Map([['unit', [file]]]), folder).values()].flat();
    const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const run = (...args: string[]) => {
      const reporter = `--test-reporter=${path.join(ROOT, 'scripts', 'report-test-files.mjs')}`;
      const { status, stdout } = spawnSync(process.execPath, ['--test', reporter, ...args, ...groups], {
        cwd: ROOT,
        env,
      });
      return { status, text: stdout.toString() };
    };
    assert.deepEqual(run().status, 0);
    const { status, text } = run('--test-skip-pattern=/titles after a name/');
    assert.equal(status, 1);
    assert.match(text, /\ntests that name a rule and did not run:\n/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
