import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AbortBroadcaster } from '../../domain/shared/abort-broadcaster.ts';
import type { TraceHeaders } from '../../domain/batches/batch-ports.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import { Workflow } from '../../domain/shared/workflow.ts';

/** What an error response may carry, as the caller asked for it. */
export interface ResponseOptions {
  readonly steps: boolean;
  readonly rawDom: boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Name of the engine family in responses. */
    engineFamily: string;
  }
  interface FastifyRequest {
    /** The way of this request; endpoints under /v1 only. */
    workflow: Workflow | null;
    /** The key that was presented; set once it is accepted. */
    apiKey: ApiKey | null;
    responseOptions: ResponseOptions | null;
    /** Where the body ends is not known, or it is not waited for: the answer closes the connection. */
    closesConnection: boolean;
    /** Whether the request only reads what is there, so that success is not logged; null: as its method says. */
    isRead: boolean | null;
    /** The error that the request was answered with. */
    failure: AppError | null;
    /** The trace that the request belongs to, for calls that the service makes for the caller; null before its hooks. */
    trace: TraceHeaders | null;
  }
}

export function decorateRequests(app: FastifyInstance, engineFamily: string): void {
  app.decorate('engineFamily', engineFamily);
  app.decorateRequest('workflow', null);
  app.decorateRequest('apiKey', null);
  app.decorateRequest('responseOptions', null);
  app.decorateRequest('closesConnection', false);
  app.decorateRequest('isRead', null);
  app.decorateRequest('failure', null);
  app.decorateRequest('trace', null);
}

/**
 * Gives a request its workflow. It ends when the caller hangs up before the answer is written, and when
 * `stop` aborts.
 */
export function beginWorkflow(request: FastifyRequest, reply: FastifyReply, stop: AbortBroadcaster): void {
  const controller = new AbortController();
  const onStop = (): void => controller.abort(stop.reason);
  if (stop.aborted) onStop();
  else stop.addEventListener('abort', onStop);
  reply.raw.once('close', () => {
    stop.removeEventListener('abort', onStop);
    if (!reply.raw.writableFinished)
      controller.abort(new AppError('internal', 'the caller closed the connection', { stage: 'request' }));
  });
  request.workflow = new Workflow({ signal: controller.signal });
}

/** Returns a signal that aborts when the caller hangs up before the answer is written. */
export function hangUpSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished)
      controller.abort(new AppError('internal', 'the caller closed the connection', { stage: 'request' }));
  });
  return controller.signal;
}

export function requireWorkflow(request: FastifyRequest): Workflow {
  if (!request.workflow) throw new AppError('internal', 'the request has no workflow');
  return request.workflow;
}

export function requireKey(request: FastifyRequest): ApiKey {
  if (!request.apiKey) throw new AppError('internal', 'the request is not authenticated');
  return request.apiKey;
}
