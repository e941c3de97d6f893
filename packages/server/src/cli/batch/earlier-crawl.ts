import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { BatchLine } from '@winnow/contract';
import { cleanAddress, keyOf } from '../../domain/crawls/crawl-address.ts';
import type { EarlierCrawls } from '../../domain/crawls/crawl-ports.ts';
import { CommandError } from '../support/cli-io.ts';
import { readLines } from './read-lines.ts';
import { isGzip } from './results-file.ts';

const MAX_LINE_BYTES = 128 * 1024 * 1024;

/** The output of an earlier crawl, as the crawl to compare with. Of its lines only the places are in memory. */
export class EarlierCrawlFile implements EarlierCrawls {
  readonly #copy: FileHandle;
  readonly #places = new Map<string, { readonly start: number; readonly length: number }>();
  readonly #urls: string[] = [];

  private constructor(copy: FileHandle) {
    this.#copy = copy;
  }

  /**
   * @param copy file for the lines, which the output of the new crawl may replace
   * @throws {CommandError} for a file that is no output of a crawl
   */
  static async open(file: string, copy: string): Promise<EarlierCrawlFile> {
    const earlier = new EarlierCrawlFile(await open(copy, 'w+'));
    try {
      await earlier.#read(file);
      return earlier;
    } catch (error) {
      await earlier.close();
      throw error instanceof CommandError ? error : new CommandError(`${file}: ${(error as Error).message}`);
    }
  }

  find(): ReturnType<EarlierCrawls['find']> {
    return Promise.resolve({ state: 'completed', options: { crawl: {} } });
  }

  listDone(): Promise<string[]> {
    return Promise.resolve(this.#urls);
  }

  async findLine(_id: string, keys: readonly string[]): Promise<string | undefined> {
    const place = keys.map((key) => this.#places.get(key)).find((one) => one !== undefined);
    if (place === undefined) return undefined;
    const { buffer } = await this.#copy.read(Buffer.alloc(place.length), 0, place.length, place.start);
    return buffer.toString('utf8');
  }

  async close(): Promise<void> {
    await this.#copy.close();
  }

  async #read(file: string): Promise<void> {
    let start = 0;
    for await (const { text, number } of readLines(openLines(file), MAX_LINE_BYTES)) {
      const line = parseLine(text);
      if (line === undefined) throw new CommandError(`${file}: line ${number} is not a result of a crawl`);
      if (line.result === undefined) continue;
      const bytes = Buffer.from(text ?? '');
      await this.#copy.write(bytes);
      this.#urls.push(line.url ?? '');
      for (const address of [line.url ?? '', line.result.final_url]) {
        const url = cleanAddress(address);
        const key = url && keyOf(url);
        if (key !== undefined && !this.#places.has(key)) this.#places.set(key, { start, length: bytes.length });
      }
      start += bytes.length;
    }
  }
}

function openLines(file: string): Readable {
  const source = createReadStream(file);
  // A failure reaches the reader through the stream.
  return isGzip(file) ? pipeline(source, createGunzip(), () => undefined) : source;
}

function parseLine(text: string | undefined): BatchLine | undefined {
  try {
    const line = JSON.parse(text ?? '') as BatchLine | null;
    const isLine = typeof line?.url === 'string' && (line.result !== undefined || line.error !== undefined);
    return isLine ? line : undefined;
  } catch {
    return undefined;
  }
}
