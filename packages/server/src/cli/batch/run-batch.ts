import path from 'node:path';
import type { Favor, Format, HiddenText } from '@winnow/contract';
import { AppError } from '../../domain/shared/errors.ts';
import { formatBytes } from '../../domain/shared/format-bytes.ts';
import type { Capture } from '../../domain/capture/capture-ports.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import { describeFailure } from '../support/write-failure.ts';
import { batchFault, isFault, parseBatchLine } from './batch-item.ts';
import type { BatchFault, BatchItem } from './batch-item.ts';
import type { BatchOutcome, BatchTask } from './batch-worker.ts';
import type { BatchCounts } from './progress.ts';
import type { Line } from './read-lines.ts';
import { resultKey } from './results-file.ts';
import type { WarcPage } from './read-warc.ts';
import type { ResultsWriter } from './results-file.ts';

/** Longest line of the input: a page of the largest size, every character of it escaped. */
export const MAX_INPUT_LINE_BYTES: number = 128 * 1024 * 1024;

export interface BatchOptions {
  /** The input: lines of JSON, or the pages of an archive. */
  readonly input: { readonly lines: AsyncIterable<Line> } | { readonly pages: AsyncIterable<WarcPage> };
  /** Folder that the names in `html_file` are relative to. */
  readonly folder: string;
  readonly pool: WorkerPool;
  /** Fetches a page of which only the URL is given; undefined: such a line is an error. */
  readonly fetch: ((url: string) => Promise<Capture>) | undefined;
  readonly writer: ResultsWriter;
  /** Pages under way at the same time. */
  readonly concurrency: number;
  /** Keys of pages that an earlier run has done. */
  readonly doneKeys: ReadonlySet<string>;
  readonly formats: readonly Format[];
  readonly favor: Favor;
  readonly hiddenText: HiddenText;
  readonly pageTimeoutMs: number;
  readonly maxPageBytes: number;
  readonly engineFamily: string;
  readonly signal: AbortSignal;
}

/**
 * Extracts every page of the input, as many at a time as `concurrency` says, and writes each result when
 * it is ready: the output's order is that of completion. Memory is bounded by the pages under way. What
 * is wrong with a page becomes its line in the output; only a failure to write ends the run. After an
 * abort nothing new is begun, and what runs is finished.
 */
export async function runBatch(options: BatchOptions, counts: BatchCounts): Promise<void> {
  const running = new Set<Promise<void>>();
  const outcome: { failure?: unknown } = {};
  /** Where each id stood first. */
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
      if (options.doneKeys.has(key)) {
        counts.skipped += 1;
        continue;
      }
      const earlier = lineOf.get(key);
      if (earlier === undefined) lineOf.set(key, line);
      // The next page is read while all threads are busy, so that none waits for it.
      while (running.size >= options.concurrency) await Promise.race(running);
      if (options.signal.aborted || outcome.failure !== undefined) break;
      start(earlier === undefined ? page : repeatedId(page, line, earlier));
    }
  } catch (error) {
    // An abort destroys the input stream.
    if (!options.signal.aborted) throw error;
  } finally {
    await Promise.all(running);
  }
  if (outcome.failure !== undefined) throw outcome.failure;
}

/** What the input names, and in which line, or as which page of an archive. */
interface Entry {
  readonly page: BatchItem | BatchFault;
  readonly line: number;
}

async function* readEntries(options: BatchOptions, counts: BatchCounts): AsyncGenerator<Entry> {
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

/** Two results of one id could not be told apart. */
function repeatedId({ id }: BatchItem | BatchFault, line: number, earlier: number): BatchFault {
  return batchFault(id, line, `id: duplicate id, first used on line ${earlier}`);
}

function readEntry(line: Line, options: BatchOptions): BatchItem | BatchFault | undefined {
  if (line.text === undefined) {
    return batchFault(null, line.number, `is longer than ${formatBytes(MAX_INPUT_LINE_BYTES)}`);
  }
  if (line.text.trim() === '') return undefined;
  return parseBatchLine(line.text, line.number, options.fetch !== undefined);
}

async function runEntry(entry: BatchItem | BatchFault, options: BatchOptions, counts: BatchCounts): Promise<void> {
  const outcome = isFault(entry) ? presentFault(entry) : await extractItem(entry, options);
  await options.writer.write(outcome.line);
  counts.done += 1;
  if (outcome.failed) counts.failed += 1;
}

async function extractItem(item: BatchItem, options: BatchOptions): Promise<BatchOutcome> {
  try {
    const task = await prepareTask(item, options);
    // A run that is stopped finishes what it began, so the signal does not reach the threads.
    const budget = { timeoutMs: options.pageTimeoutMs, signal: new AbortController().signal };
    return await options.pool.run<BatchOutcome>('runBatchTask', task, 'extract', budget);
  } catch (error) {
    return { line: JSON.stringify({ id: item.id, error: describeFailure(error, 'extract') }), failed: true };
  }
}

async function prepareTask(item: BatchItem, options: BatchOptions): Promise<BatchTask> {
  const { formats, favor, hiddenText, maxPageBytes: maxBytes, engineFamily } = options;
  const shared = { id: item.id, formats, favor, hiddenText, maxBytes, engineFamily };
  if (!('fetch' in item.source)) {
    const source =
      'html' in item.source ? item.source : { htmlFile: path.resolve(options.folder, item.source.htmlFile) };
    const { statusCode = null, fetchedAt = null, contentLanguage = null } = item.captured ?? {};
    const origin = { url: item.url, finalUrl: item.url, statusCode, engine: null, fetchedAt };
    return { ...shared, origin, contentLanguage, source };
  }
  if (options.fetch === undefined) throw new AppError('internal', 'there is nothing to fetch with');
  const capture = await options.fetch(item.source.fetch);
  const { finalUrl, statusCode, engine, contentLanguage, html, partial } = capture;
  const origin = { url: item.url, finalUrl, statusCode, engine, partial, fetchedAt: capture.fetchedAt.toISOString() };
  return { ...shared, origin, contentLanguage, source: { html } };
}

function presentFault(fault: BatchFault): BatchOutcome {
  const { id, line, error } = fault;
  return { line: JSON.stringify(id === null ? { id, line, error } : { id, error }), failed: true };
}
