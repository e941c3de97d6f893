import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Encrypts secrets of requests for the database. */
export interface SecretBox {
  seal(text: string, owner: string): string;
  /** Undefined with another key or owner. */
  open(sealed: string, owner: string): string | undefined;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'v1.';

/**
 * Uses AES-256-GCM with the owner as authenticated data.
 * @param readKey called once, on first use
 */
export function createSecretBox(readKey: () => Uint8Array | string): SecretBox {
  let known: Buffer | undefined;
  const key = (): Buffer =>
    (known ??= Buffer.from(hkdfSync('sha256', readKey(), '', 'winnow secrets of requests', KEY_BYTES)));
  return {
    seal(text, owner) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key(), iv).setAAD(Buffer.from(owner));
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
    },
    open(sealed, owner) {
      if (!sealed.startsWith(PREFIX)) return undefined;
      const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
      if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(ALGORITHM, key(), bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

export function equalInConstantTime(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
