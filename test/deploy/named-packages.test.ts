import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

const ROOT = path.join(import.meta.dirname, '..', '..');
const SOURCES = ['packages/*/src/**/*.{ts,tsx}', 'scripts/*.{ts,mjs}', '{test,bench,training}/**/*.ts'];

/** Calls and properties whose string is loaded at run time, unseen by compiler and bundler. */
const LOADING_CALLS =
  /^(?:import|require|require\.resolve|import\.meta\.resolve|createRequire\(.*\)|(?:\w+\.)?(?:transport|register|Worker|Piscina|fork))$/;
const LOADING_PROPERTIES = new Set(['target', 'transport', 'worker', 'loader', 'filename']);
const PACKAGE_NAME = /^(?:node:)?(?:@[a-z0-9-]+\/)?[a-z][a-z0-9._-]*(?:\/[\w./-]+)?$/;

interface NamedPackage {
  readonly place: string;
  readonly file: string;
  readonly name: string;
}

/** Returns the package names in strings of a file, outside import declarations. */
function findNamedPackages(file: string, text: string): NamedPackage[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: NamedPackage[] = [];
  const add = (node: ts.Node | undefined): void => {
    if (!node || !ts.isStringLiteralLike(node) || !PACKAGE_NAME.test(node.text)) return;
    const { line } = source.getLineAndCharacterOfPosition(node.pos);
    const name = node.text.split('/').slice(0, node.text.startsWith('@') ? 2 : 1);
    found.push({ place: `${file}:${line + 1}`, file, name: name.join('/') });
  };
  const visit = (node: ts.Node): void => {
    // Kinds of columns, by the names of fields.
    if (ts.isCallExpression(node) && node.expression.getText(source) === 'mapRows') return;
    if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && LOADING_CALLS.test(node.expression.getText(source)))
      add(node.arguments?.[0]);
    if (ts.isPropertyAssignment(node) && LOADING_PROPERTIES.has(node.name.getText(source))) add(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Returns the dependencies in the nearest package.json above a file. */
function dependenciesOf(file: string): Set<string> {
  const folder = /^packages\/[^/]+/.exec(file)?.[0] ?? '.';
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', Record<string, string> | undefined>;
  const isShipped = !/\.test\.ts$|\/testing\//.test(file) && folder !== '.';
  return new Set([...Object.keys(dependencies), ...(isShipped ? [] : Object.keys(devDependencies))]);
}

test('every package that a string names is a dependency', async () => {
  const missing: string[] = [];
  let files = 0;
  for await (const file of glob(SOURCES, {
    cwd: ROOT,
    exclude: (name) => /(?:^|\/)(?:node_modules|dist)$/.test(name),
  })) {
    files += 1;
    for (const { place, name } of findNamedPackages(file, readFileSync(path.join(ROOT, file), 'utf8')))
      if (!isBuiltin(name) && !dependenciesOf(file).has(name)) missing.push(`${place}: ${name}`);
  }
  assert.ok(files > 300, `${files} files`);
  assert.deepEqual(missing, []);
});

test('transports, plug-ins, workers and dynamic imports are found', () => {
  const text = `
    pino({ transport: { target: 'a-transport', options: {} } });
    pino.transport({ targets: [{ target: '@scope/b-transport/file.js' }] });
    await import('c-module');
    createRequire(import.meta.url)('d-module');
    import.meta.resolve('e-module/sub');
    new Piscina({ filename: 'f-module' });
    path.resolve('not-one'); Promise.resolve('nor-this');
    audit({ target: user.email });`;
  assert.deepEqual(
    findNamedPackages('x.ts', text).map(({ name }) => name),
    ['a-transport', '@scope/b-transport', 'c-module', 'd-module', 'e-module', 'f-module'],
  );
});
