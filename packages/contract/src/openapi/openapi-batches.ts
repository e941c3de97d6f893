/** Batches, and the deletion of snapshots, in the OpenAPI document. */
import type { z } from 'zod';
import * as batches from '../api/batches.ts';
import { createSnapshotResponseSchema, snapshotRequestSchema } from '../api/snapshots.ts';
import { MHTML_TYPE } from '../api/attachments.ts';
import { ERRORS } from '../shared/errors.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { describeKeyResponse, jsonOf, KEY_SECURITY } from './openapi-parts.ts';
import type { Json } from './openapi-parts.ts';

interface BatchOperation {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** Default `batches`. */
  readonly tag?: string;
  readonly codes: readonly ErrorCode[];
  readonly parameters?: readonly Json[];
  /** Accepted bodies, by media type. */
  readonly request?: Json;
  /** Default BatchResponse, as JSON. */
  readonly answer?: Json;
}

const BATCH_ERRORS = ['invalid_request', 'unauthorized', 'rate_limited', 'overloaded', 'internal'] as const;
const ONE_BATCH_ERRORS = [...BATCH_ERRORS, 'not_found'] as const;
const PROGRESS = 'Answers the state of the batch and the number of its items in each state.';
const CANCEL = 'Waiting items never start; running items are finished. Repeated calls have no effect.';
const DELETE = 'Removes the batch with its items and results. A running batch is cancelled first.';
const RESULTS = 'Answers one JSON object a line (NDJSON), in the order of the request.';
/** A caller that continues after the last index then misses no item. */
const PAGES = 'With `after` or `limit` the lines end before the first item that is not finished.';
const BATCH_ID: Json = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the batch.',
  schema: { type: 'string', examples: ['bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K'] },
};

/** The paths of batches and of stored snapshots. */
export function describeBatchPaths(): Json {
  const lines = { 'application/x-ndjson': { schema: { $ref: '#/components/schemas/BatchLine' } } };
  const query = (name: string, minimum: number, description: string): Json => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'integer', minimum },
  });
  const create: BatchOperation = {
    id: 'createBatch',
    summary: 'Extract many pages in the background',
    description:
      'Stores up to 100,000 URLs and snapshots and answers at once. The items are processed in the background, also across restarts. Each item counts as one request against the quota of the key when it begins; items over the quota wait for the next minute.',
    codes: [...BATCH_ERRORS, 'url_not_allowed', 'storage_quota_exceeded', 'conflict', 'payload_too_large'],
    parameters: [
      {
        name: batches.IDEMPOTENCY_HEADER,
        in: 'header',
        required: false,
        description: 'A repeated request with the same value returns the existing batch.',
        schema: { type: 'string', pattern: batches.IDEMPOTENCY_KEY_PATTERN.source },
      },
      {
        name: 'Cache-Control',
        in: 'header',
        required: false,
        description:
          'As for an extract, for each `url` when it is processed: `max-age` allows a stored snapshot in place of a fetch; with `only-if-cached` a page without one fails with `not_cached`.',
        schema: { type: 'string', examples: ['max-age=3600'] },
      },
    ],
    request: newBatchContent(),
  };
  const one = (
    id: string,
    summary: string,
    description: string,
    more: Partial<BatchOperation> = {},
  ): BatchOperation => ({
    id,
    summary,
    description,
    codes: ONE_BATCH_ERRORS,
    ...more,
    parameters: [BATCH_ID, ...(more.parameters ?? [])],
  });
  const deleteSnapshot: BatchOperation = {
    id: 'deleteSnapshot',
    summary: 'Delete a snapshot',
    description: 'Removes the snapshot of the project. Results that were extracted from it stay.',
    tag: 'pages',
    codes: [...BATCH_ERRORS, 'dom_not_found'],
    parameters: [
      { name: 'dom_id', in: 'path', required: true, description: 'Id of the snapshot.', schema: { type: 'string' } },
    ],
    answer: jsonOf('DeletedResponse'),
  };
  const createSnapshot: BatchOperation = {
    id: 'createSnapshot',
    summary: 'Store HTML from the caller as a snapshot',
    description:
      'For pages that a browser extension, a signed-in session or a crawler already has. Nothing is fetched. The `dom_id` can be extracted like any other; results name the engine `upload`.',
    tag: 'pages',
    codes: [...BATCH_ERRORS, 'url_not_allowed', 'storage_quota_exceeded', 'payload_too_large'],
    request: jsonOf('SnapshotRequest'),
    answer: jsonOf('CreateSnapshotResponse'),
  };
  const readScreenshot: BatchOperation = {
    ...deleteSnapshot,
    id: 'readScreenshot',
    summary: 'Read the picture of a snapshot',
    description: 'The picture that was taken with `options.screenshot`. It is deleted with its snapshot.',
    codes: [...BATCH_ERRORS, 'dom_not_found', 'not_found'],
    answer: { 'image/webp': {}, 'image/png': {} },
  };
  const readMhtml: BatchOperation = {
    ...readScreenshot,
    id: 'readMhtml',
    summary: 'Read the MHTML file of a snapshot',
    description: 'The file that was made with `options.mhtml`. It is deleted with its snapshot.',
    answer: { [MHTML_TYPE]: {} },
  };
  const results = one('readBatchResults', 'Read the results of finished items', RESULTS, {
    parameters: [
      query('after', 0, `Only items with an index above this one. ${PAGES}`),
      query('limit', 1, `Maximum number of lines. Default: all. ${PAGES}`),
    ],
    answer: lines,
  });
  return {
    '/v1/batches': { post: describeBatchOperation(create) },
    '/v1/batches/{id}': {
      get: describeBatchOperation(one('readBatch', 'Read the progress of a batch', PROGRESS)),
      delete: describeBatchOperation(
        one('deleteBatch', 'Delete a batch', DELETE, { answer: jsonOf('DeletedResponse') }),
      ),
    },
    '/v1/batches/{id}/results': { get: describeBatchOperation(results) },
    '/v1/batches/{id}/cancel': {
      post: describeBatchOperation(one('cancelBatch', 'Cancel a batch', CANCEL)),
    },
    '/v1/snapshots': { post: describeBatchOperation(createSnapshot) },
    '/v1/snapshots/{dom_id}': { delete: describeBatchOperation(deleteSnapshot) },
    '/v1/snapshots/{dom_id}/screenshot': { get: describeBatchOperation(readScreenshot) },
    '/v1/snapshots/{dom_id}/mhtml': { get: describeBatchOperation(readMhtml) },
  };
}

/** JSON, or JSON Lines, which is streamed and so better for many items. */
function newBatchContent(): Json {
  const line = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
  return {
    ...jsonOf('BatchRequest'),
    'application/x-ndjson': {
      schema: {
        description:
          'One item a line, in the order of the results. The first line may hold the options of the batch instead.',
        anyOf: [line('BatchItemLine'), line('BatchOptionsLine')],
      },
    },
  };
}

function describeBatchOperation(operation: BatchOperation): Json {
  const {
    id,
    summary,
    description,
    tag = 'batches',
    codes,
    parameters = [],
    request,
    answer = jsonOf('BatchResponse'),
  } = operation;
  const byStatus = new Map<number, string[]>();
  for (const code of codes) {
    const { status, when } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `- \`${code}\`: ${when}`]);
  }
  const errors = [...byStatus].map(([status, lines]) => [
    status,
    describeKeyResponse(status, lines.join('\n'), jsonOf('ErrorResponse')),
  ]);
  return {
    operationId: id,
    summary,
    description,
    tags: [tag],
    security: KEY_SECURITY,
    parameters,
    ...(request === undefined ? {} : { requestBody: { required: true, content: request } }),
    responses: {
      200: describeKeyResponse(200, 'Success', answer),
      ...Object.fromEntries(errors),
    },
  };
}

/** The schemas that the paths refer to, by name. */
export function listBatchSchemas(options: Parameters<typeof batches.batchRequestSchema>[0]): Record<string, z.ZodType> {
  return {
    BatchRequest: batches.batchRequestSchema(options),
    BatchItemLine: batches.batchItemLineSchema(options),
    BatchOptionsLine: batches.batchOptionsLineSchema(options),
    BatchResponse: batches.batchResponseSchema,
    Batch: batches.batchSchema,
    BatchLine: batches.batchLineSchema,
    SnapshotRequest: snapshotRequestSchema(options),
    CreateSnapshotResponse: createSnapshotResponseSchema,
  };
}
