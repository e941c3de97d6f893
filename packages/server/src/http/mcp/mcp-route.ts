import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { API_OPERATIONS } from '@winnow/contract';
import { AppError } from '../../domain/shared/errors.ts';
import { addOperations } from '../routes/add-operations.ts';
import type { Work } from '../routes/add-operations.ts';
import type { McpRequests, McpRouteDeps } from './mcp-requests.ts';

/**
 * Adds `POST /mcp`, the Model Context Protocol over Streamable HTTP, without sessions. Requires a scope with keys. The
 * first request loads the SDK, which costs 60 ms and 7 MB.
 */
export function addMcpRoute(scope: FastifyInstance, deps: McpRouteDeps): void {
  let loading: Promise<McpRequests> | undefined;
  const load = (): Promise<McpRequests> =>
    (loading ??= import('./mcp-requests.ts').then(({ createMcpRequests }) => createMcpRequests(deps)));
  scope.addHook('onClose', async () => (await loading)?.close());
  // Rejects calls from web pages of other origins than the service and localhost, which prevents DNS rebinding.
  scope.addHook('onRequest', async ({ headers }) => (await load()).checkOrigin(headers.origin));
  const mcp: Work<typeof API_OPERATIONS.mcp.mcp> = async ({ request, reply }) => {
    const { body } = request;
    if (Array.isArray(body))
      throw new AppError('invalid_request', 'body: batches are not accepted; send one message in a request');
    request.isRead = (body as { method?: unknown } | null)?.method !== 'tools/call';
    return sendAnswer(await (await load()).answer(request), reply);
  };
  addOperations(scope, API_OPERATIONS.mcp, { mcp }, deps.settings);
}

async function sendAnswer(answer: Response, reply: FastifyReply): Promise<FastifyReply> {
  void reply.code(answer.status);
  for (const [name, value] of answer.headers) void reply.header(name, value);
  if (answer.body === null) return reply.send();
  if (!(answer.headers.get('content-type') ?? '').startsWith('text/event-stream'))
    return reply.send(await answer.text());
  return reply.send(Readable.fromWeb(answer.body as ReadableStream));
}
