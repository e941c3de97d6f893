import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { createContext, Script } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const PACKAGE = join(import.meta.dirname, '..');
const MAX_COMPRESSED_BYTES = 500_000;

let bundle = '';

before(async () => {
  bundle = await bundleLibrary();
});

test('no source file uses modules or globals of Node', () => {
  for (const file of readdirSync(join(PACKAGE, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) continue;
    const source = readFileSync(join(PACKAGE, 'src', file), 'utf8');
    assert.doesNotMatch(source, /(?:from|import\()\s*['"]node:/, file);
    assert.doesNotMatch(
      source,
      /\bprocess\.(?:env|cwd|argv|hrtime|nextTick)\b|\bBuffer\.|\b__dirname\b|\brequire\(/,
      file,
    );
  }
});

test(`the bundle, model included, is under ${MAX_COMPRESSED_BYTES / 1000} kB compressed`, (context) => {
  const bytes = gzipSync(bundle, { level: 9 }).length;
  context.diagnostic(`${(bundle.length / 1000).toFixed(0)} kB, ${(bytes / 1000).toFixed(0)} kB compressed`);
  assert.ok(bytes < MAX_COMPRESSED_BYTES, `${bytes} bytes`);
});

test('the bundle needs only URL, TextDecoder, TextEncoder and atob beyond the language', () => {
  const html = `<html lang=en><title>Tides</title><body><nav><a href=/>Home</a></nav><article><h1>Tides</h1>
    <p>${'The sea comes in twice a day, and twice a day it goes out again. '.repeat(8)}</p></article></body></html>`;
  const realm = createContext({ URL, TextDecoder, TextEncoder, atob, html });
  new Script(bundle).runInContext(realm);
  const result: unknown = new Script(
    `JSON.stringify(winnow.extract(html, { url: 'https://example.org/', formats: ['markdown', 'html'] }))`,
  ).runInContext(realm);
  const page: Record<string, string> = JSON.parse(String(result));
  assert.equal(page['title'], 'Tides');
  assert.match(page['mainText'] ?? '', /^The sea comes in twice a day/);
  assert.match(page['markdown'] ?? '', /The sea comes in/);
  assert.match(page['html'] ?? '', /<p>The sea comes in/);
});

/** Bundles the library as one classic script; fails if it needs anything from Node. */
async function bundleLibrary(): Promise<string> {
  const build = await rolldown({
    input: join(PACKAGE, 'src/index.ts'),
    platform: 'browser',
    // Workers have no document.
    resolve: { conditionNames: ['worker', 'import', 'module', 'default'] },
    onLog(_level, log) {
      throw new Error(log.message);
    },
  });
  const { output } = await build.generate({ format: 'iife', name: 'winnow', minify: true });
  await build.close();
  assert.equal(output.length, 1);
  return output[0].code;
}
