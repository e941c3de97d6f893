import type { Config } from '../config/config.ts';
import { workerMemoryBytes, workerThreadCount } from '../config/machine.ts';
import { DocumentProcesses } from '../workers/documents/document-processes.ts';

/** Processes that convert PDFs and other documents; they start on demand. */
export function openDocuments(config: Config): DocumentProcesses {
  return new DocumentProcesses({
    processes: Math.ceil(workerThreadCount(config) / 2),
    memoryBytes: workerMemoryBytes(config),
    maxQueue: config.maxQueue,
    maxPages: config.maxPdfPages,
    maxCharacters: config.maxPageBytes,
  });
}
