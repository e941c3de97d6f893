import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { sendError } from './send-error.ts';
import { staticAnswer } from './static-answer.ts';

// Checks: threat-unread-answers
test('browsers keep a static answer only when it was read', async (t) => {
  const app = Fastify();
  t.after(() => app.close());
  app.decorateRequest('failure', null).decorateRequest('workflow', null).decorateRequest('closesConnection', false);
  app.setErrorHandler(sendError);
  let isReadable = false;
  const headers = { 'Content-Type': 'text/plain', 'Cache-Control': 'public, max-age=31536000, immutable' };
  app.get(
    '/file',
    staticAnswer(async () => {
      if (!isReadable) throw new Error('cannot be read');
      return { body: Buffer.from('text'), headers };
    }),
  );

  const failed = await app.inject('/file');
  assert.equal(failed.statusCode, 500);
  assert.equal(failed.headers['cache-control'], 'private, no-store');

  isReadable = true;
  const read = await app.inject('/file');
  assert.equal(read.statusCode, 200);
  assert.match(String(read.headers['cache-control']), /immutable/);
});
