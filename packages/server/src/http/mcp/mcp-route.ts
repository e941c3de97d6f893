import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { API_OPERATIONS, ERRORS } from '@winnow/contract';
import { AppError } from '../../domain/shared/errors.ts';
import { addOperations, type Work } from '../routes/add-operations.ts';
import { challengeOf } from '../oauth/oauth-routes.ts';
import type { McpRequests, McpRouteDeps } from './mcp-requests.ts';

/** Headers that a page of another origin may send and read. */
const SENT_HEADERS =
  'Authorization, Content-Type, X-API-Key, X-Project-Id, X-Request-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id';
const READ_HEADERS = 'Mcp-Session-Id, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-ID';

const { status: UNAUTHORIZED } = ERRORS.unauthorized;

const { path: PATH } = API_OPERATIONS.mcp.mcp;

interface McpPlugins {
  /** Adds `POST /mcp` to a scope with keys. */
  readonly addRoute: (scope: FastifyInstance) => void;
  /** Answers preflights, which have no key. */
  readonly addPreflight: (app: FastifyInstance) => void;
}

/**
 * Opens the Model Context Protocol over Streamable HTTP. The first request loads the SDK, which costs 60 ms and 7 MB. Calls
 * from web pages of other origins than the service and localhost are refused, which prevents DNS rebinding.
 */
export function openMcp(deps: McpRouteDeps): McpPlugins {
  let loading: Promise<McpRequests> | undefined;
  const load = (): Promise<McpRequests> =>
    (loading ??= import('./mcp-requests.ts').then(({ createMcpRequests }) => createMcpRequests(deps)));
  const checkOrigin = async ({ headers }: FastifyRequest): Promise<void> => (await load()).checkOrigin(headers.origin);
  const mcp: Work<typeof API_OPERATIONS.mcp.mcp> = async ({ request, reply }) => {
    const { body } = request;
    if (Array.isArray(body))
      throw new AppError('invalid_request', 'body: batches are not accepted; send one message in a request');
    request.isRead = (body as { method?: unknown } | null)?.method !== 'tools/call';
    return sendAnswer(await (await load()).answer(request, reply), reply);
  };
  return {
    addRoute: (scope) => {
      scope.addHook('onClose', async () => (await loading)?.close());
      scope.addHook('onRequest', checkOrigin);
      scope.addHook('onSend', async (request, reply) => {
        if (reply.statusCode === UNAUTHORIZED) void reply.header('WWW-Authenticate', challengeOf(request, deps));
        const { origin } = request.headers;
        if (origin === undefined) return;
        const isAllowed = await checkOrigin(request).then(
          () => true,
          () => false,
        );
        // A reply has a method `then`: it is not returned.
        if (isAllowed) void allowOrigin(reply, origin).header('Access-Control-Expose-Headers', READ_HEADERS);
      });
      addOperations(scope, API_OPERATIONS.mcp, { mcp }, deps.settings);
      // With a key, so that a client without one learns that first.
      scope.route({ method: ['GET', 'DELETE', 'PUT', 'PATCH'], url: PATH, handler: refuseMethod });
    },
    addPreflight: (app) => {
      app.options(PATH, { onRequest: checkOrigin }, async ({ headers: { origin } }, reply) => {
        if (origin !== undefined)
          void allowOrigin(reply, origin).headers({
            'Access-Control-Allow-Methods': 'POST',
            'Access-Control-Allow-Headers': SENT_HEADERS,
            'Access-Control-Max-Age': '600',
          });
        return reply.header('Allow', 'POST').code(204).send();
      });
    },
  };
}

function allowOrigin(reply: FastifyReply, origin: string): FastifyReply {
  const vary = [reply.getHeader('Vary') ?? [], 'Origin'].flat().join(', ');
  return reply.header('Access-Control-Allow-Origin', origin).header('Vary', vary);
}

function refuseMethod({ method }: FastifyRequest, reply: FastifyReply): never {
  void reply.header('Allow', 'POST');
  throw new AppError('method_not_allowed', `${PATH} does not accept ${method}; it accepts POST`);
}

async function sendAnswer(answer: Response, reply: FastifyReply): Promise<FastifyReply> {
  void reply.code(answer.status);
  for (const [name, value] of answer.headers) void reply.header(name, value);
  if (answer.body === null) return reply.send();
  if (!(answer.headers.get('content-type') ?? '').startsWith('text/event-stream'))
    return reply.send(await answer.text());
  return reply.send(Readable.fromWeb(answer.body as ReadableStream));
}
