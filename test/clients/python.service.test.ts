import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { generatePythonTypes } from '../../clients/python/generate-types.ts';
import { LACKS_PYTHON } from '../support/python.ts';
import { startServiceProcess } from '../support/service-process.ts';

const FOLDER = path.join(import.meta.dirname, '../../clients/python');
/** Calls every method against a running service; `{page}` and `{gone}` are two addresses of its site. */
const SCRIPT = `
import sys, time
from winnow import Winnow, WinnowApiError
base, key, page, gone = sys.argv[1:]
winnow = Winnow(base, key)
assert winnow.health()["status"] == "ok"
while winnow.ready()["status"] != "ready":
    time.sleep(0.2)
answer = winnow.extract({"extract": {"url": page, "formats": ["markdown"]}})
assert "Granite" in answer["result"]["markdown"], answer
dump = winnow.dump(page)
again = winnow.extract({"extract": {"dom_id": dump["dom_id"]}})
assert again["result"]["main_text"] == answer["result"]["main_text"]
batch = winnow.create_batch({"urls": [page, gone], "respect_robots": False}, idempotency_key="once")
assert winnow.create_batch({"urls": [page, gone], "respect_robots": False}, idempotency_key="once")["id"] == batch["id"]
assert winnow.wait_for_batch(batch["id"], poll_interval=0.1)["state"] == "completed"
lines = list(winnow.batch_results(batch["id"]))
assert "result" in lines[0] and lines[1]["error"]["upstream_status_code"] == 404, lines
try:
    winnow.extract(gone)
except WinnowApiError as error:
    assert (error.code, error.stage, error.upstream_status_code) == ("http_status_not_ok", "fetch", 404), error
else:
    raise AssertionError("a missing page must raise")
`;

test('the Python types match the OpenAPI document', () => {
  const written = readFileSync(path.join(FOLDER, 'winnow/types.py'), 'utf8');
  assert.equal(written, generatePythonTypes(), 'outdated: run node scripts/write-docs.mjs');
});

test("the Python client's own tests pass", { skip: LACKS_PYTHON }, () => {
  const { status, stderr } = runPython(['-m', 'unittest', 'discover', '-s', 'tests']);
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^Ran \d{2} tests/m);
});

test('the Python client works against a running service', { skip: LACKS_PYTHON }, async (t) => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'winnow-python-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const paragraph = '<p>Granite is a coarse-grained rock that forms from magma cooling slowly below the ground.</p>';
  const site = createServer((request, response) => {
    response.statusCode = request.url === '/gone' ? 404 : 200;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>Granite</title><article><h1>Granite</h1>${paragraph.repeat(8)}</article>`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  t.after(() => site.close());
  const service = await startServiceProcess({
    dataDir,
    environment: { WINNOW_EGRESS_ALLOW: '127.0.0.1', WINNOW_CHROMIUM: 'none' },
    onLine: () => undefined,
  });
  t.after(() => service.stop());
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  // Not `spawnSync`: the site answers from this process.
  const child = spawn('python3', ['-c', SCRIPT, service.url, service.key ?? '', `${origin}/`, `${origin}/gone`], {
    cwd: FOLDER,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal(code, 0, stderr);
});

function runPython(parameters: readonly string[]): { status: number | null; stderr: string } {
  const env = { ...process.env, PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' };
  return spawnSync('python3', parameters, { cwd: FOLDER, encoding: 'utf8', env });
}
