import { hash as digest, randomInt } from 'node:crypto';
import { ID_PREFIXES } from '@winnow/contract';
import { newId } from '../ids/new-id.ts';
import type { ApiKey } from './key-ports.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
const KEY_PATTERN = /^wk_[0-9A-Za-z]{32}$/;
/** `wk_` and six characters. */
const PREFIX_LENGTH = 9;

export interface MadeKey {
  readonly key: ApiKey;
  /** Only its hash is stored. */
  readonly secret: string;
}

/** Creates a key; the caller stores it with `KeyRepository.insert`. */
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

export function isKeyShaped(text: string): boolean {
  return KEY_PATTERN.test(text);
}

export function hashKey(key: string): string {
  return digest('sha256', key, 'hex');
}
