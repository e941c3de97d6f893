import { HEADERS } from '@winnow/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../domain/authenticate.ts';
import type { AuthenticateDeps } from '../domain/authenticate.ts';
import { AppError } from '../domain/errors.ts';
import { requireWorkflow } from './request-context.ts';

const API_KEY = HEADERS.apiKey.toLowerCase();
const PROJECT_ID = HEADERS.projectId.toLowerCase();

/**
 * The hook that runs before the body of a request is read: a request that is both unauthenticated and
 * malformed is answered 401, and a stranger's body costs nothing.
 */
export function createAuthenticationHook(deps: AuthenticateDeps) {
  return async (request: FastifyRequest, _reply: FastifyReply): Promise<void> => {
    const { headers, log } = request;
    const credentials = { apiKey: single(headers[API_KEY]), projectId: single(headers[PROJECT_ID]) };
    const key = await requireWorkflow(request).run('auth', {}, async ({ note }) => {
      const found = await authenticate(deps, credentials);
      note({ keyId: found.id, keyKind: found.kind, projectId: found.projectId });
      return found;
    });
    request.apiKey = key;
    // Nobody waits for the note of a key's last use.
    deps.keys
      .recordUse(key.id, new Date())
      .catch((error: unknown) => log.warn({ err: error }, 'last use not recorded'));
  };
}

/** A header that may be sent once: Node joins repeated ones with a comma, which no key or id contains. */
function single(value: string | string[] | undefined): string | undefined {
  if (Array.isArray(value)) throw new AppError('unauthorized', 'a credential header is repeated');
  return value;
}
