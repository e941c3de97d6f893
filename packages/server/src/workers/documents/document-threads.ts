import { AppError } from '../../domain/shared/errors.ts';
import type { DocumentConverter, DocumentSource } from '../../domain/capture/documents.ts';
import type { StageBudget } from '../../domain/shared/ports.ts';
import type { ConversionTask, Converted } from './convert-document.ts';
import { WorkerPool } from '../worker-pool.ts';

export interface DocumentThreadsOptions {
  readonly threads: number;
  /** Per thread, for the heap and again for buffers. */
  readonly memoryBytes: number;
  readonly maxQueue: number;
  /** Maximum pages of a PDF. */
  readonly maxPages: number;
  /** Of the resulting page. */
  readonly maxCharacters: number;
}

/** Unless the request has less time. */
const TIMEOUT_MS = 60_000;

/** Converts documents in separate threads, so that a hostile file affects no other page. */
export class DocumentThreads implements DocumentConverter {
  readonly #pool: WorkerPool;
  readonly #options: DocumentThreadsOptions;

  constructor(options: DocumentThreadsOptions) {
    this.#options = options;
    this.#pool = new WorkerPool({
      threads: options.threads,
      memoryBytes: options.memoryBytes,
      maxQueue: options.maxQueue,
      name: 'the reading of documents',
      module: new URL('./convert-document.ts', import.meta.url),
    });
  }

  async convert(source: DocumentSource, { timeoutMs, signal }: StageBudget): Promise<string> {
    const { maxPages, maxCharacters, memoryBytes: maxBufferBytes } = this.#options;
    const task: ConversionTask = { source, maxPages, maxCharacters, maxBufferBytes };
    const budget = { timeoutMs: Math.min(TIMEOUT_MS, timeoutMs), signal };
    const { html, refusal } = await this.#pool.run<Converted>('convertDocument', task, 'fetch', budget);
    if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
    return html;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}
