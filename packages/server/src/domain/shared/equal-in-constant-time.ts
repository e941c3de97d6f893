import { timingSafeEqual } from 'node:crypto';

/** Compares secrets in a time that depends only on their lengths. */
export function equalInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
