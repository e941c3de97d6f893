import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../../domain/keys/authenticate.ts';
import type { AuthenticateDeps } from '../../domain/keys/authenticate.ts';
import type { KeyQuota, QuotaState } from '../../domain/admission/quotas.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import { readCredentials } from './read-credentials.ts';
import { requireWorkflow } from './request-context.ts';

/** RFC 6750, 3. */
const CHALLENGE = 'Bearer realm="winnow"';

/** Runs before the body is read: a malformed unauthenticated request gets 401, and strangers' bodies cost nothing. */
export function createAuthenticationHook(deps: AuthenticateDeps & { readonly quota: KeyQuota }) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { log } = request;
    const identified = requireWorkflow(request).run('auth', {}, async ({ note }) => {
      const found = await authenticate(deps, readCredentials(request));
      note({ key_id: found.id, key_kind: found.kind, project_id: found.projectId });
      // Before the quota, so that its error is recorded for the key.
      request.apiKey = found;
      await takeQuota(deps.quota, found, reply);
      return found;
    });
    const key = await identified.catch((error: AppError) => {
      if (error.code === 'unauthorized') void reply.header('WWW-Authenticate', CHALLENGE);
      throw error;
    });
    // Not awaited: it would only add latency.
    deps.keys
      .recordUse(key.id, new Date())
      .catch((error: unknown) => log.warn({ err: error }, 'last use not recorded'));
  };
}

/**
 * Counts a request of a key or a signed-in user.
 * @throws {AppError} `rate_limited`
 */
export async function takeQuota(
  quota: KeyQuota,
  key: Pick<ApiKey, 'id' | 'quotaPerMinute'>,
  reply: FastifyReply,
): Promise<void> {
  const state = await quota.take(key);
  if (state) applyQuota(state, reply);
}

/**
 * Sets headers of draft-ietf-httpapi-ratelimit-headers.
 * @throws {AppError} `rate_limited`
 */
function applyQuota(quota: QuotaState, reply: FastifyReply): void {
  const { limit, windowSeconds, remaining, resetSeconds } = quota;
  void reply.header('RateLimit-Policy', `"key";q=${limit};w=${windowSeconds}`);
  void reply.header('RateLimit', `"key";r=${remaining};t=${resetSeconds}`);
  if (quota.allowed) return;
  const message = `the quota of this key, ${limit} requests in ${windowSeconds} s, is used up`;
  throw new AppError('rate_limited', message, { retryAfterSeconds: resetSeconds });
}
