/** Tasks of the processes that convert documents. Loading this module bounds the memory of their libraries. */
import { writeSync } from 'node:fs';
import { brotliDecompressSync, inflateSync } from 'node:zlib';

export { convertDocument } from './convert-document.ts';

/** Far above the streams of real documents, and far below those that take minutes to read. */
const MAX_BUFFER_BYTES = 96 * 1024 * 1024;

/** The PDF library ignores buffers that it cannot allocate, and would return half a document. */
function boundBuffers(): void {
  globalThis.Uint8Array = new Proxy(Uint8Array, {
    construct(target, args: unknown[], newTarget) {
      const [size] = args;
      if (typeof size === 'number' && size > MAX_BUFFER_BYTES) endForBuffer(size);
      try {
        return Reflect.construct(target, args, newTarget) as Uint8Array;
      } catch (error) {
        if (error instanceof RangeError && error.message.includes('allocation failed')) endForBuffer(size);
        throw error;
      }
    },
  });
}

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

const DECOMPRESS = new Map<string, Decompress>([
  ['deflate', inflateSync],
  ['brotli', brotliDecompressSync],
]);

/**
 * What the PDF library uses of a `DecompressionStream`: one write, then all chunks. It expands streams at once, since
 * the process has nothing else to do: Node's own class takes several times as long for the many small ones.
 */
class WholeDecompression {
  readonly readable: AsyncIterable<Uint8Array>;
  readonly writable: object;

  constructor(format: string) {
    const decompress = DECOMPRESS.get(format);
    if (decompress === undefined) throw new TypeError(`streams of the format ${format} cannot be read`);
    let written: Uint8Array = new Uint8Array();
    const read = async function* (): AsyncGenerator<Uint8Array> {
      yield expand(decompress, written);
    };
    const writer = {
      ready: undefined,
      write: async (bytes: Uint8Array) => void (written = bytes),
      close: () => undefined,
    };
    this.readable = { [Symbol.asyncIterator]: read };
    this.writable = { getWriter: () => writer };
  }
}

function endForBuffer(size: unknown): void {
  writeSync(2, `allocation failed: a buffer of ${String(size)} bytes`);
  process.exit(1);
}

function expand(decompress: Decompress, bytes: Uint8Array): Uint8Array {
  try {
    return decompress(bytes, { maxOutputLength: MAX_BUFFER_BYTES });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') endForBuffer(MAX_BUFFER_BYTES);
    throw error;
  }
}

boundBuffers();
// Chunks of streams bypass the constructor of arrays.
globalThis.DecompressionStream = WholeDecompression as unknown as typeof DecompressionStream;
