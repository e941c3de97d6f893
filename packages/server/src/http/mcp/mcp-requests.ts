import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMcpHandler, localhostAllowedOrigins, validateOriginHeader } from '@modelcontextprotocol/server';
import { ERRORS } from '@winnow/contract';
import type { FastifyRequest } from 'fastify';
import { runAdmitted } from '../../domain/admission/current-tenant.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { logFailure } from '../answers/send-error.ts';
import { requireKey, requireWorkflow } from '../requests/request-context.ts';
import type { RouteSettings } from '../requests/request-context.ts';
import { prepareMcpServers } from './mcp-server.ts';
import type { McpServerDeps, ToolCall } from './mcp-server.ts';

export interface McpRouteDeps extends McpServerDeps {
  readonly settings: RouteSettings;
  /** Additional hosts of calling pages: the service's public addresses. */
  readonly originHosts: readonly string[];
}

export interface McpRequests {
  /** @throws {AppError} `forbidden` for a page of a foreign origin */
  checkOrigin(origin: string | undefined): void;
  /** Answers a message with the MCP SDK. */
  answer(request: FastifyRequest): Promise<Response>;
  close(): Promise<void>;
}

const PROTOCOL_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name'];

/** Answers MCP requests without sessions: each has its own server. */
export function createMcpRequests(deps: McpRouteDeps): McpRequests {
  const requests = new WeakMap<Request, FastifyRequest>();
  const createServer = prepareMcpServers(deps);
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const request = requestInfo && requests.get(requestInfo);
      if (!request) throw new Error('an MCP server was created without a request');
      return createServer(() => openCall(request, deps));
    },
    // The tool list never changes.
    { maxSubscriptions: 0 },
  );
  const origins = [...localhostAllowedOrigins(), ...deps.originHosts];
  // A server costs milliseconds of processor time: one in a turn of the event loop, so that others have theirs.
  let turn: Promise<void> = Promise.resolve();
  return {
    checkOrigin: (origin) => {
      if (validateOriginHeader(origin, origins).ok) return;
      throw new AppError('forbidden', `Origin: pages of ${String(origin).slice(0, 200)} may not call this endpoint`);
    },
    answer: async (request) => {
      turn = turn.then(() => nextTurn());
      await turn;
      const call = toWebRequest(request);
      requests.set(call, request);
      return handler.fetch(call, { parsedBody: request.body });
    },
    close: () => handler.close(),
  };
}

function toWebRequest(request: FastifyRequest): Request {
  const headers = PROTOCOL_HEADERS.flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers,
    signal: requireWorkflow(request).signal,
  });
}

function openCall(request: FastifyRequest, { settings: { admission } }: McpRouteDeps): ToolCall {
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
