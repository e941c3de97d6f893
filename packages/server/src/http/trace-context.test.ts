import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTraceContext } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

test('a valid traceparent is continued with a span of our own', () => {
  const context = readTraceContext(`00-${TRACE}-${PARENT}-01`);
  assert.deepEqual([context.traceId, context.parentId, context.flags], [TRACE, PARENT, '01']);
  assert.match(context.spanId, /^[0-9a-f]{16}$/);
  assert.notEqual(context.spanId, PARENT);
});

test('a later version may say more', () => {
  assert.equal(readTraceContext(`cc-${TRACE}-${PARENT}-01-what-the-future-brings`).traceId, TRACE);
});

for (const header of [
  undefined,
  '',
  'nonsense',
  `ff-${TRACE}-${PARENT}-01`,
  `00-${TRACE}-${PARENT}-01-more`,
  `00-${'0'.repeat(32)}-${PARENT}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${PARENT}-01`,
]) {
  test(`traceparent ${String(header)} begins a new trace`, () => {
    const context = readTraceContext(header);
    assert.match(context.traceId, /^[0-9a-f]{32}$/);
    assert.notEqual(context.traceId, TRACE);
    assert.equal(context.parentId, undefined);
  });
}
