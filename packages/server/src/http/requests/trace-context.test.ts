import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTraceContext } from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

test('a valid traceparent is continued with a new span', () => {
  const context = readTraceContext({ traceparent: `00-${TRACE}-${PARENT}-01` });
  assert.deepEqual([context.traceId, context.parentId, context.flags], [TRACE, PARENT, '01']);
  assert.match(context.spanId, /^[0-9a-f]{16}$/);
  assert.notEqual(context.spanId, PARENT);
});

test('a later version may contain more fields', () => {
  assert.equal(readTraceContext({ traceparent: `cc-${TRACE}-${PARENT}-01-what-the-future-brings` }).traceId, TRACE);
});

test('a tracestate is kept unchanged unless it is too long or invalid', () => {
  const readState = (tracestate: string) =>
    readTraceContext({ traceparent: `00-${TRACE}-${PARENT}-01`, tracestate }).state;
  assert.equal(readState(' vendor=value, other=1 '), 'vendor=value, other=1');
  assert.equal(readState('x'.repeat(512))?.length, 512);
  for (const text of ['', 'x'.repeat(513), 'a=\u00e4', 'a=1\u007f']) assert.equal(readState(text), undefined);
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
  test(`traceparent ${String(header)} starts a new trace`, () => {
    const context = readTraceContext({ ...(header === undefined ? {} : { traceparent: header }), tracestate: 'a=1' });
    assert.match(context.traceId, /^[0-9a-f]{32}$/);
    assert.notEqual(context.traceId, TRACE);
    assert.equal(context.parentId, undefined);
    assert.equal(context.state, undefined);
  });
}
