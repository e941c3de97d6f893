import { ulid } from 'ulid';
import { drawRandom } from './random-pool.ts';

const drawFraction = (): number => (drawRandom(1)[0] ?? 0) / 256;

/** A fresh id, `<prefix>_<ULID>`: ids of one prefix sort by the millisecond in which they were made. */
export function newId(prefix: string): string {
  return `${prefix}_${ulid(Date.now(), drawFraction)}`;
}
