import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { DevtoolsConnection, DevtoolsError } from './devtools-connection.ts';
import { createPipeTransport } from './devtools-pipe.ts';

// Checks: threat-small-chunks
test('a message above the limit fails its command, and later messages arrive', async () => {
  const commands = new PassThrough();
  const answers = new PassThrough();
  const connection = new DevtoolsConnection(createPipeTransport(commands, answers, 1000));
  const urls: string[] = [];
  connection.on('Network.webSocketCreated', ({ url }) => void urls.push(url));
  const large = connection.send('DOM.getOuterHTML', { nodeId: 1 });
  const small = connection.send('Browser.getVersion');
  const event = (url: string): string => JSON.stringify({ method: 'Network.webSocketCreated', params: { url } });
  const messages = [
    event('x'.repeat(2000)),
    JSON.stringify({ id: 1, result: { outerHTML: 'x'.repeat(2000) } }),
    event('wss://site.test/'),
    JSON.stringify({ id: 2, result: { product: 'Chrome' } }),
  ];
  const bytes = Buffer.from(`${messages.join('\0')}\0`);
  for (const size of [7, bytes.length])
    for (let at = 0; at < bytes.length; at += size) {
      if (!answers.write(bytes.subarray(at, at + size))) await once(answers, 'drain');
    }
  await assert.rejects(large, (error) => error instanceof DevtoolsError && /too large/.test(error.message));
  assert.equal((await small).product, 'Chrome');
  assert.deepEqual(urls, ['wss://site.test/', 'wss://site.test/']);
});
