const MIB = 1024 * 1024;

/** Far above the streams of real documents, and far below the expansion of hostile ones. */
const MAX_BUFFER_BYTES = 96 * MIB;

/** Smaller buffers are not counted: reading the total takes longer than allocating them. */
const COUNTED_BYTES = MIB;

/** Rejects large buffers in this thread. A worker's heap limit ignores buffers, into which PDF streams expand. */
export class AllocationGuard {
  #isExceeded = false;

  /** True if a buffer was rejected since the last reset: libraries may swallow the error. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  reset(): void {
    this.#isExceeded = false;
  }

  /** @param maxTotalBytes of all buffers of the thread */
  install(maxTotalBytes: number): void {
    const refuse = (bytes: number): RangeError => {
      this.#isExceeded = true;
      return new RangeError(`a buffer of ${bytes} bytes is over the limit`);
    };
    globalThis.Uint8Array = new Proxy(Uint8Array, {
      construct(target, args: unknown[], newTarget) {
        const [size] = args;
        const isCounted = typeof size === 'number' && size >= COUNTED_BYTES;
        if (isCounted && (size > MAX_BUFFER_BYTES || process.memoryUsage().arrayBuffers + size > maxTotalBytes))
          throw refuse(size);
        return Reflect.construct(target, args, newTarget) as Uint8Array;
      },
    });
    globalThis.DecompressionStream = boundDecompression(DecompressionStream, refuse);
  }
}

/** Makes decompression streams fail at the limit, since their chunks bypass the constructor. */
function boundDecompression(
  Unbounded: typeof DecompressionStream,
  refuse: (bytes: number) => RangeError,
): typeof DecompressionStream {
  return class implements DecompressionStream {
    readonly readable: DecompressionStream['readable'];
    readonly writable: DecompressionStream['writable'];

    constructor(...args: ConstructorParameters<typeof DecompressionStream>) {
      const { readable, writable } = new Unbounded(...args);
      let bytes = 0;
      const limit = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > MAX_BUFFER_BYTES) controller.error(refuse(bytes));
          else controller.enqueue(chunk);
        },
      });
      this.readable = (readable as ReadableStream<Uint8Array>).pipeThrough(limit) as DecompressionStream['readable'];
      this.writable = writable;
    }
  };
}
