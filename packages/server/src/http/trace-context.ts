import type { FastifyInstance } from 'fastify';
import { drawRandom } from '../domain/random-pool.ts';

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
}

/** Continues the caller's trace; what is absent or malformed begins a new one, as the standard says. */
export function readTraceContext(header: string | string[] | undefined): TraceContext {
  const spanId = drawRandom(8).toString('hex');
  const groups = typeof header === 'string' ? TRACEPARENT.exec(header.trim())?.groups : undefined;
  if (!groups || !isValid(groups)) {
    return { traceId: drawRandom(16).toString('hex'), parentId: undefined, spanId, flags: '00' };
  }
  return { traceId: groups['trace'] ?? '', parentId: groups['parent'], spanId, flags: groups['flags'] ?? '00' };
}

/** Zeros name nothing; version ff is forbidden; version 00 has nothing behind the flags. */
function isValid(groups: Readonly<Record<string, string | undefined>>): boolean {
  const { version, trace, parent, more } = groups;
  const isNothing = /^0+$/.test(trace ?? '') || /^0+$/.test(parent ?? '');
  return !isNothing && version !== 'ff' && (version !== '00' || more === undefined);
}

/** Puts the trace into every line that the request logs, and sends it back. It never goes to target sites. */
export function addTraceContext(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { traceId, parentId, spanId, flags } = readTraceContext(request.headers['traceparent']);
    const fields = { traceId, spanId, ...(parentId === undefined ? {} : { parentId }) };
    request.log = request.log.child(fields);
    reply.log = request.log;
    void reply.header('traceparent', `00-${traceId}-${spanId}-${flags}`);
    done();
  });
}
