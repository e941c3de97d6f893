/** Tasks that behave as badly as malicious pages. */
import { existsSync, writeFileSync } from 'node:fs';

export function echo(value: string): string {
  return value;
}

/** Blocks the process and returns its id. */
export function takeLong(ms: number): number {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return process.pid;
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

/** More than the heap may have, at once: V8 does not ask anybody before it ends the process. */
export function fillOneArray(): number {
  return Array.from({ length: 2 ** 26 }).fill(0.5).length;
}

/** Buffers are outside the heap. */
export function fillOneBuffer(): number {
  return Buffer.alloc(2 ** 31, 1).length;
}

/** Is killed from outside, until the file exists. */
export function dieOnce(file: string): string {
  if (existsSync(file)) return 'survived';
  writeFileSync(file, '');
  process.kill(process.pid, 'SIGKILL');
  return 'unreachable';
}

export function dieAlways(): void {
  process.kill(process.pid, 'SIGKILL');
}

export function crash(): void {
  process.abort();
}
