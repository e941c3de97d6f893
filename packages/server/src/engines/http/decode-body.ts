import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { AppError } from '../../domain/errors.ts';

/** Stacked encodings are legal, but nobody needs many. */
const MAX_ENCODINGS = 4;

interface DecodeOptions {
  readonly maxOutputLength: number;
  /** How far the decoder goes at the end of its input; default: the input must be complete. */
  readonly finishFlush?: number;
}

interface Decoder {
  readonly decode: (bytes: Buffer, options: DecodeOptions) => Promise<Buffer>;
  /** The `finishFlush` with which a stream that was cut off gives what it holds, as in browsers. */
  readonly lenient: number;
}

export interface DecodedBody {
  readonly bytes: Buffer;
  /** Whether an encoding ended before its end, so that the end of the body is missing or may be. */
  readonly isCutOff: boolean;
}

const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const unbrotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const unzstd = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: { decode: gunzip, lenient: Z_SYNC_FLUSH },
  'x-gzip': { decode: gunzip, lenient: Z_SYNC_FLUSH },
  // "deflate" means the zlib format, but many servers send raw deflate; the first byte tells.
  deflate: {
    decode: (bytes, options) => (isZlib(bytes) ? inflate : inflateRaw)(bytes, options),
    lenient: Z_SYNC_FLUSH,
  },
  br: { decode: unbrotli, lenient: BROTLI_OPERATION_FLUSH },
  zstd: { decode: unzstd, lenient: ZSTD_e_flush },
};

/**
 * Undoes the content encodings of a response body. One that was cut off gives what it holds, and says so.
 * @throws {AppError} `response_too_large` as soon as the decoded body exceeds the limit; `unsupported_content` for an
 *   unknown or broken encoding.
 */
export async function decodeBody(received: Buffer, contentEncoding: string, maxBytes: number): Promise<DecodedBody> {
  let body: DecodedBody = { bytes: received, isCutOff: false };
  for (const decoder of parseEncodings(contentEncoding)) {
    // An empty body carries no encoding, whatever the header says.
    if (body.bytes.length === 0) break;
    const { bytes, isCutOff } = await undo(decoder, body.bytes, contentEncoding, maxBytes);
    body = { bytes, isCutOff: isCutOff || body.isCutOff };
  }
  return body;
}

/** What undoes the encodings of a header, in the order in which it must be done. */
function parseEncodings(header: string): Decoder[] {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const decoders = names.map((name) => (Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined));
  if (names.length > MAX_ENCODINGS || decoders.includes(undefined)) throw undecodable(header);
  return (decoders as Decoder[]).toReversed();
}

async function undo(decoder: Decoder, bytes: Buffer, header: string, maxBytes: number): Promise<DecodedBody> {
  const options = { maxOutputLength: maxBytes };
  try {
    return { bytes: await decoder.decode(bytes, options), isCutOff: false };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    if (code !== 'Z_BUF_ERROR') throw undecodable(header, error);
    // Complete input was expected and there is no more of it.
    return { bytes: await decoder.decode(bytes, { ...options, finishFlush: decoder.lenient }), isCutOff: true };
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
