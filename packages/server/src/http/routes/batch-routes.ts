import { Readable } from 'node:stream';
import {
  BATCH_PATHS,
  batchRequestSchema,
  batchResultsQuerySchema,
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_KEY_PATTERN,
  MAX_BATCH_ITEMS,
} from '@winnow/contract';
import type { BatchOptionsLine, BatchRequest, BatchResponse, DeletedResponse } from '@winnow/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cancelBatch, createBatch, deleteBatch, readBatch, readResults } from '../../domain/batches/batches.ts';
import type { BatchDeps, CreateBatchCommand, CountedBatch, ResultRange } from '../../domain/batches/batches.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import { ignoreBodies } from '../bodies/ignore-bodies.ts';
import { checkTextHeaders } from '../bodies/json-body.ts';
import { presentBatch } from '../answers/present.ts';
import { readCacheControl } from '../requests/read-cache-control.ts';
import { requireKey, requireWorkflow } from '../requests/request-context.ts';
import type { RouteSettings } from '../requests/settings.ts';
import { checkFields } from '../../domain/extraction/requested-fields.ts';
import { pickContentOptions } from '../../domain/request-options/content-options.ts';
import { readPageOptions } from '../../domain/request-options/page-options.ts';
import { BatchLines } from './batch-lines.ts';
import { validateBody, validateQuery } from '../bodies/validate-body.ts';

export interface BatchRouteDeps extends BatchDeps {
  /** Called for a new batch. */
  readonly onBatch: () => void;
  /** Of a new batch. */
  readonly maxBodyBytes: number;
}

type ById = { Params: { id: string } };

export function addBatchRoutes(app: FastifyInstance, deps: BatchRouteDeps, settings: RouteSettings): void {
  const schemaOptions = { limits: settings.limits, engineFamily: settings.engineFamily };
  const schema = batchRequestSchema(schemaOptions);
  const limit = { bodyLimit: deps.maxBodyBytes, config: { bodyLimitSetting: 'WINNOW_BATCH_MAX_BODY_BYTES' } };
  void app.register(async (scope) => {
    acceptLines(scope);
    scope.post(BATCH_PATHS.list, limit, async (request) => {
      const key = requireKey(request);
      const command = await requireWorkflow(request).run('request', {}, async () => {
        const { body } = request;
        if (!(body instanceof BatchLines)) {
          const accepted = validateBody(schema, body);
          request.acceptedBody = accepted;
          await checkFields(accepted.fields, 'fields');
          return toCommand(accepted, key, request, settings);
        }
        const { targets, options } = await body.read(schemaOptions);
        request.acceptedBody = options;
        await checkFields(options.fields, 'fields');
        return { ...toCommand(options, key, request, settings), targets };
      });
      const batch = await createBatch(deps, command);
      deps.onBatch();
      return presentResponse(batch, request.id);
    });
  });
  app.get<ById>(BATCH_PATHS.one, async (request) =>
    presentResponse(await readBatch(deps, requireKey(request).projectId, request.params.id), request.id),
  );
  void app.register(async (scope) => {
    ignoreBodies(scope);
    scope.post<ById>(BATCH_PATHS.cancel, async (request) =>
      presentResponse(await cancelBatch(deps, requireKey(request).projectId, request.params.id), request.id),
    );
    scope.delete<ById>(BATCH_PATHS.one, async (request): Promise<DeletedResponse> => {
      const { id } = request.params;
      await deleteBatch(deps, requireKey(request).projectId, id);
      return { request_id: request.id, deleted: id };
    });
  });
  app.get<ById>(BATCH_PATHS.results, async (request, reply: FastifyReply) => {
    const { projectId } = requireKey(request);
    const lines = await readResults(deps, projectId, request.params.id, readRange(request));
    return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines));
  });
}

function presentResponse(batch: CountedBatch, requestId: string): BatchResponse {
  return { request_id: requestId, batch: presentBatch(batch) };
}

/** Also accepts JSON Lines. */
function acceptLines(app: FastifyInstance): void {
  app.addContentTypeParser(
    'application/x-ndjson',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      checkTextHeaders(request);
      return new BatchLines(body);
    },
  );
}

function toCommand(
  body: BatchRequest | BatchOptionsLine,
  key: ApiKey,
  request: FastifyRequest,
  { engineFamily }: RouteSettings,
): CreateBatchCommand {
  const { urls = [], dom_ids: domIds = [] }: Partial<BatchRequest> = body;
  return {
    projectId: key.projectId,
    key: { id: key.id, quotaPerMinute: key.quotaPerMinute },
    idempotencyKey: readIdempotencyKey(request),
    targets: [
      ...urls.map((value) => ({ kind: 'url', value }) as const),
      ...domIds.map((value) => ({ kind: 'dom_id', value }) as const),
    ],
    options: {
      ...pickContentOptions(body),
      fields: body.fields,
      respectRobots: body.respect_robots ?? true,
      page: body.options && readPageOptions(body.options, engineFamily),
      reuse: readReuse(request),
    },
    webhook: body.webhook ?? null,
    trace: request.trace,
  };
}

/** With null for infinity, which JSON cannot store. */
function readReuse({ headers }: FastifyRequest): CreateBatchCommand['options']['reuse'] {
  const reuse = readCacheControl(headers['cache-control']);
  return reuse && { ...reuse, maxAgeMs: Number.isFinite(reuse.maxAgeMs) ? reuse.maxAgeMs : null };
}

function readIdempotencyKey(request: FastifyRequest): string | null {
  const value = request.headers[IDEMPOTENCY_HEADER.toLowerCase()];
  if (value === undefined) return null;
  if (typeof value === 'string' && IDEMPOTENCY_KEY_PATTERN.test(value)) return value;
  throw new AppError('invalid_request', `${IDEMPOTENCY_HEADER}: must be 1 to 255 printable ASCII characters, no space`);
}

function readRange(request: FastifyRequest): ResultRange {
  const { after, limit } = validateQuery(batchResultsQuerySchema, request.query);
  return {
    after: after === undefined ? -1 : Number(after),
    limit: limit === undefined ? MAX_BATCH_ITEMS : Number(limit),
    isPage: after !== undefined || limit !== undefined,
  };
}
