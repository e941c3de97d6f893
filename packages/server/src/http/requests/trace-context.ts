import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { drawRandom } from '../../domain/ids/random-pool.ts';

/** W3C Trace Context, level 1: https://www.w3.org/TR/trace-context/ */
const TRACEPARENT =
  /^(?<version>[0-9a-f]{2})-(?<trace>[0-9a-f]{32})-(?<parent>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/;

export interface TraceContext {
  /** 32 hex digits, the same for all that belongs to one operation. */
  readonly traceId: string;
  /** The caller's span; undefined when this service begins the trace. */
  readonly parentId: string | undefined;
  /** Our own span, 16 hex digits. */
  readonly spanId: string;
  readonly flags: string;
  /** What tracing systems keep beside the trace, as it came; undefined where there is none to pass on. */
  readonly state: string | undefined;
}

/** Continues the caller's trace; what is absent or malformed begins a new one, as the standard says. */
export function readTraceContext(headers: IncomingHttpHeaders): TraceContext {
  const header = headers['traceparent'];
  const spanId = drawRandom(8).toString('hex');
  const groups = typeof header === 'string' ? TRACEPARENT.exec(header.trim())?.groups : undefined;
  if (!groups || !isValid(groups)) {
    const traceId = drawRandom(16).toString('hex');
    return { traceId, parentId: undefined, spanId, flags: '00', state: undefined };
  }
  const { trace = '', parent, flags = '00' } = groups;
  return { traceId: trace, parentId: parent, spanId, flags, state: readTraceState(headers['tracestate']) };
}

/** Zeros name nothing; version ff is forbidden; version 00 has nothing behind the flags. */
function isValid(groups: Readonly<Record<string, string | undefined>>): boolean {
  const { version, trace, parent, more } = groups;
  const isNothing = /^0+$/.test(trace ?? '') || /^0+$/.test(parent ?? '');
  return !isNothing && version !== 'ff' && (version !== '00' || more === undefined);
}

/** Longest `tracestate` that is passed on, in characters: what the standard asks for. */
const MAX_TRACESTATE = 512;

function readTraceState(header: string | string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header.trim() : '';
  return text.length <= MAX_TRACESTATE && /^[\x20-\x7e\t]+$/.test(text) ? text : undefined;
}

/** Our place in a trace as a header: for the answer, and for calls that belong to the request. */
export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/**
 * Puts the trace into every line that the request logs, and sends it back. It goes on to the caller's webhooks, never to
 * target sites.
 */
export function joinTrace(request: FastifyRequest, reply: FastifyReply): void {
  const context = readTraceContext(request.headers);
  const { traceId, parentId, spanId, state } = context;
  const fields = { traceId, spanId, ...(parentId === undefined ? {} : { parentId }) };
  request.log = request.log.child(fields);
  reply.log = request.log;
  const traceparent = formatTraceparent(context);
  request.trace = state === undefined ? { traceparent } : { traceparent, tracestate: state };
  void reply.header('traceparent', traceparent);
}
