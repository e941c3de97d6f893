import { timingSafeEqual } from 'node:crypto';

/** Whether two secrets are the same, in a time that depends on nothing but their lengths. */
export function equalInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
