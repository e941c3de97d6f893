import { ulid } from 'ulid';
import { drawByte } from './random-pool.ts';

const drawFraction = (): number => drawByte() / 256;

/** Ids sort by creation time. */
export function newId(prefix: string): string {
  return `${prefix}_${ulid(Date.now(), drawFraction)}`;
}
