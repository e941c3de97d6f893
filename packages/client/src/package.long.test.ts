import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKAGE = dirname(dirname(fileURLToPath(import.meta.url)));
const TSC = join(PACKAGE, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');

const PROGRAM = `
import { WinnowApiError, WinnowClient, paginate } from '@winnow/client';
const client = new WinnowClient({ baseUrl: process.argv[2], apiKey: 'wk_x' });
console.log((await client.health()).status, typeof paginate, typeof WinnowApiError);
`;

const TYPED = `
import { WinnowClient } from '@winnow/client';
import type { DumpRequest, ErrorCode, ExtractRequest, ExtractResult } from '@winnow/client';
const request: ExtractRequest = { extract: { url: 'https://example.com/' }, trace: { include_steps: true } };
const client = new WinnowClient({ baseUrl: 'https://example.com', apiKey: 'wk_x' });
export const title: Promise<string | null> = client.extract(request).then(({ result }) => result.title);
export const textOf = ({ main_text: text }: ExtractResult): string => text;
export const code: ErrorCode = 'fetch_blocked';
const page = 'https://example.com/';
for (const engine of ['auto', 'stable', 'vendor_lite', 'acme_dom'] as const)
  void client.dump({ url: page, options: { engine_preference: engine } });
export const ofFamily: DumpRequest = { url: page, options: { engine_preference: 'acme_domstable' } };
// @ts-expect-error an engine is misspelled
export const noEngine: DumpRequest = { url: page, options: { engine_preference: 'stabel' } };
// @ts-expect-error a rendering is misspelled
export const noFormat: ExtractRequest = { extract: { url: page, formats: ['markdwon'] } };
// @ts-expect-error a preference is misspelled
export const noFavor: ExtractRequest = { extract: { url: page, favor: 'precison' } };
// @ts-expect-error a top-level url is not the shape of this endpoint
export const wrong: ExtractRequest = { url: 'https://example.com/' };
// @ts-expect-error the codes are the table's, nothing else
export const noCode: ErrorCode = 'no_such_code';
`;

const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    lib: ['es2024', 'dom'],
    types: [],
  },
  include: ['typed.ts', 'readme.ts'],
};

/** Declarations that the README's examples assume. */
const GIVEN = `
declare const process: { env: Record<string, string | undefined> };
declare const [url, email, password]: [string, string, string];
`;

/** Returns the README's examples as one module: the first is shared, each other one is a separate block. */
async function readExamples(): Promise<string> {
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const imports = blocks.flatMap((block) => block.match(/^import .*$/gm) ?? []);
  const bodies = blocks.map((block) => block.replaceAll(/^import .*$/gm, ''));
  assert(bodies.length > 5);
  return [...imports, GIVEN, bodies[0] ?? '', ...bodies.slice(1).map((body) => `{\n${body}}`)].join('\n');
}

test('npm pack gives a package that installs offline in a fresh folder, imports and has types', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'winnow-client-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: PACKAGE });
  // The build's output precedes npm's JSON.
  const [tarball] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[\n'))) as {
    filename: string;
    files: { path: string }[];
  }[];
  assert(tarball);
  const paths = tarball.files.map(({ path }) => path);
  assert(
    ['README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts'].every((path) => paths.includes(path)),
    paths.join(),
  );
  assert(!paths.some((path) => path.includes('.test.') || path.startsWith('src/')), paths.join());

  await writeFile(join(folder, 'package.json'), '{"name":"fresh","private":true,"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball.filename}`], { cwd: folder });
  await writeFile(join(folder, 'program.js'), PROGRAM);
  await writeFile(join(folder, 'typed.ts'), TYPED);
  await writeFile(join(folder, 'readme.ts'), await readExamples());
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));

  const server = createServer((_request, response) => response.end('{"request_id":"r","status":"ok"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { stdout } = await run(process.execPath, ['program.js', `http://127.0.0.1:${port}`], { cwd: folder });
  assert.equal(stdout.trim(), 'ok function function');
  await run(process.execPath, [TSC, '-p', folder]);
});
