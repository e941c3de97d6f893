import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { AppError } from '../../domain/errors.ts';

/** Stacked encodings are legal, but nobody needs many. */
const MAX_ENCODINGS = 4;

type Decode = (bytes: Buffer, limits: { readonly maxOutputLength: number }) => Promise<Buffer>;

const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const unbrotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const unzstd = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

/** A truncated stream gives what it holds, as in browsers. */
const LENIENT: zlib.ZlibOptions = { finishFlush: zlib.constants.Z_SYNC_FLUSH };

const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: (bytes, limits) => gunzip(bytes, { ...LENIENT, ...limits }),
  'x-gzip': (bytes, limits) => gunzip(bytes, { ...LENIENT, ...limits }),
  // "deflate" means the zlib format, but many servers send raw deflate; the first byte tells.
  deflate: (bytes, limits) => (isZlib(bytes) ? inflate : inflateRaw)(bytes, { ...LENIENT, ...limits }),
  br: (bytes, limits) => unbrotli(bytes, { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH, ...limits }),
  zstd: (bytes, limits) => unzstd(bytes, { finishFlush: zlib.constants.ZSTD_e_flush, ...limits }),
};

/**
 * Undoes the content encodings of a response body.
 * @throws {AppError} `response_too_large` as soon as the decoded body exceeds the limit; `unsupported_content` for an
 *   unknown or broken encoding.
 */
export async function decodeBody(received: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  let bytes = received;
  for (const decode of parseEncodings(contentEncoding)) {
    // An empty body carries no encoding, whatever the header says.
    if (bytes.length === 0) break;
    bytes = await undo(decode, bytes, contentEncoding, maxBytes);
  }
  return bytes;
}

/** What undoes the encodings of a header, in the order in which it must be done. */
function parseEncodings(header: string): Decode[] {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const decoders = names.map((name) => (Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined));
  if (names.length > MAX_ENCODINGS || decoders.includes(undefined)) throw undecodable(header);
  return (decoders as Decode[]).toReversed();
}

async function undo(decode: Decode, bytes: Buffer, header: string, maxBytes: number): Promise<Buffer> {
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(maxBytes)
      : undecodable(header, error);
  }
}

/** The low half of a zlib stream's first byte names its method, which is always 8. */
function isZlib(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}

export function tooLarge(maxBytes: number): AppError {
  return new AppError('response_too_large', `the page is larger than ${maxBytes} bytes`);
}

function undecodable(encoding: string, cause?: unknown): AppError {
  const header = encoding.slice(0, 100);
  return new AppError('unsupported_content', `the body cannot be decoded (Content-Encoding: ${header})`, { cause });
}
