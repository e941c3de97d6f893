import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { Negotiator } from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Smaller responses fit into one or two packets. */
const MIN_CHARACTERS = 4096;

/** Each occupies a libuv thread; excess responses are not compressed. */
const MAX_UNDER_WAY = 2;

type Compress = (bytes: Buffer) => Promise<Buffer>;

export interface Encoding {
  readonly compress: Compress;
  readonly createStream: () => NodeJS.ReadWriteStream;
}

/** Smaller than gzip, and as fast. */
const BROTLI: zlib.BrotliOptions = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };

const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);
const gzip = promisify<Buffer, Buffer>(zlib.gzip);
const zstd = promisify<Buffer, Buffer>(zlib.zstdCompress);

/** In order of preference. */
export const ENCODINGS: Readonly<Record<string, Encoding>> = {
  zstd: { compress: zstd, createStream: () => zlib.createZstdCompress() },
  br: { compress: (bytes) => brotli(bytes, BROTLI), createStream: () => zlib.createBrotliCompress(BROTLI) },
  gzip: { compress: gzip, createStream: () => zlib.createGzip() },
};

const COMPRESSIBLE = /^(?:application\/(?:json|x-ndjson)|text\/(?:html|markdown|plain))\b/;

const negotiator = new Negotiator({ supportedValues: [...Object.keys(ENCODINGS), 'identity'] });

/** Follows `Accept-Encoding` (RFC 9110, 12.5.3), off the event loop. Skips static answers. */
export function compressAnswers(app: FastifyInstance): void {
  let underWay = 0;
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isCompressible(request, reply, payload)) return payload;
    const vary = reply.getHeader('vary');
    void reply.header('Vary', vary === undefined ? 'Accept-Encoding' : `${String(vary)}, Accept-Encoding`);
    const name = chooseEncoding(request.headers['accept-encoding']);
    const encoding = name === undefined ? undefined : ENCODINGS[name];
    if (name === undefined || encoding === undefined) return payload;
    if (payload instanceof Readable) {
      mark(reply, name);
      // Destroys the source when the caller disconnects.
      return payload.compose(encoding.createStream());
    }
    if (underWay >= MAX_UNDER_WAY) return payload;
    underWay += 1;
    try {
      const compressed = await encoding.compress(Buffer.from(payload));
      mark(reply, name);
      return compressed;
    } finally {
      underWay -= 1;
    }
  });
}

function isCompressible(request: FastifyRequest, reply: FastifyReply, payload: unknown): payload is string | Readable {
  // Responses with a cookie contain secrets, which the compressed length could reveal (BREACH).
  if (request.method === 'HEAD' || reply.hasHeader('content-encoding') || reply.hasHeader('set-cookie')) return false;
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))) return false;
  if (payload instanceof Readable) return !reply.hasHeader('content-length');
  return typeof payload === 'string' && payload.length >= MIN_CHARACTERS;
}

/** Returns a name of {@link ENCODINGS}, or undefined for no compression. Ignores `*`. */
export function chooseEncoding(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const named = header
    .toLowerCase()
    .split(',')
    .filter((part) => !part.trimStart().startsWith('*'));
  const chosen = negotiator.negotiate(named.join(','));
  return chosen === null || chosen === 'identity' ? undefined : chosen;
}

function mark(reply: FastifyReply, encoding: string): void {
  void reply.header('Content-Encoding', encoding);
  void reply.removeHeader('content-length');
}
