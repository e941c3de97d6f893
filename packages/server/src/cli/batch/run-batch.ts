import path from 'node:path';
import type { ContentOptions } from '../../domain/request-options/content-options.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { formatBytes } from '../../domain/shared/format-bytes.ts';
import type { Capture } from '../../domain/capture/capture-ports.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import { describeFailure } from '../support/present-extraction.ts';
import { batchFault, failedLine, isFault, parseBatchLine } from './batch-item.ts';
import type { BatchFault, BatchItem, BatchTaskOutcome } from './batch-item.ts';
import type { BatchTask } from './batch-worker.ts';
import type { BatchCounts } from './progress.ts';
import type { InputLine } from './read-lines.ts';
import { resultKey, type ResultsWriter } from './results-file.ts';
import type { WarcPage } from './read-warc.ts';

/** A page of the maximum size with every character escaped. */
export const MAX_INPUT_LINE_BYTES: number = 128 * 1024 * 1024;

export interface BatchRunOptions {
  /** JSON lines, or pages of an archive. */
  readonly input: { readonly lines: AsyncIterable<InputLine> } | { readonly pages: AsyncIterable<WarcPage> };
  /** Base folder of `html_file`. */
  readonly folder: string;
  readonly pool: WorkerPool;
  /** Fetches pages without HTML; undefined: such lines are errors. */
  readonly fetch: ((url: string) => Promise<Capture>) | undefined;
  readonly writer: ResultsWriter;
  /** Concurrent pages. */
  readonly concurrency: number;
  readonly earlier: ReadonlyMap<string, boolean>;
  /** Whether pages that failed in the earlier run are tried again. */
  readonly retryFailed: boolean;
  readonly content: ContentOptions;
  /** Longest extraction of a page. */
  readonly pageTimeoutMs: number;
  readonly maxPageBytes: number;
  readonly engineFamily: string;
  readonly signal: AbortSignal;
}

/**
 * Extracts every page concurrently and writes results in order of completion. Faults of a page become its output line;
 * only a write failure ends the run. An abort finishes running pages.
 */
export async function runBatch(options: BatchRunOptions, counts: BatchCounts): Promise<void> {
  const running = new Set<Promise<void>>();
  const outcome: { failure?: unknown } = {};
  const lineOf = new Map<string, number>();
  const start = (entry: BatchItem | BatchFault): void => {
    const task = runEntry(entry, options, counts)
      .catch((error: unknown) => {
        outcome.failure ??= error;
      })
      .finally(() => running.delete(task));
    running.add(task);
  };
  try {
    for await (const { page, line } of readEntries(options, counts)) {
      const key = resultKey(page);
      const hasFailed = options.earlier.get(key);
      if (hasFailed === false || (hasFailed === true && !options.retryFailed)) {
        counts.skipped += 1;
        if (hasFailed) counts.failedEarlier += 1;
        continue;
      }
      const earlier = lineOf.get(key);
      if (earlier === undefined) lineOf.set(key, line);
      // Reads ahead while all workers are busy.
      while (running.size >= options.concurrency) await Promise.race(running);
      if (options.signal.aborted || outcome.failure !== undefined) break;
      // Results with the same id could not be distinguished.
      const fault = `id: duplicate id, first used on line ${earlier}`;
      start(earlier === undefined ? page : batchFault(page.id, line, fault));
    }
  } catch (error) {
    // An abort destroys the input stream.
    if (!options.signal.aborted) throw error;
  } finally {
    await Promise.all(running);
  }
  if (outcome.failure !== undefined) throw outcome.failure;
}

interface Entry {
  readonly page: BatchItem | BatchFault;
  readonly line: number;
}

async function* readEntries(options: BatchRunOptions, counts: BatchCounts): AsyncGenerator<Entry> {
  if ('pages' in options.input) {
    let line = 0;
    for await (const { id, url, html, ...captured } of options.input.pages) {
      line += 1;
      yield { page: { id, url, source: { html }, captured }, line };
    }
    return;
  }
  for await (const line of options.input.lines) {
    counts.readBytes = line.endsAt;
    const page = readEntry(line, options);
    if (page !== undefined) yield { page, line: line.number };
  }
}

function readEntry(line: InputLine, options: BatchRunOptions): BatchItem | BatchFault | undefined {
  if (line.text === undefined) {
    return batchFault(null, line.number, `is longer than ${formatBytes(MAX_INPUT_LINE_BYTES)}`);
  }
  if (line.text.trim() === '') return undefined;
  return parseBatchLine(line.text, line.number, options.fetch !== undefined);
}

async function runEntry(entry: BatchItem | BatchFault, options: BatchRunOptions, counts: BatchCounts): Promise<void> {
  const outcome = isFault(entry) ? presentFault(entry) : await extractItem(entry, options);
  await options.writer.write(outcome.line);
  counts.done += 1;
  if (outcome.failure !== undefined) {
    counts.failed += 1;
    counts.failures[outcome.failure] = (counts.failures[outcome.failure] ?? 0) + 1;
  }
  if (outcome.warned) counts.warned += 1;
}

async function extractItem(item: BatchItem, options: BatchRunOptions): Promise<BatchTaskOutcome> {
  try {
    const task = await prepareTask(item, options);
    // A stopped run finishes its pages, so the signal does not reach the workers.
    const budget = { timeoutMs: options.pageTimeoutMs, signal: new AbortController().signal };
    return await options.pool.run<BatchTaskOutcome>('runBatchTask', task, 'extract', budget);
  } catch (error) {
    return failedLine({ id: item.id }, describeFailure(error, 'extract'));
  }
}

async function prepareTask(item: BatchItem, options: BatchRunOptions): Promise<BatchTask> {
  const { content, maxPageBytes: maxBytes, engineFamily } = options;
  const shared = { id: item.id, content, maxBytes, engineFamily };
  if (!('fetch' in item.source)) {
    const source =
      'html' in item.source ? item.source : { htmlFile: path.resolve(options.folder, item.source.htmlFile) };
    const { statusCode = null, fetchedAt = null, contentLanguage = null } = item.captured ?? {};
    const origin = { url: item.url, finalUrl: item.url, statusCode, engine: null, fetchedAt };
    return { ...shared, origin, contentLanguage, source };
  }
  if (options.fetch === undefined) throw new AppError('internal', 'no engine is available to fetch pages');
  const capture = await options.fetch(item.source.fetch);
  const { finalUrl, statusCode, engine, contentLanguage, html, partial } = capture;
  const origin = { url: item.url, finalUrl, statusCode, engine, partial, fetchedAt: capture.fetchedAt.toISOString() };
  return { ...shared, origin, contentLanguage, source: { html } };
}

function presentFault(fault: BatchFault): BatchTaskOutcome {
  const { id, line, error } = fault;
  return failedLine(id === null ? { id, line } : { id }, error);
}
