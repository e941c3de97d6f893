import { ulid } from 'ulid';
import { drawRandom } from './random-pool.ts';

const drawFraction = (): number => (drawRandom(1)[0] ?? 0) / 256;

/** Ids sort by creation time. */
export function newId(prefix: string): string {
  return `${prefix}_${ulid(Date.now(), drawFraction)}`;
}
