import { workerThreadCount } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { DocumentThreads } from '../workers/documents/document-threads.ts';

/** The threads that make pages of PDFs and other documents; they start when they are first needed. */
export function openDocuments(config: Config): DocumentThreads {
  return new DocumentThreads({
    threads: Math.ceil(workerThreadCount(config) / 2),
    memoryBytes: config.workerMemoryBytes,
    maxQueue: config.maxQueue,
    maxPages: config.maxPdfPages,
    maxCharacters: config.maxPageBytes,
  });
}
