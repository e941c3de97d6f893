import { hashKey, isKeyShaped } from './api-key.ts';
import { equalInConstantTime } from './equal-in-constant-time.ts';
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

/** One message for a key that is unknown, expired or revoked: which of them is nobody's business but the owner's. */
const REFUSED = 'the X-API-Key is missing or invalid';

/**
 * Finds the key behind credentials. A project-scoped key demands its project's id; a key-only key
 * ignores it.
 * @throws {AppError} `unauthorized`, or `invalid_request` of stage auth for a wrong project id
 */
export async function authenticate(deps: AuthenticateDeps, credentials: Credentials): Promise<ApiKey> {
  const { apiKey, projectId } = credentials;
  // What is no key is not even looked up.
  if (apiKey === undefined || !isKeyShaped(apiKey)) throw new AppError('unauthorized', REFUSED);
  const hash = hashKey(apiKey);
  const found = await deps.keys.findByHash(hash);
  if (!found || !equalInConstantTime(Buffer.from(found.hash), Buffer.from(hash)))
    throw new AppError('unauthorized', REFUSED);
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
