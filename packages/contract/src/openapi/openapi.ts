/** The OpenAPI 3.1 document, generated from the schemas and the error table. */
import { z } from 'zod';
import { ERRORS } from '../shared/errors.ts';
import type { ErrorCode, ErrorRow, Stage } from '../shared/errors.ts';
import { HEADERS } from '../shared/ids.ts';
import { ADMIN_SECURITY_SCHEMES, describeAdminPaths, listAdminSchemas } from './openapi-admin.ts';
import { describeBatchPaths, listBatchSchemas } from './openapi-batches.ts';
import { describeReachPaths, listReachSchemas, REACH_TAG } from './openapi-reach.ts';
import { codesOf, describeKeyResponse, describeResponse, jsonOf, KEY_SECURITY, PAGE_STAGES } from './openapi-parts.ts';
import type { Json } from './openapi-parts.ts';
import { chunkSchema } from '../api/content-fields.ts';
import { dumpRequestSchema, extractRequestSchema } from '../api/requests.ts';
import type { RequestSchemaOptions } from '../api/requests.ts';
import * as captures from '../api/capture-parts.ts';
import * as responses from '../api/responses.ts';
import { mhtmlSchema, screenshotSchema } from '../api/attachments.ts';
import * as details from '../api/stage-details.ts';
import { statedProductSchema, statedRatingSchema, statedSchema } from '../api/stated.ts';
import { warningSchema } from '../api/warnings.ts';

export interface OpenApiOptions extends RequestSchemaOptions {
  readonly version: string;
  /** Addresses of the service, this deployment's first; none: relative to the document. */
  readonly servers?: readonly { readonly url: string; readonly description: string }[];
}

interface Operation {
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly request: string;
  readonly response: string;
  /** Media type of success besides JSON, with its description. */
  readonly alternative?: { readonly type: string; readonly description: string };
  /** Stages of the operation, whose errors can occur. */
  readonly stages: readonly Stage[];
}

const OPERATIONS: readonly Operation[] = [
  {
    path: '/v1/extract',
    id: 'extract',
    summary: 'Fetch a page, or take a stored snapshot, and return its structured content',
    description:
      'With `extract.url` the page is fetched, stored as a snapshot and extracted. With `extract.dom_id` a stored snapshot is extracted and nothing is fetched.',
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
    description: 'The `dom_id` can be extracted from later, without another fetch, until the snapshot expires.',
    request: 'DumpRequest',
    response: 'DumpResponse',
    stages: PAGE_STAGES.dump,
  },
];

const DESCRIPTION = `Fetches web pages and returns structured content, and captures rendered HTML as reusable snapshots.

There are two kinds of API keys. A **project key** ("variant A" of the interface) is sent in \`${HEADERS.apiKey}\` together with the id of its project in \`${HEADERS.projectId}\`; \`trace.include_steps\` is off by default. A **standalone key** ("variant B") is sent alone; \`trace.include_steps\` is on by default, and \`workflow\` sets the time limits of the stages. Everything else is the same for both. A key may also be sent as \`Authorization: Bearer KEY\`.

Every response carries \`request_id\`, which is also in the \`${HEADERS.requestId}\` header; a well-formed \`${HEADERS.requestId}\` of the request is kept.`;

export function buildOpenApi(options: OpenApiOptions): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Winnow',
      version: options.version,
      description: DESCRIPTION,
      contact: { name: 'The operator of this deployment' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: options.servers && options.servers.length > 0 ? options.servers : [{ url: '/' }],
    tags: [
      { name: 'pages', description: 'Extraction and snapshots' },
      { name: 'batches', description: 'Many pages in one request, processed in the background' },
      REACH_TAG,
      { name: 'health', description: 'State of the service' },
      { name: 'console', description: 'Endpoints of the console; for signed-in sessions, not for API keys' },
    ],
    paths: {
      ...Object.fromEntries(OPERATIONS.map((operation) => [operation.path, { post: describeOperation(operation) }])),
      ...describeBatchPaths(),
      ...describeReachPaths(),
      '/': {
        get: describeProbe('index', 'List the parts of the service', INDEX, 'IndexResponse', {
          302: { description: 'Browsers are redirected to the console' },
        }),
      },
      '/healthz': { get: describeProbe('healthz', 'Check that the process answers', LIVENESS, 'HealthResponse') },
      '/readyz': {
        get: describeProbe('readyz', 'Check that every part of the service works', READINESS, 'ReadyResponse', {
          503: describeResponse('A part does not work; the checks name it', 'ReadyResponse'),
        }),
      },
      ...describeAdminPaths(),
    },
    components: {
      schemas: describeSchemas(options),
      headers: {
        RequestId: {
          description: 'Request correlation id, as in request_id.',
          schema: { type: 'string', examples: ['req_01J9ZC8X6M4Q7W2E5R8T1Y3V6J'] },
        },
        RetryAfter: {
          description: 'Seconds after which the request may be tried again.',
          schema: { type: 'integer', minimum: 0, examples: [2] },
        },
        Age: {
          description: 'Seconds since the reused snapshot was captured. Absent when the page was fetched.',
          schema: { type: 'integer', minimum: 0, examples: [42] },
        },
        RateLimit: {
          description:
            'Remaining quota of the key: `r` requests for the next `t` seconds (draft-ietf-httpapi-ratelimit-headers). Absent without a quota.',
          schema: { type: 'string', examples: ['"key";r=599;t=60'] },
        },
        RateLimitPolicy: {
          description: 'The quota of the key: `q` requests in `w` seconds. Absent without a quota.',
          schema: { type: 'string', examples: ['"key";q=600;w=60'] },
        },
      },
      securitySchemes: {
        ...ADMIN_SECURITY_SCHEMES,
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: HEADERS.apiKey,
          description: 'A project key or a standalone key.',
        },
        Bearer: {
          type: 'http',
          scheme: 'bearer',
          description: `The same key as \`Authorization: Bearer KEY\`. Two headers with different keys are refused with 400.`,
        },
        ProjectId: {
          type: 'apiKey',
          in: 'header',
          name: HEADERS.projectId,
          description: "Id of the key's project; required with a project key, ignored with a standalone key.",
        },
      },
    },
  };
}

function describeOperation(operation: Operation): Json {
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    tags: ['pages'],
    security: KEY_SECURITY,
    parameters: [
      {
        name: HEADERS.requestId,
        in: 'header',
        required: false,
        description: 'Kept as the request_id when it is well-formed.',
        schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
      },
      {
        name: 'Cache-Control',
        in: 'header',
        required: false,
        description:
          'As RFC 9111 defines it for requests. `max-age`: a stored snapshot of the page, of at most that many seconds, is reused in place of a fetch; the answer has `Age`. `only-if-cached`: the page is not fetched; without a snapshot the answer is 504 `not_cached`. `no-cache`: the page is fetched, which is the default. Other directives have no effect.',
        schema: { type: 'string', examples: ['max-age=3600'] },
      },
    ],
    requestBody: { required: true, content: jsonOf(operation.request) },
    responses: { 200: describeSuccess(operation), ...describeErrors(operation) },
  };
}

function describeSuccess({ response, alternative }: Operation): Json {
  const fetched = describeKeyResponse(200, 'Success', jsonOf(response));
  const success = {
    ...fetched,
    headers: { ...(fetched['headers'] as Json), Age: { $ref: '#/components/headers/Age' } },
  };
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
  return Object.fromEntries(
    [...byStatus].map(([status, rows]) => [status, describeErrorResponse(status, rows, operation)]),
  );
}

function describeErrorResponse(status: number, rows: readonly [ErrorCode, ErrorRow][], operation: Operation): Json {
  const lines = rows.map(([code, { stages, when }]) => {
    const possible = stages.filter((stage) => operation.stages.includes(stage));
    return `- \`${code}\` (stage ${possible.join(', ')}): ${when}`;
  });
  return describeKeyResponse(status, lines.join('\n'), jsonOf('ErrorResponse'));
}

const INDEX = 'Returns the addresses of the parts of the service. No key is needed.';
const LIVENESS = 'Succeeds while the process runs, even if a part does not work. No key is needed.';
const READINESS =
  'Makes a real round trip through each part: database, snapshot store, worker threads, browser. Answers are reused for a second. No key is needed.';

function describeProbe(id: string, summary: string, description: string, schema: string, more: Json = {}): Json {
  const answers = {
    200: describeResponse('Success', schema),
    400: describeResponse(`- \`invalid_request\`: ${ERRORS.invalid_request.when}`, 'ErrorResponse'),
    ...more,
  };
  return { operationId: id, summary, description, tags: ['health'], security: [], responses: answers };
}

/** Writes every named schema once; inside others it becomes a reference. */
function describeSchemas(options: OpenApiOptions): Json {
  const registry = z.registry<{ id: string }>();
  const named: Record<string, z.ZodType> = {
    ExtractRequest: extractRequestSchema(options),
    DumpRequest: dumpRequestSchema(options),
    ExtractResponse: responses.extractResponseSchema,
    ExtractResult: responses.resultSchema,
    ExtractMetadata: responses.metadataSchema,
    StatedData: statedSchema,
    StatedProduct: statedProductSchema,
    StatedRating: statedRatingSchema,
    Warning: warningSchema,
    Chunk: chunkSchema,
    Link: responses.linkSchema,
    Image: responses.imageSchema,
    TraceStep: details.traceStepSchema,
    RequestStep: details.requestStepSchema,
    AuthStep: details.authStepSchema,
    FetchStep: details.fetchStepSchema,
    SnapshotStep: details.snapshotStepSchema,
    MatchStep: details.matchStepSchema,
    GenerateStep: details.generateStepSchema,
    ExtractStep: details.extractStepSchema,
    ValidateStep: details.validateStepSchema,
    RequestDetails: details.requestDetailsSchema,
    AuthDetails: details.authDetailsSchema,
    FetchDetails: details.fetchDetailsSchema,
    SnapshotDetails: details.snapshotDetailsSchema,
    MatchDetails: details.matchDetailsSchema,
    GenerateDetails: details.generateDetailsSchema,
    ExtractDetails: details.extractDetailsSchema,
    ValidateDetails: details.validateDetailsSchema,
    DumpResponse: responses.dumpResponseSchema,
    DumpDebug: responses.dumpDebugSchema,
    Screenshot: screenshotSchema,
    Mhtml: mhtmlSchema,
    EngineAttempt: captures.engineAttemptSchema,
    Redirect: captures.redirectSchema,
    ErrorResponse: responses.errorResponseSchema,
    ErrorBody: responses.errorBodySchema,
    IndexResponse: responses.indexResponseSchema,
    HealthResponse: responses.healthResponseSchema,
    ReadyResponse: responses.readyResponseSchema,
    ...listBatchSchemas(options),
    ...listReachSchemas(options),
    ...listAdminSchemas(),
  };
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}`, io: 'input' });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, id: _name, ...schema }]) => [id, schema]),
  );
}
