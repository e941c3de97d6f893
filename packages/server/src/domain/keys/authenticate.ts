import { hash as digest, randomInt } from 'node:crypto';
import { ID_PREFIXES } from '@winnow/contract';
import { equalInConstantTime } from '../shared/secrets.ts';
import { AppError } from '../shared/errors.ts';
import type { ApiKey, KeyRepository } from './key-ports.ts';
import { newId } from '../shared/new-id.ts';

export interface AuthenticateDeps {
  readonly keys: KeyRepository;
  readonly now?: () => Date;
}

export interface Credentials {
  readonly apiKey: string | undefined;
  /** A second one; a token for a proxy or another service is ignored. */
  readonly otherKey?: string | undefined;
  readonly projectId: string | undefined;
}

const MISSING = 'missing X-API-Key header, or Authorization: Bearer';
const TWO_KEYS = 'X-API-Key and Authorization: Bearer carry different keys; send one of the two';

/** The same for all faults of a key, so that it reveals nothing. */
const REFUSED = 'invalid API key: unknown, expired or revoked';
/** Only for the holder of a valid key. */
const ARCHIVED = 'the project of this API key is archived; an administrator can bring it back in the console';

/** @throws {AppError} `unauthorized`, or `invalid_request` for a wrong project id or two different valid keys */
export async function authenticate(deps: AuthenticateDeps, credentials: Credentials): Promise<ApiKey> {
  const { apiKey, otherKey, projectId } = credentials;
  if (apiKey === undefined || apiKey === '') throw new AppError('unauthorized', MISSING);
  const found = await findValid(deps, apiKey);
  if (otherKey !== undefined && otherKey !== apiKey && (await isValid(deps, otherKey)))
    throw new AppError('invalid_request', TWO_KEYS, { stage: 'auth' });
  if (found.kind === 'project') checkProject(found, projectId);
  return found;
}

async function isValid(deps: AuthenticateDeps, key: string): Promise<boolean> {
  try {
    await findValid(deps, key);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthorized') return false;
    throw error;
  }
}

async function findValid(deps: AuthenticateDeps, apiKey: string): Promise<ApiKey> {
  if (!KEY_PATTERN.test(apiKey)) throw new AppError('unauthorized', REFUSED);
  const hash = hashKey(apiKey);
  const found = await deps.keys.findByHash(hash);
  if (!found || !equalInConstantTime(Buffer.from(found.hash), Buffer.from(hash)))
    throw new AppError('unauthorized', REFUSED);
  const now = deps.now?.() ?? new Date();
  if (found.revokedAt !== null || (found.expiresAt !== null && found.expiresAt <= now)) {
    throw new AppError('unauthorized', REFUSED, {
      details: { reason: found.revokedAt ? 'revoked' : 'expired', key_id: found.id },
    });
  }
  if (found.projectArchivedAt !== null) {
    throw new AppError('unauthorized', ARCHIVED, { details: { reason: 'the project is archived', key_id: found.id } });
  }
  return found;
}

function checkProject(key: ApiKey, projectId: string | undefined): void {
  if (projectId === undefined || projectId === '') {
    throw new AppError('invalid_request', 'X-Project-Id is required with a project key', { stage: 'auth' });
  }
  if (projectId !== key.projectId) {
    const message = 'X-Project-Id does not match the project of this API key';
    throw new AppError('invalid_request', message, { stage: 'auth' });
  }
}

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
  fields: Pick<ApiKey, 'projectId' | 'name' | 'kind'> &
    Partial<Pick<ApiKey, 'id' | 'expiresAt' | 'quotaPerMinute' | 'scope'>>,
  now: Date = new Date(),
): MadeKey {
  const secret = `wk_${Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
  const key: ApiKey = {
    id: newId(ID_PREFIXES.key),
    expiresAt: null,
    quotaPerMinute: null,
    scope: null,
    ...fields,
    prefix: secret.slice(0, PREFIX_LENGTH),
    createdAt: now,
    revokedAt: null,
    lastUsedAt: null,
  };
  return { key, secret };
}

export function hashKey(key: string): string {
  return digest('sha256', key, 'hex');
}
