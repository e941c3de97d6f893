/** What an API key looks like, how it is made and what is stored of it. */
import { hash as digest, randomInt } from 'node:crypto';
import { ID_PREFIXES } from '@winnow/contract';
import { newId } from '../ids/new-id.ts';
import type { ApiKey } from './key-ports.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const KEY_PATTERN = /^wk_[0-9A-Za-z]{32}$/;
/** Characters of a key that stay visible: `wk_` and six more. */
const PREFIX_LENGTH = 9;

/** A key, and what its owner is shown this once. */
export interface MadeKey {
  readonly key: ApiKey;
  /** The key's text; only its hash is stored. */
  readonly secret: string;
}

/** Makes a key; it exists once `KeyRepository.insert(key, hashKey(secret))` was done. */
export function makeKey(
  fields: Pick<ApiKey, 'projectId' | 'name' | 'kind'> & Partial<Pick<ApiKey, 'expiresAt' | 'quotaPerMinute'>>,
  now: Date = new Date(),
): MadeKey {
  const secret = `wk_${Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
  const key: ApiKey = {
    id: newId(ID_PREFIXES.key),
    expiresAt: null,
    quotaPerMinute: null,
    ...fields,
    prefix: secret.slice(0, PREFIX_LENGTH),
    createdAt: now,
    revokedAt: null,
    lastUsedAt: null,
  };
  return { key, secret };
}

/** Whether a text can be a key at all: `wk_` and 32 base-62 characters. */
export function isKeyShaped(text: string): boolean {
  return KEY_PATTERN.test(text);
}

/** SHA-256 of a key's text, lower-case hex: all that is stored of it. */
export function hashKey(key: string): string {
  return digest('sha256', key, 'hex');
}
