import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Fastify from 'fastify';
import { parseJsonText } from '../../domain/shared/parse-json-text.ts';
import { acceptJsonBodies } from './json-body.ts';
import { sendError } from '../answers/send-error.ts';

const app = Fastify();
app.decorateRequest('failure', null);
acceptJsonBodies(app, { parse: async (body) => parseJsonText(body) });
app.setErrorHandler(sendError);
app.post('/', async () => 'sound');
after(() => app.close());

async function send(payload: string): Promise<string> {
  const { body } = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'Content-Type': 'application/json' },
    payload,
  });
  return body;
}

function describeFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Position in the parser's message, or the length of the longest incomplete prefix. */
function findFault(text: string, fault: string): number {
  const position = / at position (\d+)/.exec(fault);
  if (position) return Number(position[1]);
  let length = 0;
  while (length < text.length && isUnfinished(text.slice(0, length + 1))) length += 1;
  return length;
}

function isUnfinished(start: string): boolean {
  const fault = describeFault(start) ?? '';
  return fault === '' || /^(Unexpected end|Unterminated)/.test(fault) || fault.includes(` at position ${start.length}`);
}

const SOUND = String.raw`{"a": [1, -2.5e3, true, false, null, "x\"y\\", {}, []], "b": {"c": "é"}, "": [[{"d": [0]}]]}`;

test('every syntax error in a body is reported with its position', async () => {
  assert.equal(await send(SOUND), 'sound');
  for (let at = 0; at < SOUND.length; at += 1)
    for (const wrong of ['', 'x', ',', ':', ']', '}', '[', '{', '"', '\\', '1', 'tru', '\u00a0']) {
      const text = SOUND.slice(0, at) + wrong + SOUND.slice(at + 1);
      const fault = describeFault(text);
      const answer = await send(text);
      if (fault === undefined) assert.equal(answer, 'sound', text);
      else assert.match(answer, new RegExp(` at position ${findFault(text, fault)}\\b`), text);
    }
});

// Checks: threat-body-parsing
test('a body is parsed once, valid or not', async (t) => {
  const parse = t.mock.method(JSON, 'parse');
  await send(`[${'[],'.repeat(10_000)}x]`);
  assert.equal(parse.mock.callCount(), 1);
});
