/** Tasks that behave as badly as malicious pages. */
import { threadId } from 'node:worker_threads';
import { type TransferCell, toCell } from '../../domain/shared/transfer-cell.ts';

export function echo(value: string): TransferCell<string> {
  return toCell(value);
}

/** Blocks the thread and returns its id. */
export function takeLong(ms: number): TransferCell<number> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return toCell(threadId);
}

export function spin(): never {
  for (;;);
}

export function fillMemory(): number {
  const kept: number[][] = [];
  for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => index + kept.length));
}

export function fail(): never {
  throw new RangeError('something inside');
}

export function exit(): never {
  process.exit(3);
}
