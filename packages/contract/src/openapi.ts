/** The OpenAPI 3.1 document, generated from the schemas and the error table: nothing is said twice. */
import { z } from 'zod';
import { ERRORS } from './errors.ts';
import type { ErrorCode, ErrorRow, Stage } from './errors.ts';
import { HEADERS } from './ids.ts';
import { ADMIN_SECURITY_SCHEMES, describeAdminPaths, listAdminSchemas } from './openapi-admin.ts';
import { describeBatchPaths, listBatchSchemas } from './openapi-batches.ts';
import { codesOf, describeResponse, jsonOf, PAGE_STAGES, requestIdHeader } from './openapi-parts.ts';
import type { Json } from './openapi-parts.ts';
import { dumpRequestSchema, extractRequestSchema } from './requests.ts';
import type { RequestSchemaOptions } from './requests.ts';
import * as responses from './responses.ts';

export interface OpenApiOptions extends RequestSchemaOptions {
  readonly version: string;
  /** Addresses of the service, the own one first; none: relative to where the document was read. */
  readonly servers?: readonly { readonly url: string; readonly description: string }[];
}

interface Operation {
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly request: string;
  readonly response: string;
  /** Media type of success besides JSON, with its description. */
  readonly alternative?: { readonly type: string; readonly description: string };
  /** Stages that the operation walks through: their errors can occur. */
  readonly stages: readonly Stage[];
}

const OPERATIONS: readonly Operation[] = [
  {
    path: '/v1/extract',
    id: 'extract',
    summary: 'Fetch a page, or take a stored snapshot, and return its structured content',
    request: 'ExtractRequest',
    response: 'ExtractResponse',
    alternative: {
      type: 'text/markdown',
      description: 'With `Accept: text/markdown`: the title as a heading, then the main content.',
    },
    stages: PAGE_STAGES.extract,
  },
  {
    path: '/v1/dom/dump',
    id: 'dumpDom',
    summary: "Fetch a page, store its HTML as a snapshot, and return it with the snapshot's dom_id",
    request: 'DumpRequest',
    response: 'DumpResponse',
    stages: PAGE_STAGES.dump,
  },
];

const DESCRIPTION = `Fetches web pages and returns structured content, and captures rendered HTML as reusable snapshots.

A project-scoped key (variant A) needs \`${HEADERS.projectId}\` besides \`${HEADERS.apiKey}\`; a key-only key (variant B) does not.
Every response carries \`request_id\`, which is also in the \`${HEADERS.requestId}\` header; a well-formed \`${HEADERS.requestId}\` of the request is kept.`;

export function buildOpenApi(options: OpenApiOptions): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Winnow',
      version: options.version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: options.servers && options.servers.length > 0 ? options.servers : [{ url: '/' }],
    tags: [
      { name: 'pages', description: 'Extraction and snapshots' },
      { name: 'batches', description: 'Many pages in one order, worked on in the background' },
      { name: 'health', description: 'State of the service' },
      { name: 'console', description: 'What the console uses; for sessions only, never for API keys' },
    ],
    paths: {
      ...Object.fromEntries(OPERATIONS.map((operation) => [operation.path, { post: describeOperation(operation) }])),
      ...describeBatchPaths(),
      '/': { get: describeProbe('index', 'Where things are; browsers are led to the console', 'IndexResponse', [200]) },
      '/healthz': { get: describeProbe('healthz', 'The process answers', 'HealthResponse', [200]) },
      '/readyz': { get: describeProbe('readyz', 'Every part of the service works', 'ReadyResponse', [200, 503]) },
      ...describeAdminPaths(),
    },
    components: {
      schemas: describeSchemas(options),
      headers: {
        RequestId: { description: 'Request correlation id, as in request_id.', schema: { type: 'string' } },
        RetryAfter: {
          description: 'Seconds after which the request may be tried again.',
          schema: { type: 'integer', minimum: 0 },
        },
      },
      securitySchemes: {
        ...ADMIN_SECURITY_SCHEMES,
        ApiKey: { type: 'apiKey', in: 'header', name: HEADERS.apiKey },
        ProjectId: {
          type: 'apiKey',
          in: 'header',
          name: HEADERS.projectId,
          description: "Id of the key's project; needed with a project-scoped key only.",
        },
      },
    },
  };
}

function describeOperation(operation: Operation): Json {
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: ['pages'],
    security: [{ ApiKey: [], ProjectId: [] }, { ApiKey: [] }],
    parameters: [
      {
        name: HEADERS.requestId,
        in: 'header',
        required: false,
        description: 'Kept as the request_id when it is well-formed.',
        schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
      },
    ],
    requestBody: { required: true, content: jsonOf(operation.request) },
    responses: { 200: describeSuccess(operation), ...describeErrors(operation) },
  };
}

function describeSuccess({ response, alternative }: Operation): Json {
  const success = describeResponse('Success', response);
  if (!alternative) return success;
  const { type, description } = alternative;
  return { ...success, content: { ...jsonOf(response), [type]: { schema: { type: 'string', description } } } };
}

function describeErrors(operation: Operation): Json {
  const byStatus = new Map<number, [ErrorCode, ErrorRow][]>();
  for (const code of codesOf(operation.stages)) {
    const row: ErrorRow = ERRORS[code];
    byStatus.set(row.status, [...(byStatus.get(row.status) ?? []), [code, row]]);
  }
  return Object.fromEntries([...byStatus].map(([status, rows]) => [status, describeErrorResponse(rows, operation)]));
}

function describeErrorResponse(rows: readonly [ErrorCode, ErrorRow][], operation: Operation): Json {
  const lines = rows.map(([code, { stages, when }]) => {
    const possible = stages.filter((stage) => operation.stages.includes(stage));
    return `- \`${code}\` (stage ${possible.join(', ')}): ${when}`;
  });
  const retryAfter = rows.some(([, row]) => row.retryAfter === true);
  const response = describeResponse(lines.join('\n'), 'ErrorResponse');
  if (retryAfter)
    response['headers'] = { ...requestIdHeader(), 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };
  return response;
}

function describeProbe(id: string, summary: string, schema: string, statuses: readonly number[]): Json {
  const shown = statuses.map((status) => [
    status,
    describeResponse(status === 200 ? 'Yes' : 'No, as the checks say', schema),
  ]);
  return { operationId: id, summary, tags: ['health'], security: [], responses: Object.fromEntries(shown) };
}

/** Every named schema once; those inside others become references. */
function describeSchemas(options: OpenApiOptions): Json {
  const registry = z.registry<{ id: string }>();
  const named: Record<string, z.ZodType> = {
    ExtractRequest: extractRequestSchema(options),
    DumpRequest: dumpRequestSchema(options),
    ExtractResponse: responses.extractResponseSchema,
    ExtractResult: responses.resultSchema,
    ExtractMetadata: responses.metadataSchema,
    Link: responses.linkSchema,
    Image: responses.imageSchema,
    TraceStep: responses.traceStepSchema,
    DumpResponse: responses.dumpResponseSchema,
    DumpDebug: responses.dumpDebugSchema,
    EngineAttempt: responses.engineAttemptSchema,
    Redirect: responses.redirectSchema,
    ErrorResponse: responses.errorResponseSchema,
    ErrorBody: responses.errorBodySchema,
    IndexResponse: responses.indexResponseSchema,
    HealthResponse: responses.healthResponseSchema,
    ReadyResponse: responses.readyResponseSchema,
    ...listBatchSchemas(options),
    ...listAdminSchemas(),
  };
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, io: 'input' });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, id: _name, ...schema }]) => [id, schema]),
  );
}
