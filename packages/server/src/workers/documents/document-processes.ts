import { WorkerPool } from '../worker-pool.ts';
import type { ConversionTask } from './convert-document.ts';
import type { ConvertedDocument, DocumentConverter, DocumentSource } from '../../domain/capture/capture-ports.ts';
import type { StageBudget } from '../../domain/shared/ports.ts';

interface DocumentProcessesOptions {
  /** Documents read at the same time. */
  readonly processes: number;
  /** Per process, for heap and buffers together. */
  readonly memoryBytes: number;
  readonly maxQueue: number;
  /** Maximum pages of a PDF. */
  readonly maxPages: number;
  /** Of the resulting page. */
  readonly maxCharacters: number;
}

/** Unless the request has less time. */
const TIMEOUT_MS = 60_000;

/** Converts documents in separate processes, so that a file that crashes its parser affects no other request. */
export class DocumentProcesses implements DocumentConverter {
  readonly #pool: WorkerPool;
  readonly #options: DocumentProcessesOptions;

  constructor(options: DocumentProcessesOptions) {
    this.#options = options;
    this.#pool = new WorkerPool({
      workers: options.processes,
      memoryBytes: options.memoryBytes,
      maxQueue: options.maxQueue,
      name: 'the reading of documents',
      content: 'decompressed document',
      module: new URL('./document-tasks.ts', import.meta.url),
    });
  }

  async convert(source: DocumentSource, { timeoutMs, signal }: StageBudget): Promise<ConvertedDocument> {
    const { maxPages, maxCharacters } = this.#options;
    const task: ConversionTask = { source, maxPages, maxCharacters };
    const budget = { timeoutMs: Math.min(TIMEOUT_MS, timeoutMs), signal };
    return this.#pool.run('convertDocument', task, 'fetch', budget);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}
