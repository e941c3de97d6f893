import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify';
import { API_OPERATIONS, HEADERS } from '@winnow/contract';
import { authenticate, type AuthenticateDeps, type Credentials } from '../../domain/keys/authenticate.ts';
import type { KeyQuota, QuotaState } from '../../domain/admission/quotas.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { ApiKey, KeyScope } from '../../domain/keys/key-ports.ts';
import { requireWorkflow, beginWorkflow } from './request-context.ts';
import type { AbortBroadcaster } from '../../domain/shared/time-limit.ts';

const SCOPED_PATHS: Readonly<Record<KeyScope, string>> = { mcp: API_OPERATIONS.mcp.mcp.path };

/** RFC 6750, 3. */
const CHALLENGE = 'Bearer realm="winnow"';

/** Runs before the body is read: a malformed unauthenticated request gets 401, and strangers' bodies cost nothing. */
function createAuthenticationHook(deps: AuthenticateDeps & { readonly quota: KeyQuota }) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { log } = request;
    const identified = requireWorkflow(request).run('auth', {}, async ({ note }) => {
      const found = await authenticate(deps, readCredentials(request));
      checkScope(found, request);
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

/** @throws {AppError} `unauthorized` for a key that is not for this path */
function checkScope({ scope }: ApiKey, { routeOptions }: FastifyRequest): void {
  if (scope === null || routeOptions.url === SCOPED_PATHS[scope]) return;
  throw new AppError('unauthorized', `this key is only for ${SCOPED_PATHS[scope]}`);
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
  reply.request.quotaState = quota;
  void reply.header('RateLimit-Policy', `"key";q=${limit};w=${windowSeconds}`);
  void reply.header('RateLimit', `"key";r=${remaining};t=${resetSeconds}`);
  requireAllowed(quota);
}

/** @throws {AppError} `rate_limited` */
export function requireAllowed({ allowed, limit, windowSeconds, resetSeconds }: QuotaState): void {
  if (allowed) return;
  const message = `the quota of this key, ${limit} requests in ${windowSeconds} s, is used up`;
  throw new AppError('rate_limited', message, { retryAfterSeconds: resetSeconds });
}

const API_KEY = HEADERS.apiKey.toLowerCase();
const PROJECT_ID = HEADERS.projectId.toLowerCase();
const BEARER = /^bearer(?: (.*))?$/i;

/**
 * Accepts `X-API-Key` or `Authorization: Bearer` (RFC 6750).
 * @throws {AppError} `unauthorized` for repeated headers or another scheme
 */
function readCredentials({ headers, raw }: FastifyRequest): Credentials {
  const apiKey = single(headers[API_KEY]);
  const projectId = single(headers[PROJECT_ID]);
  // Node drops repeated Authorization headers.
  if ((raw.headersDistinct['authorization']?.length ?? 0) > 1) throw repeated();
  const bearer = readBearer(headers.authorization, apiKey !== undefined);
  return { apiKey: apiKey || bearer, otherKey: apiKey ? bearer : undefined, projectId };
}

/** With X-API-Key, another scheme is meant for a proxy. */
function readBearer(authorization: string | undefined, hasApiKey: boolean): string | undefined {
  if (authorization === undefined) return undefined;
  const match = BEARER.exec(authorization);
  if (match === null && !hasApiKey) throw new AppError('unauthorized', 'Authorization: must be Bearer and an API key');
  return match?.[1]?.trim();
}

/** Node joins repeats with a comma, which no key or id contains. */
function single(value: string | string[] | undefined): string | undefined {
  if (Array.isArray(value)) throw repeated();
  return value;
}

function repeated(): AppError {
  return new AppError('unauthorized', 'a credential header is repeated');
}

interface WorkflowScopeDeps extends AuthenticateDeps {
  readonly quota: KeyQuota;
  /** Aborted after the grace period. */
  readonly stop: AbortBroadcaster;
}

/** Opens a scope whose requests need a key, use its quota and run stages. */
export function openWorkflowScope(
  app: FastifyInstance,
  deps: WorkflowScopeDeps,
  addRoutes: (scope: FastifyInstance) => void,
): void {
  void app.register(async (scope) => {
    scope.addHook('onRequest', (request, reply, done) => {
      void reply.header('Cache-Control', 'private, no-store');
      beginWorkflow(request, reply, deps.stop);
      done();
    });
    scope.addHook('onRequest', createAuthenticationHook(deps));
    addRoutes(scope);
  });
}
