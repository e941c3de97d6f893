import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../../domain/keys/authenticate.ts';
import type { AuthenticateDeps } from '../../domain/keys/authenticate.ts';
import type { KeyQuota, QuotaState } from '../../domain/admission/key-quota.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import type { Workflow } from '../../domain/shared/workflow.ts';
import { readCredentials } from './read-credentials.ts';
import { requireWorkflow } from './request-context.ts';

/** What a 401 asks for (RFC 6750, 3). */
const CHALLENGE = 'Bearer realm="winnow"';

/**
 * The hook that runs before the body of a request is read: a request that is both unauthenticated and
 * malformed is answered 401, and a stranger's body costs nothing.
 */
export function createAuthenticationHook(deps: AuthenticateDeps & { readonly quota: KeyQuota }) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { log } = request;
    const identified = requireWorkflow(request).run('auth', {}, async ({ note }) => {
      const found = await authenticate(deps, readCredentials(request));
      note({ keyId: found.id, keyKind: found.kind, projectId: found.projectId });
      return found;
    });
    const key = await identified.catch((error: AppError) => {
      if (error.code === 'unauthorized') void reply.header('WWW-Authenticate', CHALLENGE);
      throw error;
    });
    request.apiKey = key;
    await takeQuota(deps.quota, key, request, reply);
    // Nobody waits for the note of a key's last use.
    deps.keys
      .recordUse(key.id, new Date())
      .catch((error: unknown) => log.warn({ err: error }, 'last use not recorded'));
  };
}

/**
 * Takes the request off the quota of a key, or of who is signed in.
 * @throws {AppError} `rate_limited`
 */
export async function takeQuota(
  quota: KeyQuota,
  key: Pick<ApiKey, 'id' | 'quotaPerMinute'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const state = await quota.take(key);
  if (state) applyQuota(state, requireWorkflow(request), reply);
}

/**
 * Says what is left of the quota, in the form of draft-ietf-httpapi-ratelimit-headers.
 * @throws {AppError} `rate_limited`
 */
function applyQuota(quota: QuotaState, flow: Workflow, reply: FastifyReply): void {
  const { limit, windowSeconds, remaining, resetSeconds } = quota;
  void reply.header('RateLimit-Policy', `"key";q=${limit};w=${windowSeconds}`);
  void reply.header('RateLimit', `"key";r=${remaining};t=${resetSeconds}`);
  if (quota.allowed) return;
  const message = `the quota of this key, ${limit} requests in ${windowSeconds} s, is used up`;
  throw flow.failEarlier('auth', new AppError('rate_limited', message, { retryAfterSeconds: resetSeconds }));
}
