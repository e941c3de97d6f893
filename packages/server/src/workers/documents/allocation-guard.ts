const MIB = 1024 * 1024;

/** Largest single buffer: far above the streams of real documents, far below what a hostile stream unfolds to. */
const MAX_BUFFER_BYTES = 96 * MIB;

/** Smaller buffers are not counted: asking for the total takes longer than making them. */
const COUNTED_BYTES = MIB;

/**
 * Refuses large buffers in this thread. The heap limit of a worker thread does not count the memory of buffers, and
 * PDF streams unfold into buffers.
 */
export class AllocationGuard {
  #isExceeded = false;

  /** Whether a buffer was refused since the last reset: libraries may swallow the error. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  reset(): void {
    this.#isExceeded = false;
  }

  /** @param maxTotalBytes bytes that all buffers of the thread may take together */
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

/** Streams whose output ends with an error at the limit. Their chunks are not made through the constructor above. */
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
