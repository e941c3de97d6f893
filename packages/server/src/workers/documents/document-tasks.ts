/** Tasks of the processes that convert documents. Loading this module bounds the memory of their libraries. */
import { writeSync } from 'node:fs';

export { convertDocument } from './convert-document.ts';

/** Far above the streams of real documents, and far below those that take minutes to read. */
const MAX_BUFFER_BYTES = 96 * 1024 * 1024;

boundBuffers();
boundDecompression();

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

/** Chunks of streams bypass the constructor above. */
function boundDecompression(): void {
  const Unbounded = DecompressionStream;
  globalThis.DecompressionStream = class implements DecompressionStream {
    readonly readable: DecompressionStream['readable'];
    readonly writable: DecompressionStream['writable'];

    constructor(...args: ConstructorParameters<typeof DecompressionStream>) {
      const { readable, writable } = new Unbounded(...args);
      let bytes = 0;
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > MAX_BUFFER_BYTES) endForBuffer(bytes);
          controller.enqueue(chunk);
        },
      });
      this.readable = (readable as ReadableStream<Uint8Array>).pipeThrough(count) as DecompressionStream['readable'];
      this.writable = writable;
    }
  };
}

function endForBuffer(size: unknown): void {
  writeSync(2, `allocation failed: a buffer of ${String(size)} bytes`);
  process.exit(1);
}
