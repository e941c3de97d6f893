import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMcpHandler, localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server';
import { ERRORS } from '@winnow/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { runAdmitted } from '../../domain/admission/current-tenant.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { logFailure } from '../answers/send-error.ts';
import { requireKey, requireWorkflow, type RouteSettings } from '../requests/request-context.ts';
import { prepareMcpServers, type McpServerDeps } from './mcp-server.ts';
import type { ToolCall } from './mcp-tool.ts';

export interface McpRouteDeps extends McpServerDeps {
  readonly settings: RouteSettings;
  /** Additional hosts of calling pages: the service's public addresses. */
  readonly originHosts: readonly string[];
  /** Null: the address of the request. */
  readonly baseUrl: string | null;
}

export interface McpRequests {
  /** @throws {AppError} `forbidden` for a page of a foreign origin */
  checkOrigin(origin: string | undefined): void;
  /** Answers a message with the MCP SDK. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<Response>;
  close(): Promise<void>;
}

const PROTOCOL_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'];

/** Only pairs a cancellation with its call: every node answers any session, and none is stored. */
const SESSION_HEADER = 'mcp-session-id';

interface Message {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

/** Answers MCP requests: each has its own server. */
export function createMcpRequests(deps: McpRouteDeps): McpRequests {
  const requests = new WeakMap<Request, { readonly request: FastifyRequest; readonly reply: FastifyReply }>();
  const createServer = prepareMcpServers(deps);
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const known = requestInfo && requests.get(requestInfo);
      if (!known) throw new Error('an MCP server was created without a request');
      return createServer(() => openCall(known.request, deps, startCall(known.request, known.reply)));
    },
    // The tool list never changes.
    { maxSubscriptions: 0 },
  );
  /** Calls that a session may cancel. */
  const running = new Map<string, FastifyReply>();
  const startCall = (request: FastifyRequest, reply: FastifyReply): (() => void) => {
    if (request.headers[SESSION_HEADER] === undefined) return () => undefined;
    const name = nameCall(request, (request.body as Message).id);
    running.set(name, reply);
    return () => void running.delete(name);
  };
  const origins = [...localhostAllowedOrigins(), ...deps.originHosts];
  // A server costs milliseconds of processor time: one in a turn of the event loop, so that others have theirs.
  let turn: Promise<void> = Promise.resolve();
  return {
    checkOrigin: (origin) => {
      if (validateOriginHeader(origin, origins).ok) return;
      throw new AppError('forbidden', `Origin: pages of ${String(origin).slice(0, 200)} may not call this endpoint`);
    },
    answer: async (request, reply) => {
      const { method, params } = (request.body ?? {}) as Message;
      // The end of its connection ends the call, as when the caller hangs up.
      if (method === 'notifications/cancelled') running.get(nameCall(request, params?.requestId))?.raw.destroy();
      turn = turn.then(() => nextTurn());
      await turn;
      const call = toWebRequest(request);
      requests.set(call, { request, reply });
      const answer = await handler.fetch(call, { parsedBody: request.body });
      if (method === 'initialize' && answer.ok) void reply.header(SESSION_HEADER, randomUUID());
      return answer;
    },
    close: () => handler.close(),
  };
}

function nameCall(request: FastifyRequest, id: unknown): string {
  return JSON.stringify([requireKey(request).id, request.headers[SESSION_HEADER], id]);
}

function toWebRequest(request: FastifyRequest): Request {
  const headers = PROTOCOL_HEADERS.flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  // The SDK knows no wildcard.
  if (headers.every(([name, value]) => name !== 'accept' || value.includes('*/*')))
    headers.push(['accept', 'application/json, text/event-stream']);
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers,
    signal: requireWorkflow(request).signal,
  });
}

function openCall(
  request: FastifyRequest,
  { settings: { admission } }: McpRouteDeps,
  end: () => void,
): Omit<ToolCall, 'report'> {
  const key = requireKey(request);
  const workflow = requireWorkflow(request);
  return {
    projectId: key.projectId,
    key: { id: key.id, quotaPerMinute: key.quotaPerMinute },
    workflow,
    end,
    accept: (tool, args) => void (request.acceptedBody = { tool, ...args }),
    admit: (budgetMs, work) => runAdmitted(admission, { key, budgetMs }, workflow, work),
    fail: (error) => {
      request.failure = error;
      logFailure(error, ERRORS[error.code].status, request);
    },
  };
}
