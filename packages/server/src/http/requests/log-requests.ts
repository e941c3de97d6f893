import { LogController } from 'fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Logs the request and its failure in one line. */
export class RequestLog extends LogController {
  override requestCompleted(error: Error | null, request: FastifyRequest, reply: FastifyReply): void {
    const { failure } = request;
    const fields = {
      req: request,
      res: reply,
      responseTime: reply.elapsedTime,
      failure: failure ? { code: failure.code, stage: failure.stage, reason: failure.message } : undefined,
    };
    if (error) reply.log.error({ ...fields, err: error }, 'request errored');
    else reply.log.info(fields, 'request completed');
  }
}
