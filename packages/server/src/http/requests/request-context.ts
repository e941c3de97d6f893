import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ID_PREFIXES, REQUEST_ID_PATTERN, type BodyLimit, type Limits } from '@winnow/contract';
import type { AbortBroadcaster } from '../../domain/shared/time-limit.ts';
import { AppError, HangUpError } from '../../domain/shared/errors.ts';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import { Workflow } from '../../domain/shared/workflow.ts';
import { newId } from '../../domain/shared/new-id.ts';
import type { TraceContext } from '../../domain/metrics/ports.ts';
import type { FairQueue } from '../../domain/admission/fair-queue.ts';
import type { KeyQuota, QuotaState } from '../../domain/admission/quotas.ts';

export interface ResponseOptions {
  readonly steps: boolean;
  readonly rawDom: boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    engineFamily: string;
  }
  interface FastifyRequest {
    /** Only under /v1. */
    workflow: Workflow | null;
    /** Set once authenticated. */
    apiKey: ApiKey | null;
    /** Null for an unlimited key. */
    quotaState: QuotaState | null;
    responseOptions: ResponseOptions | null;
    /** HTML of the snapshot, if the response includes it. */
    rawDom: string | null;
    /** Set if the end of the body is unknown or not awaited. */
    closesConnection: boolean;
    /** True: logged only on failure. Null: true for GET. */
    isRead: boolean | null;
    failure: AppError | null;
    /** Null before the trace hook. */
    trace: TraceContext | null;
  }
}

export function decorateRequests(app: FastifyInstance, engineFamily: string): void {
  app.decorate('engineFamily', engineFamily);
  app.decorateRequest('workflow', null);
  app.decorateRequest('apiKey', null);
  app.decorateRequest('quotaState', null);
  app.decorateRequest('responseOptions', null);
  app.decorateRequest('rawDom', null);
  app.decorateRequest('closesConnection', false);
  app.decorateRequest('isRead', null);
  app.decorateRequest('failure', null);
  app.decorateRequest('trace', null);
}

/** Hooks and streams that wait for the end of one response: Node warns of more than ten, in a line for each request. */
const MAX_LISTENERS = 20;

/** Starts a workflow that aborts when the caller hangs up or `stop` aborts. */
export function beginWorkflow(request: FastifyRequest, reply: FastifyReply, stop: AbortBroadcaster): void {
  const controller = new AbortController();
  const onStop = (): void => controller.abort(stop.reason);
  if (stop.aborted) onStop();
  else stop.addEventListener('abort', onStop);
  reply.raw.setMaxListeners(MAX_LISTENERS);
  reply.raw.once('close', () => stop.removeEventListener('abort', onStop));
  abortOnHangUp(reply, controller);
  request.workflow = new Workflow({ signal: controller.signal });
}

/** Returns a signal that aborts when the caller hangs up, or at once if the caller already has. */
export function hangUpSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  abortOnHangUp(reply, controller);
  return controller.signal;
}

function abortOnHangUp({ raw }: FastifyReply, controller: AbortController): void {
  const onClose = (): void => {
    if (!raw.writableFinished) controller.abort(new HangUpError());
  };
  if (raw.closed) onClose();
  else raw.once('close', onClose);
}

export function requireWorkflow(request: FastifyRequest): Workflow {
  if (!request.workflow) throw new AppError('internal', 'the request has no workflow');
  return request.workflow;
}

export function requireKey(request: FastifyRequest): ApiKey {
  if (!request.apiKey) throw new AppError('internal', 'the request is not authenticated');
  return request.apiKey;
}

export function chooseRequestId(inbound: string | string[] | undefined): string {
  return typeof inbound === 'string' && REQUEST_ID_PATTERN.test(inbound) ? inbound : newId(ID_PREFIXES.request);
}

export interface RouteSettings {
  readonly limits: Limits;
  readonly engineFamily: string;
  /** Default. */
  readonly dumpTimeoutMs: number;
  /** Default. */
  readonly stageTimeoutMs: number;
  /** Limits of bodies in bytes, by their settings. */
  readonly bodyLimits: Readonly<Record<BodyLimit, number>>;
  /** Slots for requests. */
  readonly admission: FairQueue;
  /** Slots for answers with stored content. */
  readonly contentReads: FairQueue;
  /** Requests per minute of keys and playground users. */
  readonly quota: KeyQuota;
  /** Maximum wait for a slot. */
  readonly maxWaitMs: number;
}
