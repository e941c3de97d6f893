/**
 * Builds the package `@winnow/service`, which runs without a clone: `dist/` has the service as JavaScript, the built console, and
 * the dependencies of all parts in its manifest. It keeps the repository's folders, so that relative paths stay valid.
 */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const FOLDER = path.join(import.meta.dirname, '..');
const ROOT = path.join(FOLDER, '../..');
const DIST = path.join(FOLDER, 'dist');
const PARTS = ['contract', 'extract', 'server'] as const;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const builtConsole = path.join(ROOT, 'packages/console/dist');
if (!existsSync(builtConsole))
  throw new Error('the console is not built: run `npm run build -w packages/console` first');

const manifests = new Map(PARTS.map((part) => [part, readManifest(`packages/${part}`)]));
/** Source files by import name, such as `@winnow/contract`. */
const sources = new Map(
  [...manifests].flatMap(([part, { name, exports = {} }]) =>
    Object.entries(exports).map(([key, file]) => [path.posix.join(name, key), path.join(ROOT, 'packages', part, file)]),
  ),
);

rmSync(DIST, { recursive: true, force: true });
for (const part of PARTS) {
  for (const file of globSync(`packages/${part}/src/**/*.ts`, { cwd: ROOT })) if (!isLeftOut(file)) compile(file);
  // Data that the sources import.
  for (const file of globSync(`packages/${part}/src/**/*.json`, { cwd: ROOT }))
    if (!isLeftOut(file)) cpSync(path.join(ROOT, file), path.join(DIST, file));
}
cpSync(builtConsole, path.join(DIST, 'packages/console/dist'), { recursive: true });
cpSync(path.join(FOLDER, 'bin'), path.join(DIST, 'bin'), { recursive: true });
for (const file of [path.join(FOLDER, 'README.md'), path.join(ROOT, 'LICENSE')])
  cpSync(file, path.join(DIST, path.basename(file)));
writeManifests();

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}

function isLeftOut(file: string): boolean {
  return /\.(?:test|d)\.ts$/.test(file) || file.split(path.sep).includes('testing');
}

function compile(file: string): void {
  const { outputText } = ts.transpileModule(readFileSync(path.join(ROOT, file), 'utf8'), {
    fileName: file,
    compilerOptions: {
      // As the sources run: of lowered `using` the compiler forgets to rewrite dynamic imports.
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      removeComments: true,
    },
  });
  const target = path.join(DIST, toJavaScript(file));
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, withRelativeNames(outputText, path.join(ROOT, path.dirname(file))));
}

/** Rewrites imports of other parts, and the files of threads, to paths in the package. */
function withRelativeNames(text: string, folder: string): string {
  return text
    .replaceAll(/(['"])(@winnow\/[\w/-]+)\1/g, (_found, quote: string, name: string) => {
      const source = sources.get(name);
      if (source === undefined) throw new Error(`no part of the package exports ${name}`);
      const relative = path.relative(folder, toJavaScript(source)).replaceAll(path.sep, '/');
      return `${quote}${relative.startsWith('.') ? relative : `./${relative}`}${quote}`;
    })
    .replaceAll(/new URL\((['"])(\.[^'"]+)\.ts\1/g, 'new URL($1$2.js$1');
}

function toJavaScript(file: string): string {
  return file.replace(/\.ts$/, '.js');
}

function writeManifests(): void {
  const { private: _, scripts: __, ...manifest } = readManifest('packages/launcher');
  const dependencies = Object.assign({}, ...[...manifests.values()].map((part) => part.dependencies)) as Record<
    string,
    string
  >;
  const foreign = Object.entries(dependencies).filter(([name]) => !name.startsWith('@winnow/'));
  write('package.json', {
    ...manifest,
    bin: { winnow: 'bin/winnow.mjs' },
    // Only here: in the repository the set-up runs with older versions.
    engines: { node: '>=24' },
    dependencies: Object.fromEntries(foreign.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  });
  // The program reads its version here.
  const { name, version } = manifests.get('server')!;
  write('packages/server/package.json', { name, version, private: true, type: 'module' });
}

function write(file: string, content: object): void {
  writeFileSync(path.join(DIST, file), `${JSON.stringify(content, null, 2)}\n`);
}
