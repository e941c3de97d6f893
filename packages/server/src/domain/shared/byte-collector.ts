const FIRST_BLOCK = 16_384;
const LARGEST_BLOCK = 1_048_576;

/**
 * Collects bytes as they arrive. Copies every chunk into growing blocks: a kept chunk costs an object of about 130
 * bytes, even for a single byte, and may hold the whole read that it is a part of.
 */
export class ByteCollector {
  #full: Buffer[] = [];
  #block = EMPTY;
  #used = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#used === this.#block.length) this.#startBlock();
      const end = Math.min(chunk.length, at + this.#block.length - this.#used);
      this.#block.set(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end), this.#used);
      this.#used += end - at;
      this.#length += end - at;
      at = end;
    }
  }

  /** Returns the collected bytes and starts again. */
  take(): Buffer {
    const last = this.#block.subarray(0, this.#used);
    const bytes = this.#full.length === 0 ? last : Buffer.concat([...this.#full, last]);
    this.#full = [];
    this.#block = EMPTY;
    this.#used = this.#length = 0;
    return bytes;
  }

  #startBlock(): void {
    if (this.#used > 0) this.#full.push(this.#block);
    this.#block = Buffer.allocUnsafeSlow(Math.min(LARGEST_BLOCK, Math.max(FIRST_BLOCK, this.#length)));
    this.#used = 0;
  }
}

const EMPTY = Buffer.alloc(0);

/** Returns the first `maxBytes` bytes, and ends the source there. */
export async function readStart(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const collector = new ByteCollector();
  for await (const chunk of source) {
    collector.add(chunk.subarray(0, maxBytes - collector.length));
    if (collector.length >= maxBytes) break;
  }
  return collector.take();
}

const PIECE = 65_536;

/** Yields the first `maxBytes` bytes in pieces of 64 KiB or more, however small the chunks of the source are. */
export async function* readPieces(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer, void> {
  const collector = new ByteCollector();
  let left = maxBytes;
  for await (const chunk of source) {
    const wanted = chunk.subarray(0, left);
    collector.add(wanted);
    left -= wanted.length;
    if (collector.length >= PIECE) yield collector.take();
    if (left <= 0) break;
  }
  if (collector.length > 0) yield collector.take();
}
