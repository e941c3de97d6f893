import { readFile, stat } from 'node:fs/promises';

/** A small system file, reloaded on change. An unreadable file counts as empty. */
export class SystemFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  #stamp = '';
  #value: T;

  constructor(path: string, parse: (text: string) => T) {
    this.#path = path;
    this.#parse = parse;
    this.#value = parse('');
  }

  async read(): Promise<T> {
    const stamp = await stat(this.#path).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => '',
    );
    if (stamp !== this.#stamp) {
      this.#value = this.#parse(await readFile(this.#path, 'utf8').catch(() => ''));
      this.#stamp = stamp;
    }
    return this.#value;
  }
}
