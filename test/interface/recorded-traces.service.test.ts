/**
 * Traces equal recorded ones, byte for byte except for values that differ in every run. `RECORD_TRACES=1` records
 * them again: review each difference, since callers see it.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

const FILE = new URL('recorded-traces.json', import.meta.url);

let running: Running;
before(async () => {
  running = await startRunning();
});
after(() => running.close());

/** Replaces ids, addresses, times and messages by fixed values; keeps the order of the fields. */
function normalise(text: string): unknown {
  const even = text
    .replaceAll(running.pages.url, 'http://pages.test')
    .replace(/127\.0\.0\.1:\d+/g, 'pages.test')
    .replace(/\b(dom|key|prj|req)_[0-9A-Z]{26}/g, '$1_0')
    .replace(/"((?:\w+_)?ms|response|body|queue|confidence|stored_bytes|host_wait)":[\d.]+/g, '"$1":0')
    .replace(/"fetched_at":"[^"]*"/g, '"fetched_at":""')
    .replace(/"(reason|message)":"(?:[^"\\]|\\.)*"/g, '"$1":"…"');
  return JSON.parse(even);
}

const steps = { include_steps: true };

async function recordTraces(): Promise<Record<string, unknown>> {
  const { pages } = running;
  const trace = async (body: object, as: 'A' | 'B' = 'B') => {
    const answer = await running.call('/v1/extract', { trace: steps, ...body }, { as });
    return normalise(JSON.stringify(answer.body.trace));
  };
  const ofPage = (path: string) => trace({ extract: { url: pages.url + path } });
  const dumped = await running.call('/v1/dom/dump', { url: `${pages.url}/article` });
  return {
    'a page': await ofPage('/article'),
    'a page as Markdown': await trace({ extract: { url: `${pages.url}/article`, formats: ['markdown'] } }),
    'a page after a redirect': await ofPage('/redirect'),
    'a snapshot (variant A), with timeouts': await trace(
      { extract: { dom_id: dumped.body.dom_id }, workflow: { match_timeout_ms: 5000 } },
      'A',
    ),
    'an unknown snapshot': await trace({ extract: { dom_id: 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K' } }),
    'a page without content': await ofPage('/empty'),
    'a status that is not 2xx': await ofPage('/missing'),
    'too many redirects': await ofPage('/loop'),
    'a redirect to a refused address': await ofPage('/to-metadata'),
    'no HTML': await ofPage('/pdf'),
    'a refused address': await trace({ extract: { url: 'http://10.0.0.1/' } }),
    'no URL': await trace({ extract: { url: 'no url' } }),
    'a refused body': await trace({ extract: {} }, 'A'),
    'a body that cannot be read': normalise(
      JSON.stringify((await running.call('/v1/extract', '{"extract"', { as: 'B' })).body.trace),
    ),
  };
}

// Checks: interface-beyond
test('traces equal the recorded traces', async () => {
  const traces = await recordTraces();
  if (process.env['RECORD_TRACES'] === '1') writeFileSync(FILE, `${JSON.stringify(traces, null, 2)}\n`);
  const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, unknown>;
  for (const [name, trace] of Object.entries(traces))
    assert.equal(JSON.stringify(trace), JSON.stringify(recorded[name]), name);
  assert.deepEqual(Object.keys(traces), Object.keys(recorded));
});
