/** Tasks that behave as badly as a page can make an extraction behave. */
import { threadId } from 'node:worker_threads';
import { type Box, box } from '../../domain/box.ts';

export function echo(value: string): Box<string> {
  return box(value);
}

/** The thread in which it ran, after so many milliseconds. */
export function takeLong(ms: number): Box<number> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return box(threadId);
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
