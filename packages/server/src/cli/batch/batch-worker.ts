/** Task of a batch process: reads, extracts and writes one page. */
import { performance } from 'node:perf_hooks';
import { extract } from '@winnow/extract';
import { toExtractOptions, type ContentOptions } from '../../domain/request-options/content-options.ts';
import { AppError, messageOf } from '../../domain/shared/errors.ts';
import { listDoubts, presentError } from '../../http/answers/present.ts';
import { presentExtraction, type PageOrigin } from '../support/present-extraction.ts';
import { failedLine, type BatchTaskOutcome } from './batch-item.ts';
import { readHtmlFile } from '../support/read-html-file.ts';

export interface BatchTask {
  readonly id: string | number;
  readonly origin: PageOrigin;
  readonly contentLanguage: string | null;
  readonly source: { readonly html: string } | { readonly htmlFile: string };
  readonly content: ContentOptions;
  readonly maxBytes: number;
  readonly engineFamily: string;
}

/** Returns faults of the page as its line. */
export async function runBatchTask(task: BatchTask): Promise<BatchTaskOutcome> {
  let html: string;
  try {
    html = 'html' in task.source ? task.source.html : await readHtmlFile(task.source.htmlFile, task.maxBytes);
  } catch (error) {
    return failedLine({ id: task.id }, presentError(new AppError('invalid_request', `html_file: ${messageOf(error)}`)));
  }
  try {
    return extractToLine(task, html);
  } catch (error) {
    const message = `the extraction failed: ${messageOf(error)}`;
    const fault = presentError(new AppError('internal', '', { stage: 'extract', retryable: false }));
    return failedLine({ id: task.id }, { ...fault, message });
  }
}

function extractToLine(task: BatchTask, html: string): BatchTaskOutcome {
  const { url, finalUrl } = task.origin;
  const { content, contentLanguage } = task;
  const started = performance.now();
  const extraction = extract(html, toExtractOptions({ ...content, url: finalUrl ?? url, contentLanguage }));
  const elapsedMs = Math.round((performance.now() - started) * 100) / 100;
  const { result, metadata } = presentExtraction(extraction, task.origin, task.engineFamily);
  const line = JSON.stringify({ id: task.id, result, metadata, elapsed_ms: elapsedMs });
  return { line, warned: listDoubts(metadata).length > 0 };
}
