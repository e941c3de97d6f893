import type { FastifyInstance } from 'fastify';
import type { FinishedRequest } from '../domain/metrics/ports.ts';

/** Hears of every finished request that walked through stages and got past authentication. */
export type RequestRecorder = (request: FinishedRequest) => void;

/** For the console's figures over time. To be added to the root of the app, so that it sees every route. */
export function addRequestRecording(app: FastifyInstance, record: RequestRecorder): void {
  app.addHook('onResponse', async (request, reply) => {
    const { workflow, apiKey, failure } = request;
    if (!workflow || !apiKey) return;
    const fetched = workflow.steps.find(({ stage, status }) => stage === 'fetch' && status === 'ok');
    const engine = fetched?.detail['engine'];
    record({
      at: new Date(),
      projectId: apiKey.projectId,
      code: failure?.code ?? 'ok',
      stage: failure?.stage ?? null,
      engine: typeof engine === 'string' ? engine : null,
      elapsedMs: reply.elapsedTime,
    });
  });
}
