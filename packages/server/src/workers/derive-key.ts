import { scryptSync } from 'node:crypto';
import type { KeyDerivation } from '../domain/accounts/passwords.ts';

const KEY_BYTES = 32;

/** scrypt needs 128 · N · r bytes; Node's default limit is lower. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;

/** Synchronous: the asynchronous form would occupy libuv's threads, which file and DNS operations need. */
export function deriveKey({ password, salt, cost }: KeyDerivation): Uint8Array {
  return new Uint8Array(scryptSync(password, salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY_BYTES }));
}
