import { workerThreadCount } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { DocumentThreads } from '../workers/documents/document-threads.ts';

/** Threads that convert PDFs and other documents; they start on demand. */
export function openDocuments(config: Config): DocumentThreads {
  return new DocumentThreads({
    threads: Math.ceil(workerThreadCount(config) / 2),
    memoryBytes: config.workerMemoryBytes,
    maxQueue: config.maxQueue,
    maxPages: config.maxPdfPages,
    maxCharacters: config.maxPageBytes,
  });
}
