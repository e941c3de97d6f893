import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { test } from 'node:test';
import { startRunning } from '../support/running-service.ts';

const LARGE = 1024 * 1024;

// Checks: threat-slow-bodies
void test('a large body that arrives too slowly is refused, and its connection closed', async () => {
  const running = await startRunning();
  const key = await running.addKey({ projectId: running.projectId, kind: 'key_only' });
  const sent = request(`${running.url}/v1/batches`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Content-Length': LARGE },
  });
  sent.write(' '.repeat(100_000));
  const dribble = setInterval(() => sent.write(' '), 100);
  try {
    const { promise, resolve, reject } = Promise.withResolvers<{ text: string; connection: string | undefined }>();
    sent.on('error', reject).on('response', (response) => {
      const { connection } = response.headers;
      readText(response).then((text) => resolve({ text, connection }), reject);
    });
    const { text, connection } = await promise.finally(() => clearInterval(dribble));
    assert.match(text, /"the request did not arrive in time"/);
    assert.equal(connection, 'close');
  } finally {
    sent.destroy();
    await running.close();
  }
});
