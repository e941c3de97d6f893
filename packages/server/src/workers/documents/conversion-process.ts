/** Program of a process that converts documents; {@link ConversionProcesses} starts it. */
import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { convertDocument } from './convert-document.ts';
import type { ConversionTask, Converted } from './convert-document.ts';

/** The first message says that the program is loaded, each further one answers a task. */
export type ProcessMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'converted'; readonly converted: Converted; readonly residentBytes: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Far above the streams of real documents, and far below those that take minutes to read. */
const MAX_BUFFER_BYTES = 96 * 1024 * 1024;

endWithParent();
boundBuffers();
boundDecompression();
// Service managers signal every process. During the grace time of a shutdown, documents are finished.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('message', (task: ConversionTask) => {
  void convertDocument(task).then(
    (converted) => send({ kind: 'converted', converted, residentBytes: process.memoryUsage.rss() }),
    (error: unknown) => send({ kind: 'failed', reason: error instanceof Error ? (error.stack ?? '') : String(error) }),
  );
});
send({ kind: 'ready' });

function send(message: ProcessMessage): void {
  process.send?.(message, () => undefined);
}

/** Standard input ends when the parent dies, even by SIGKILL. Only another thread notices during an endless loop. */
function endWithParent(): void {
  const program = `require('node:fs').readSync(0, Buffer.alloc(1)); process.kill(process.pid, 'SIGKILL');`;
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, codeRangeSizeMb: 8 };
  new Worker(program, { eval: true, resourceLimits }).unref();
  // An ordinary end waits for the thread, which waits for the parent.
  process.on('exit', () => process.kill(process.pid, 'SIGKILL'));
}

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
