import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseEncoding, ENCODINGS } from './compress-answers.ts';

/** An answer that is the same for every caller until the process ends. */
export interface StaticAnswer {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const COMPRESSIBLE = /^(?:text|application)\/|\+xml/;

/**
 * Returns a route handler that calls `load` once and compresses once for each encoding; all answers share these
 * buffers. Failures are not kept.
 */
export function staticAnswer(load: () => Promise<StaticAnswer>): Handler {
  const read = reuseReading(async () => {
    const { body, headers } = await load();
    const etag = `W/"${createHash('sha256').update(body).digest('base64url')}"`;
    const compressed = new Map(
      Object.entries(ENCODINGS).map(([name, { compress }]) => [
        name,
        reuseReading(() => compress(body), Number.POSITIVE_INFINITY),
      ]),
    );
    const isCompressible = COMPRESSIBLE.test(headers['Content-Type'] ?? '');
    const fixed = { 'Cache-Control': 'no-cache', ETag: etag, Vary: 'Accept-Encoding', ...headers };
    return { body, headers: fixed, etag, compressed: isCompressible ? compressed : new Map<string, never>() };
  }, Number.POSITIVE_INFINITY);
  return async ({ method, headers: asked }, reply) => {
    const { body, headers, etag, compressed } = await read();
    const encoding = method === 'HEAD' ? undefined : chooseEncoding(asked['accept-encoding']);
    const encode = encoding === undefined ? undefined : compressed.get(encoding);
    if (asked['if-none-match']?.includes(etag) === true) return reply.headers(headers).code(304).send();
    const bytes = encode === undefined ? body : await encode();
    if (encode !== undefined) void reply.header('Content-Encoding', encoding);
    return reply.headers(headers).send(bytes);
  };
}

/**
 * Caches the result of `read`, so that frequent probes cost nothing. Failures are not cached.
 * @param forMs from the start of `read`
 */
export function reuseReading<T>(read: () => Promise<T>, forMs: number): () => Promise<T> {
  let last: { readonly at: number; readonly value: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.at > forMs) {
      const value = read();
      value.catch(() => (last = undefined));
      last = { at: now, value };
    }
    return last.value;
  };
}
