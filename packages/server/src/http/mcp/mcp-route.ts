import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler, localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server';
import { ERRORS } from '@winnow/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FairQueue } from '../../domain/admission/fair-queue.ts';
import { runAdmitted } from '../../domain/admission/run-admitted.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { requireKey, requireWorkflow } from '../requests/request-context.ts';
import { logFailure } from '../answers/send-error.ts';
import { createMcpServer } from './mcp-server.ts';
import type { McpServerDeps } from './mcp-server.ts';
import type { ToolCall } from './tool-call.ts';

export interface McpRouteDeps extends McpServerDeps {
  readonly admission: FairQueue;
  /** Additional hosts of calling pages: the service's public addresses. */
  readonly originHosts: readonly string[];
}

const MCP_PATH = '/mcp';

const PROTOCOL_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'];

/**
 * Adds `POST /mcp`, the Model Context Protocol over Streamable HTTP, without sessions: each request has its own server.
 * Requires a scope with keys.
 */
export function addMcpRoute(scope: FastifyInstance, deps: McpRouteDeps): void {
  const requests = new WeakMap<Request, FastifyRequest>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const request = requestInfo && requests.get(requestInfo);
      if (!request) throw new Error('an MCP server is created for no request');
      return createMcpServer(deps, () => openCall(request, deps));
    },
    // The lists of tools never change.
    { maxSubscriptions: 0 },
  );
  scope.addHook('onClose', () => handler.close());
  scope.addHook('onRequest', createOriginHook(deps.originHosts));
  scope.post(MCP_PATH, async (request, reply) => {
    const { body } = request;
    if (Array.isArray(body))
      throw new AppError('invalid_request', 'body: batches are not accepted; send one message in a request');
    request.isRead = (body as { method?: unknown } | null)?.method !== 'tools/call';
    const call = toWebRequest(request);
    requests.set(call, request);
    return sendAnswer(await handler.fetch(call, { parsedBody: body }), reply);
  });
}

/**
 * Rejects calls of web pages, except those of the service and of this machine. It defeats DNS rebinding, where the
 * attacker's page keeps its origin.
 */
function createOriginHook(originHosts: readonly string[]) {
  const allowed = [...localhostAllowedOrigins(), ...originHosts];
  return async ({ headers }: FastifyRequest): Promise<void> => {
    const { origin } = headers;
    if (validateOriginHeader(origin, allowed).ok) return;
    throw new AppError('forbidden', `Origin: pages of ${String(origin).slice(0, 200)} may not call this endpoint`);
  };
}

function toWebRequest(request: FastifyRequest): Request {
  const headers = PROTOCOL_HEADERS.flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return new Request(new URL(MCP_PATH, 'http://localhost'), {
    method: 'POST',
    headers,
    signal: requireWorkflow(request).signal,
  });
}

function openCall(request: FastifyRequest, { admission }: McpRouteDeps): ToolCall {
  const key = requireKey(request);
  const workflow = requireWorkflow(request);
  return {
    projectId: key.projectId,
    workflow,
    accept: (tool, args) => void (request.acceptedBody = { tool, ...args }),
    admit: (budgetMs, work) => runAdmitted(admission, { key, budgetMs }, workflow, work),
    fail: (error) => {
      request.failure = error;
      logFailure(error, ERRORS[error.code].status, request);
    },
  };
}

async function sendAnswer(answer: Response, reply: FastifyReply): Promise<FastifyReply> {
  void reply.code(answer.status);
  for (const [name, value] of answer.headers) void reply.header(name, value);
  if (answer.body === null) return reply.send();
  if (!(answer.headers.get('content-type') ?? '').startsWith('text/event-stream'))
    return reply.send(await answer.text());
  return reply.send(Readable.fromWeb(answer.body as ReadableStream));
}
