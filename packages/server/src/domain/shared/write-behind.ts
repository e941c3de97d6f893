export interface WriteBehindOptions {
  readonly delayMs: number;
  /** Of writes in the background. */
  readonly onError: (error: unknown) => void;
}

/** Writes collected items some time after the first one, one write at a time. A crash loses items not yet written. */
export class WriteBehind {
  readonly #write: () => Promise<void>;
  readonly #options: WriteBehindOptions;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** @param write takes and writes everything collected */
  constructor(write: () => Promise<void>, options: WriteBehindOptions) {
    this.#write = write;
    this.#options = options;
  }

  schedule(): void {
    const { delayMs, onError } = this.#options;
    this.#timer ??= setTimeout(() => void this.flush().catch(onError), delayMs).unref();
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const write = this.#writing.then(this.#write);
    this.#writing = write.catch(() => undefined);
    return write;
  }
}
