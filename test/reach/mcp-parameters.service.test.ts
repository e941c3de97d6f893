/** Messages of MCP clients whose parameters have a wrong type. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

const WINNOW = path.join(import.meta.dirname, '../../winnow');
const INVALID_PARAMS = -32_602;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A method, its parameters, and what the answer names. */
const WRONG: readonly (readonly [method: string, params: object, named: RegExp])[] = [
  [
    'initialize',
    { protocolVersion: 7, capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    /params\.protocolVersion: .*string/,
  ],
  [
    'initialize',
    { protocolVersion: '2025-06-18', capabilities: [], clientInfo: { name: 'a' } },
    /params\.(?:capabilities|clientInfo)/,
  ],
  ['tools/list', { cursor: 7 }, /params\.cursor: .*string/],
  ['tools/call', { name: 7 }, /name/],
];

let running: Running;
let folder: string;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-mcp-parameters-'));
  running = await startRunning({ WINNOW_CHROMIUM: 'none' });
});
after(async () => {
  await running.close();
  await rm(folder, { recursive: true, force: true });
});

interface Reply {
  readonly id: number;
  readonly error?: { readonly code: number; readonly message: string };
}

function assertNamed({ error }: Reply, method: string, named: RegExp): void {
  assert.equal(error?.code, INVALID_PARAMS, `${method}: ${JSON.stringify(error)}`);
  assert.match(error.message, named);
  assert.doesNotMatch(error.message, /[{}\n]/, 'a sentence, not a list of the validator');
}

for (const isModern of [false, true])
  // Checks: threat-mcp-parameters
  test(`over HTTP wrong parameters are named (${isModern ? 'modern' : 'legacy'} protocol)`, async () => {
    for (const [method, params, named] of WRONG.filter(([name]) => !isModern || name.startsWith('tools/'))) {
      const response = await fetch(`${running.url}/mcp`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-API-Key': running.secrets.key_only,
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': isModern ? '2026-07-28' : '2025-06-18',
          ...(isModern ? { 'Mcp-Method': method } : {}),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: isModern ? { ...params, _meta: META } : params }),
      });
      const text = await response.text();
      const data = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
      assertNamed(JSON.parse(data) as Reply, method, named);
    }
  });

// Checks: threat-mcp-parameters
test('over stdio wrong parameters are named', async (t) => {
  const environment = { PATH: process.env['PATH'], WINNOW_DATA_DIR: folder, WINNOW_CHROMIUM: 'none' };
  const child = spawn(WINNOW, ['mcp'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'], env: environment });
  t.after(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
  });
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (method: string, params: object): Promise<Reply> => {
    send({ id: 1, method, params });
    return JSON.parse(((await lines.next()) as { value: string }).value) as Reply;
  };
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  await ask('initialize', client);
  send({ method: 'notifications/initialized' });
  for (const [method, params, named] of WRONG) assertNamed(await ask(method, params), method, named);
});
