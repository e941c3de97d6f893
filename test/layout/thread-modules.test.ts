import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const SOURCES = path.join(import.meta.dirname, '../../packages/server/src');

/** Imports the module named by the last argument and prints how many modules of zod were loaded for it. */
const COUNT_ZOD = `
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({
  load(url, context, next) {
    loaded.add(url);
    return next(url, context);
  },
});
await import(process.argv.at(-1));
process.stdout.write(String([...loaded].filter((url) => url.includes('/node_modules/zod/')).length));
`;

async function countZod(file: string): Promise<number> {
  const { href } = pathToFileURL(path.join(SOURCES, file));
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', COUNT_ZOD, href]);
  return Number(stdout);
}

// Schemas took 100 ms of processor time and 3 MB in each thread.
for (const file of ['workers/worker.ts', 'workers/parse-body.ts', 'snapshots/content-tasks.ts']) {
  test(`threads load no schemas: ${file}`, async () => assert.equal(await countZod(file), 0));
}

test('the module count detects loaded schemas', async () => {
  assert.ok((await countZod('http/bodies/validate-body.ts')) > 0);
});
