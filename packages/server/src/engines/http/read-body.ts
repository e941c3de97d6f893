import { pipeline } from 'node:stream';
import type { Readable, Transform } from 'node:stream';
import zlib from 'node:zlib';
import { AppError } from '../../domain/errors.ts';

export interface Body {
  readonly bytes: Buffer;
  /** Bytes on the wire, before decoding. */
  readonly transferBytes: number;
}

/** Stacked encodings are legal, but nobody needs many. */
const MAX_ENCODINGS = 4;

type MakeDecoder = (firstByte: number) => Transform;

/** A truncated stream gives what it holds, as in browsers. */
const LENIENT: zlib.ZlibOptions = { finishFlush: zlib.constants.Z_SYNC_FLUSH };

const gunzip: MakeDecoder = () => zlib.createGunzip(LENIENT);
const DECODERS: Readonly<Record<string, MakeDecoder>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  // "deflate" means the zlib format, but many servers send raw deflate; the first byte tells.
  deflate: (firstByte) => ((firstByte & 0x0f) === 8 ? zlib.createInflate(LENIENT) : zlib.createInflateRaw(LENIENT)),
  br: () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => zlib.createZstdDecompress({ finishFlush: zlib.constants.ZSTD_e_flush }),
};

/**
 * Reads a response body whole and undoes its content encodings.
 * @throws {AppError} `response_too_large` as soon as the body, on the wire or decoded, exceeds the limit;
 *   `unsupported_content` for an unknown or broken encoding.
 */
export async function readBody(source: Readable, contentEncoding: string, maxBytes: number): Promise<Body> {
  const encodings = parseEncodings(contentEncoding);
  let transferBytes = 0;
  let stream = source;
  source.on('data', (chunk: Buffer) => {
    transferBytes += chunk.length;
    if (transferBytes > maxBytes) source.destroy(tooLarge(maxBytes));
  });
  source.pause();
  for (const encoding of encodings) stream = await undoEncoding(stream, encoding);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    throw isDecodingError(error) ? undecodable(contentEncoding, error) : error;
  } finally {
    source.destroy();
  }
  return { bytes: Buffer.concat(chunks), transferBytes };
}

/** The encodings in the order in which they must be undone. */
function parseEncodings(header: string): string[] {
  const encodings = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length > MAX_ENCODINGS || encodings.some((name) => !(name in DECODERS))) throw undecodable(header);
  return encodings.toReversed();
}

async function undoEncoding(source: Readable, encoding: string): Promise<Readable> {
  const first = await peekByte(source);
  const decoder = first === undefined ? undefined : DECODERS[encoding]?.(first);
  // An empty body carries no encoding, whatever the header says.
  if (!decoder) return source;
  // Errors reach the reader through the decoder, which pipeline destroys with them.
  return pipeline(source, decoder, () => {});
}

/** The first byte of a stream, left in it; undefined when the stream is empty. */
async function peekByte(source: Readable): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const onReadable = (): void => {
    const chunk = source.read() as Buffer | null;
    if (chunk === null) return;
    source.unshift(chunk);
    resolve(chunk[0]);
  };
  const onEnd = (): void => resolve(undefined);
  source.on('readable', onReadable);
  source.once('end', onEnd);
  source.once('error', reject);
  source.once('close', onEnd);
  return promise.finally(() => {
    source.off('readable', onReadable);
    source.off('end', onEnd);
    source.off('error', reject);
    source.off('close', onEnd);
  });
}

function isDecodingError(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return /^(?:Z_|ERR__ERROR|ERR_BROTLI|ZSTD_)/.test(code);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('response_too_large', `the page is larger than ${maxBytes} bytes`);
}

function undecodable(encoding: string, cause?: unknown): AppError {
  return new AppError(
    'unsupported_content',
    `the body cannot be decoded (Content-Encoding: ${encoding.slice(0, 100)})`,
    {
      cause,
    },
  );
}
