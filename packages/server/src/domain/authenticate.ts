import { hash as digest, timingSafeEqual } from 'node:crypto';
import { AppError } from './errors.ts';
import type { ApiKey, KeyRepository } from './ports.ts';

export interface AuthenticateDeps {
  readonly keys: KeyRepository;
  readonly now?: () => Date;
}

export interface Credentials {
  readonly apiKey: string | undefined;
  readonly projectId: string | undefined;
}

/** What `wk_` and 32 base-62 characters look like; anything else is not even looked up. */
const KEY_PATTERN = /^wk_[0-9A-Za-z]{32}$/;

/** One message for a key that is unknown, expired or revoked: which of them is nobody's business but the owner's. */
const REFUSED = 'the X-API-Key is missing or invalid';

/**
 * Finds the key behind credentials. A project-scoped key demands its project's id; a key-only key
 * ignores it.
 * @throws {AppError} `unauthorized`, or `invalid_request` of stage auth for a wrong project id
 */
export async function authenticate(deps: AuthenticateDeps, credentials: Credentials): Promise<ApiKey> {
  const { apiKey, projectId } = credentials;
  if (apiKey === undefined || !KEY_PATTERN.test(apiKey)) throw new AppError('unauthorized', REFUSED);
  const hash = hashKey(apiKey);
  const found = await deps.keys.findByHash(hash);
  if (!found || !sameHash(found.hash, hash)) throw new AppError('unauthorized', REFUSED);
  const now = deps.now?.() ?? new Date();
  if (found.revokedAt !== null || (found.expiresAt !== null && found.expiresAt <= now)) {
    throw new AppError('unauthorized', REFUSED, {
      details: { reason: found.revokedAt ? 'revoked' : 'expired', keyId: found.id },
    });
  }
  if (found.projectArchivedAt !== null) {
    throw new AppError('unauthorized', REFUSED, { details: { reason: 'the project is archived', keyId: found.id } });
  }
  if (found.kind === 'project') checkProject(found, projectId);
  return found;
}

/** SHA-256 of a key's text, lower-case hex: all that is stored of it. */
export function hashKey(key: string): string {
  return digest('sha256', key, 'hex');
}

function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function checkProject(key: ApiKey, projectId: string | undefined): void {
  if (projectId === undefined || projectId === '') {
    throw new AppError('invalid_request', 'the header X-Project-Id is required with a project-scoped key', {
      stage: 'auth',
    });
  }
  if (projectId !== key.projectId) {
    throw new AppError('invalid_request', "the header X-Project-Id does not name the key's project", { stage: 'auth' });
  }
}
