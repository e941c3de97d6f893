export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const result = before === undefined ? task() : before.then(task, task);
    this.#tails.set(key, result);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === result) this.#tails.delete(key);
    }
  }
}
