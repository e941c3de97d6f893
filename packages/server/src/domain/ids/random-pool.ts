import { randomFillSync } from 'node:crypto';

/** Random bytes are drawn in bulk: a draw for each use would take twenty times as long as all the rest. */
const pool = Buffer.alloc(4096);
let next = pool.length;

/** Cryptographically random bytes, at most 4096, each given out once. Good until the next call. */
export function drawRandom(count: number): Buffer {
  if (next + count > pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  next += count;
  return pool.subarray(next - count, next);
}
