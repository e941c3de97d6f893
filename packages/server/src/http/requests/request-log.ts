import { ID_PREFIXES, type ErrorBody, type RequestLogMode, type TraceStep } from '@winnow/contract';
import { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { newId } from '../../domain/shared/new-id.ts';
import type { DetailedRequest } from '../../domain/request-log/ports.ts';
import { findDomId, findDoubts, findStep } from '../../domain/shared/workflow.ts';
import { presentError, presentTrace } from '../answers/present.ts';

/** JSON stored beside the row. */
export interface RequestDetail {
  /** Validated, without secrets; null if rejected. */
  readonly request: unknown;
  readonly trace: TraceStep[];
  readonly error: ErrorBody | null;
  readonly answer: { readonly text: string; readonly truncated: boolean } | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Validated body, for the log. */
    acceptedBody: unknown;
    /** Only if the log keeps answers. */
    answerStart: RequestDetail['answer'];
  }
}

/** Kept characters of an answer. */
const MAX_ANSWER = 65_536;
/** A longer trace is stored without details. */
const MAX_TRACE = 16_384;
const MAX_TEXT = 8192;
const MAX_ITEMS = 20;

export type RequestLogger = (request: DetailedRequest) => void;

/** Logs authenticated requests, except successful reads such as polling, without headers. Add it to the root. */
export function addRequestLog(app: FastifyInstance, mode: RequestLogMode, log: RequestLogger): void {
  app.decorateRequest('acceptedBody', null);
  app.decorateRequest('answerStart', null);
  if (mode === 'off') return;
  if (mode === 'full') {
    app.addHook('onSend', (request, _reply, payload, done) => {
      if (isLogged(request) && typeof payload === 'string') request.answerStart = copyStart(payload);
      done();
    });
  }
  app.addHook('onResponse', (request, reply, done) => {
    if (isLogged(request)) log(describe(request, reply));
    done();
  });
}

function isLogged(request: FastifyRequest): boolean {
  const isRead = request.isRead ?? request.method === 'GET';
  return request.apiKey !== null && request.workflow !== null && (!isRead || request.failure !== null);
}

function describe(request: FastifyRequest, reply: FastifyReply): DetailedRequest {
  const { apiKey: key, workflow, failure, acceptedBody } = request;
  const steps = workflow?.steps ?? [];
  const source = key?.id.startsWith('session:') === true ? 'console' : 'api';
  return {
    id: newId(ID_PREFIXES.logEntry),
    projectId: key?.projectId ?? '',
    at: new Date(Date.now() - reply.elapsedTime),
    requestId: request.id,
    source,
    keyId: source === 'api' ? (key?.id ?? null) : null,
    method: request.method,
    endpoint: toEndpoint(request.routeOptions.url ?? ''),
    status: reply.statusCode,
    code: failure?.code ?? 'ok',
    stage: failure?.stage ?? null,
    url: readTarget(acceptedBody),
    engine: findStep(steps, 'fetch')?.detail.engine ?? null,
    domId: findDomId(steps) ?? null,
    templateId: findStep(steps, 'extract')?.detail.template_id ?? findStep(steps, 'match')?.detail.template_id ?? null,
    confidence: findStep(steps, 'extract')?.detail.confidence ?? null,
    warnings: findDoubts(steps),
    elapsedMs: reply.elapsedTime,
    detail: writeDetail({
      request: withoutSecrets(acceptedBody),
      trace: writeTrace(presentTrace(steps, request.server.engineFamily)),
      error: JSON.stringify(failure === null ? null : presentError(failure)),
      answer: JSON.stringify(request.answerStart),
    }),
  };
}

/** Joins the JSON of the fields without parsing it again. */
function writeDetail({ request, trace, error, answer }: Readonly<Record<keyof RequestDetail, string>>): string {
  return `{"request":${request},"trace":${trace},"error":${error},"answer":${answer}}`;
}

function toEndpoint(route: string): string {
  if (route.endsWith('/extract')) return '/v1/extract';
  if (route.endsWith('/dump')) return '/v1/dom/dump';
  return route.replace(/^\/admin\/v1\/projects\/:project_id(?=\/(?:batches|crawls)$)/, '/v1');
}

function readTarget(body: unknown): string | null {
  const { url, extract } = (body ?? {}) as { url?: unknown; extract?: { url?: unknown } };
  const target = extract?.url ?? url;
  return typeof target === 'string' ? withoutCredentials(target) : null;
}

/** Returns JSON with truncated lists and texts, and without secrets. */
function withoutSecrets(body: unknown): string {
  return JSON.stringify(body, (name, value: unknown) => {
    if (name === 'secret') return undefined;
    if (name === 'headers' || name === 'cookies') return withoutValues(value);
    if (Array.isArray(value) && value.length > MAX_ITEMS)
      return [...(value.slice(0, MAX_ITEMS) as unknown[]), `… ${value.length - MAX_ITEMS} more`];
    return typeof value === 'string' ? withoutCredentials(value.slice(0, MAX_TEXT)) : value;
  });
}

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((cookie) => (cookie as { name?: unknown } | null)?.name);
  return typeof value === 'object' && value !== null ? Object.keys(value) : undefined;
}

/** Removes credentials even from an invalid URL. */
function withoutCredentials(text: string): string {
  if (!text.includes('@')) return text;
  const url = URL.parse(text);
  if (url === null) return text.replace(/^[^?#]*@/, '…@');
  if (url.username === '' && url.password === '') return text;
  url.username = '';
  url.password = '';
  return url.href;
}

function writeTrace(trace: TraceStep[]): string {
  const text = JSON.stringify(trace);
  return text.length <= MAX_TRACE ? text : JSON.stringify(trace.map((step) => ({ ...step, detail: {} })));
}

/** A slice would keep the whole answer in memory. */
function copyStart(payload: string): RequestDetail['answer'] {
  const truncated = payload.length > MAX_ANSWER;
  return { text: Buffer.from(payload.slice(0, MAX_ANSWER)).toString(), truncated };
}

/** Logs the request, the host of its page and its failure in one line. */
export class RequestLog extends LogController {
  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const { failure } = request;
    const target = readTarget(request.acceptedBody);
    const fields = {
      req: request,
      res: reply,
      responseTime: reply.elapsedTime,
      target: target === null ? undefined : URL.parse(target)?.host,
      failure: failure ? { code: failure.code, stage: failure.stage, reason: failure.message } : undefined,
    };
    if (error) reply.log.error({ ...fields, err: error }, 'request errored');
    else reply.log.info(fields, 'request completed');
  }
}
