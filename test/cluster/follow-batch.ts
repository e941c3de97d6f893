import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchBody, BatchLine, BatchResponse } from '@winnow/contract';

/** A service and its key; the URL changes when the service restarts on another port. */
export interface BatchTarget {
  readonly url: string;
  readonly key: string;
}

export async function createBatch(
  target: BatchTarget,
  urls: readonly string[],
  idempotencyKey: string,
): Promise<BatchBody> {
  const response = await fetch(`${target.url}/v1/batches`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': target.key, 'Idempotency-Key': idempotencyKey },
    body: JSON.stringify({ urls }),
  });
  const text = await response.text();
  assert.equal(response.status, 200, text.slice(0, 500));
  return (JSON.parse(text) as BatchResponse).batch;
}

/** Returns undefined when no node answers, for example after a kill. */
export async function readBatch(target: BatchTarget, id: string): Promise<BatchBody | undefined> {
  try {
    const response = await fetch(`${target.url}/v1/batches/${id}`, { headers: { 'X-API-Key': target.key } });
    if (!response.ok) return undefined;
    return ((await response.json()) as BatchResponse).batch;
  } catch {
    return undefined;
  }
}

/** Waits until this number of items is finished; returns the actual number. */
export async function waitForDone(target: BatchTarget, id: string, items: number): Promise<number> {
  for (;;) {
    const batch = await readBatch(target, id);
    const finished = batch === undefined ? 0 : batch.counts.done + batch.counts.failed;
    if (finished >= items && (items < (batch?.total ?? 0) || batch?.state === 'completed')) return finished;
    await sleep(250);
  }
}

export interface ResultCheck {
  readonly lines: number;
  readonly failed: number;
  /** Indexes without a line, and with more than one. */
  readonly absent: readonly number[];
  readonly repeated: readonly number[];
  /** Lines with the text of another page. */
  readonly wrong: readonly number[];
  readonly errors: Readonly<Record<string, number>>;
}

/** Reads all results; the text of item n must say "page n". */
export async function checkResults(target: BatchTarget, id: string, total: number): Promise<ResultCheck> {
  const response = await fetch(`${target.url}/v1/batches/${id}/results`, { headers: { 'X-API-Key': target.key } });
  assert.equal(response.status, 200);
  const lines = (await response.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BatchLine);
  const counts = new Map<number, number>();
  for (const { index } of lines) counts.set(index, (counts.get(index) ?? 0) + 1);
  const failures = lines.filter((line) => line.error !== undefined);
  const errors: Record<string, number> = {};
  for (const { error } of failures) errors[error?.code ?? ''] = (errors[error?.code ?? ''] ?? 0) + 1;
  return {
    lines: lines.length,
    failed: failures.length,
    absent: Array.from({ length: total }, (_, index) => index).filter((index) => !counts.has(index)),
    repeated: [...counts].filter(([, count]) => count > 1).map(([index]) => index),
    wrong: lines.filter((line) => line.result && !isOfPage(line, line.index)).map((line) => line.index),
    errors,
  };
}

function isOfPage(line: BatchLine, index: number): boolean {
  return new RegExp(`\\bpage ${index}\\b`).test(line.result?.main_text ?? '');
}
