import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../domain/shared/errors.ts';
import type { FinishedRequest } from '../../domain/metrics/ports.ts';
import { findStep } from '../../domain/shared/workflow.ts';
import type { Step } from '../../domain/shared/workflow.ts';

export interface ServedRequest {
  readonly method: string;
  /** Pattern, for example `/v1/extract`; `unknown` for unknown paths. */
  readonly route: string;
  readonly status: number;
  readonly elapsedMs: number;
  readonly failure: AppError | null;
  readonly steps: readonly Step[];
  /** Set for authenticated requests with stages. */
  readonly finished: FinishedRequest | undefined;
}

export type ServedRecorder = (request: ServedRequest) => void;

export type RequestRecorder = (request: FinishedRequest) => void;

/** The only place that counts requests. Add it to the root, so that it sees every route. */
export function addRequestRecording(app: FastifyInstance, recorders: readonly ServedRecorder[]): void {
  app.addHook('onResponse', (request, reply, done) => {
    const served = describeRequest(request, reply);
    for (const record of recorders) record(served);
    done();
  });
}

function describeRequest(request: FastifyRequest, reply: FastifyReply): ServedRequest {
  return {
    method: request.method,
    route: request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown'),
    status: reply.statusCode,
    elapsedMs: reply.elapsedTime,
    failure: request.failure,
    steps: request.workflow?.steps ?? [],
    finished: describeFinished(request, reply),
  };
}

function describeFinished(request: FastifyRequest, reply: FastifyReply): FinishedRequest | undefined {
  const { workflow, apiKey, failure } = request;
  if (!workflow || !apiKey) return undefined;
  const fetched = findStep(workflow.steps, 'fetch');
  return {
    at: new Date(),
    projectId: apiKey.projectId,
    code: failure?.code ?? 'ok',
    stage: failure?.stage ?? null,
    engine: fetched?.status === 'ok' ? (fetched.detail.engine ?? null) : null,
    elapsedMs: reply.elapsedTime,
  };
}
