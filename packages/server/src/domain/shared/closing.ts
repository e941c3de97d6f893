/** Lets `await using` close a part at the end of its block. */
export function closing<T extends { close(): Promise<void> | void }>(part: T): T & AsyncDisposable {
  return Object.assign(part, { [Symbol.asyncDispose]: async () => part.close() });
}

/** Lets `using` release what is held at the end of its block. */
export function releasing<T extends { release(): void }>(held: T): T & Disposable {
  return Object.assign(held, { [Symbol.dispose]: () => held.release() });
}
