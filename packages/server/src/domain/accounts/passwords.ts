import { randomBytes, scrypt } from 'node:crypto';
import type { ScryptOptions } from 'node:crypto';
import { equalInConstantTime } from '../equal-in-constant-time.ts';

/** Cost of a new hash: 2^15 · 8 · 3, one of the settings of OWASP's Password Storage Cheat Sheet. */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const;
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** scrypt needs 128 · N · r bytes; Node refuses more than it is told to allow. */
const MAX_MEMORY_BYTES = 64 * 1024 * 1024;

const HASH_PATTERN = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w-]+)\$([\w-]+)$/;

/** `scrypt$N$r$p$salt$hash`, the last two in base64url: the cost can rise without breaking older hashes. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Takes the same time whether the password is right or wrong. A text that is no hash fits no password. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = HASH_PATTERN.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, 'base64url');
  const found = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return equalInConstantTime(found, expected);
}

let decoy: Promise<string> | undefined;

/** Spends the time of a check on nothing, so that an unknown address answers no sooner than a known one. */
export async function verifyNothing(password: string): Promise<void> {
  decoy ??= hashPassword(randomBytes(SALT_BYTES).toString('hex'));
  await verifyPassword(password, await decoy);
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Two spellings of one character (composed or not) are the same password.
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY_BYTES }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
