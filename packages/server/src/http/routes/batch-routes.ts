import { Readable } from 'node:stream';
import { IDEMPOTENCY_HEADER, IDEMPOTENCY_KEY_PATTERN, MAX_BATCH_ITEMS } from '@winnow/contract';
import type { API_OPERATIONS, BatchOptionsLine, BatchRequest, BatchResponse } from '@winnow/contract';
import type { FastifyRequest } from 'fastify';
import { cancelBatch, createBatch, deleteBatch, readBatch, readResults } from '../../domain/batches/batches.ts';
import type { BatchDeps, CreateBatchCommand, CountedBatch } from '../../domain/batches/batches.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import { presentBatch } from '../answers/present.ts';
import type { Handlers } from './add-operations.ts';
import { readCacheControl } from '../requests/read-cache-control.ts';
import { requireKey, requireWorkflow } from '../requests/request-context.ts';
import type { RouteSettings } from '../requests/settings.ts';
import { checkFields } from '../../domain/extraction/requested-fields.ts';
import { pickContentOptions } from '../../domain/request-options/content-options.ts';
import { readPageOptions } from '../../domain/request-options/page-options.ts';
import { readBatchLines } from './batch-lines.ts';

export interface BatchRouteDeps extends BatchDeps {
  /** Called for a new batch. */
  readonly onBatch: () => void;
}

export function batchHandlers(deps: BatchRouteDeps, settings: RouteSettings): Handlers<typeof API_OPERATIONS.batches> {
  return {
    createBatch: async ({ request, readBody }) => {
      const key = requireKey(request);
      const command = await requireWorkflow(request).run('request', {}, async ({ note }) => {
        const { body } = request;
        // JSON Lines.
        const { targets, options } = Buffer.isBuffer(body)
          ? await readBatchLines(body, settings)
          : { targets: undefined, options: readBody(note) };
        request.acceptedBody = options;
        await checkFields(options.fields, 'fields');
        const accepted = toCommand(options, key, request, settings);
        return { ...accepted, targets: targets ?? accepted.targets };
      });
      const batch = await createBatch(deps, command);
      deps.onBatch();
      return presentResponse(batch, request.id);
    },
    readBatch: async ({ request, params }) =>
      presentResponse(await readBatch(deps, requireKey(request).projectId, params.id), request.id),
    cancelBatch: async ({ request, params }) =>
      presentResponse(await cancelBatch(deps, requireKey(request).projectId, params.id), request.id),
    deleteBatch: async ({ request, params: { id } }) => {
      await deleteBatch(deps, requireKey(request).projectId, id);
      return { request_id: request.id, deleted: id };
    },
    readBatchResults: async ({ request, reply, params, query: { after, limit } }) => {
      const lines = await readResults(deps, requireKey(request).projectId, params.id, {
        after: after === undefined ? -1 : Number(after),
        limit: limit === undefined ? MAX_BATCH_ITEMS : Number(limit),
        isPage: after !== undefined || limit !== undefined,
      });
      return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines));
    },
  };
}

function presentResponse(batch: CountedBatch, requestId: string): BatchResponse {
  return { request_id: requestId, batch: presentBatch(batch) };
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
    idempotencyKey: readIdempotencyKey(request, IDEMPOTENCY_HEADER),
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

/** @throws {AppError} `invalid_request` */
export function readIdempotencyKey({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name.toLowerCase()];
  if (value === undefined) return null;
  if (typeof value === 'string' && IDEMPOTENCY_KEY_PATTERN.test(value)) return value;
  throw new AppError('invalid_request', `${name}: must be 1 to 255 printable ASCII characters, no space`);
}
