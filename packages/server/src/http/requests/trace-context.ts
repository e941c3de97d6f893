import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TraceHeaders } from '../../domain/batches/batch-ports.ts';
import type { TraceContext } from '../../domain/metrics/ports.ts';

/** https://www.w3.org/TR/trace-context/, level 1 */
const TRACEPARENT =
  /^(?<version>[0-9a-f]{2})-(?<trace>[0-9a-f]{32})-(?<parent>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/;

/**
 * Starts a new trace if the header is absent or malformed.
 *
 * @param isRecorded whether spans of new traces are exported, which their flags say
 */
export function readTraceContext(headers: IncomingHttpHeaders, isRecorded = false): TraceContext {
  const header = headers['traceparent'];
  const spanId = randomBytes(8).toString('hex');
  const groups = typeof header === 'string' ? TRACEPARENT.exec(header.trim())?.groups : undefined;
  if (!groups || !isValid(groups)) {
    const traceId = randomBytes(16).toString('hex');
    return { traceId, parentId: undefined, spanId, flags: isRecorded ? '01' : '00', state: undefined };
  }
  const { trace = '', parent, flags = '00' } = groups;
  return { traceId: trace, parentId: parent, spanId, flags, state: readTraceState(headers['tracestate']) };
}

/** Zeros are invalid, version ff is forbidden, and version 00 ends with the flags. */
function isValid(groups: Readonly<Record<string, string | undefined>>): boolean {
  const { version, trace, parent, more } = groups;
  const isNothing = /^0+$/.test(trace ?? '') || /^0+$/.test(parent ?? '');
  return !isNothing && version !== 'ff' && (version !== '00' || more === undefined);
}

/** The standard requires at least this. */
const MAX_TRACESTATE = 512;

function readTraceState(header: string | string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header.trim() : '';
  return text.length <= MAX_TRACESTATE && /^[\x20-\x7e\t]+$/.test(text) ? text : undefined;
}

/** For the response and webhooks. */
export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** Adds the trace to log lines, the response and webhooks, never to target sites. */
export function joinTrace(request: FastifyRequest, reply: FastifyReply, isRecorded: boolean): void {
  const context = readTraceContext(request.headers, isRecorded);
  request.trace = context;
  const { traceId, parentId, spanId } = context;
  const fields = { traceId, spanId, ...(parentId === undefined ? {} : { parentId }) };
  request.log = request.log.child(fields);
  reply.log = request.log;
  void reply.header('traceparent', formatTraceparent(context));
}

/** Returns the headers for calls on behalf of the request. */
export function traceHeadersOf({ trace }: FastifyRequest): TraceHeaders | null {
  if (trace === null) return null;
  const traceparent = formatTraceparent(trace);
  return trace.state === undefined ? { traceparent } : { traceparent, tracestate: trace.state };
}
