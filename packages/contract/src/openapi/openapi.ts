/** The OpenAPI 3.1 document, generated from the tables of operations and of errors. */
import { z } from 'zod';
import { ADMIN_OPERATIONS } from '../admin/admin-operations.ts';
import { API_OPERATIONS } from '../api/operations.ts';
import { facadeStatusOf, firecrawlStatusOf, firecrawlV1StatusOf } from '../api/facades.ts';
import { errorResponseSchema } from '../api/responses.ts';
import { ERROR_CODES, ERRORS, type ErrorCode, type ErrorRow } from '../shared/errors.ts';
import { HEADERS } from '../shared/ids.ts';
import { writeSamples } from './code-samples.ts';
import { resolveSchema, type Operation, type RequestSchemaOptions, type SchemaSource } from '../shared/operation.ts';

export interface OpenApiOptions extends RequestSchemaOptions {
  readonly version: string;
  /** Addresses of the service, this deployment's first; none: relative to the document. */
  readonly servers?: readonly { readonly url: string; readonly description: string }[];
}

type Json = Record<string, unknown>;

interface Surface {
  readonly tag: string;
  /** Before the ids. */
  readonly prefix?: string;
  readonly operations: Readonly<Record<string, Operation>>;
  /** Errors of all its operations. */
  readonly errors: readonly ErrorCode[];
  readonly statusOf?: (code: ErrorCode) => number;
}

const KEY_ERRORS = ['invalid_request', 'unauthorized', 'rate_limited', 'overloaded', 'internal'] as const;
const SESSION_ERRORS = [
  ...KEY_ERRORS,
  'forbidden',
  'not_found',
  'dom_not_found',
  'conflict',
  'payload_too_large',
] as const;
const OTHERS = 'other clients';

const SURFACES: readonly Surface[] = [
  { tag: 'pages', operations: API_OPERATIONS.pages, errors: KEY_ERRORS },
  { tag: 'batches', operations: API_OPERATIONS.batches, errors: KEY_ERRORS },
  { tag: OTHERS, operations: API_OPERATIONS.mcp, errors: KEY_ERRORS },
  { tag: OTHERS, operations: API_OPERATIONS.firecrawl, errors: KEY_ERRORS, statusOf: firecrawlStatusOf },
  {
    tag: OTHERS,
    operations: API_OPERATIONS['firecrawl-v1'],
    errors: KEY_ERRORS,
    statusOf: firecrawlV1StatusOf,
  },
  { tag: OTHERS, operations: API_OPERATIONS.jina, errors: KEY_ERRORS },
  { tag: OTHERS, operations: API_OPERATIONS['open-webui'], errors: KEY_ERRORS, statusOf: facadeStatusOf },
  { tag: 'health', operations: API_OPERATIONS.health, errors: ['invalid_request'] },
  { tag: 'console', prefix: 'admin_', operations: ADMIN_OPERATIONS, errors: SESSION_ERRORS },
];

/** Errors that only operations have whose rows name them. */
const NAMED_ONLY: ReadonlySet<ErrorCode> = new Set(['not_found', 'method_not_allowed', 'forbidden', 'conflict']);

const DESCRIPTION = `Fetches web pages and returns structured content, and captures rendered HTML as reusable snapshots.

There are two kinds of API keys. A **project key** ("variant A" of the interface) is sent in \`${HEADERS.apiKey}\` together with the id of its project in \`${HEADERS.projectId}\`; \`trace.include_steps\` is off by default. A **standalone key** ("variant B") is sent alone; \`trace.include_steps\` is on by default, and \`workflow\` sets the time limits of the stages. Everything else is the same for both. A key may also be sent as \`Authorization: Bearer KEY\`.

Every response carries \`request_id\`, which is also in the \`${HEADERS.requestId}\` header; a well-formed \`${HEADERS.requestId}\` of the request is kept.

In the body of a request with a key, an optional field that is \`null\` or an empty string counts as absent, also where its schema here names another type. A time limit above the longest counts as the longest, and the trace says so.`;

export function buildOpenApi(options: OpenApiOptions): Json {
  const work = describeOpenApi(options);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** As {@link buildOpenApi}, with a pause after each operation: the whole takes a fifth of a second. */
export function* describeOpenApi(options: OpenApiOptions): Generator<undefined, Json> {
  const schemas = new SchemaWriter();
  yield* schemas.write(options);
  const paths: Record<string, Json> = {};
  for (const surface of SURFACES) {
    for (const [id, operation] of Object.entries(surface.operations)) {
      const path = operation.path.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{url}');
      const described = describeOperation(`${surface.prefix ?? ''}${id}`, operation, surface, schemas);
      paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described };
      yield undefined;
    }
  }
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
      {
        name: OTHERS,
        description: 'The Model Context Protocol, and the interfaces of other services for their own clients',
      },
      { name: 'health', description: 'State of the service' },
      { name: 'console', description: 'Endpoints of the console; for signed-in sessions, not for API keys' },
    ],
    paths,
    components: { schemas: schemas.named, headers: RESPONSE_HEADERS, securitySchemes: SECURITY_SCHEMES },
  };
}

const integer = (description: string, example: number): Json => ({
  description,
  schema: { type: 'integer', minimum: 0, examples: [example] },
});
const text = (description: string, example: string): Json => ({
  description,
  schema: { type: 'string', examples: [example] },
});

const RESPONSE_HEADERS: Json = {
  RequestId: text('Request correlation id, as in request_id.', 'req_01J9ZC8X6M4Q7W2E5R8T1Y3V6J'),
  RetryAfter: integer('Seconds after which the request may be tried again.', 2),
  Age: integer('Seconds since the reused snapshot was captured. Absent when the page was fetched.', 42),
  Confidence: {
    description: 'metadata.confidence.',
    schema: { type: 'number', minimum: 0, maximum: 1, examples: [0.97] },
  },
  DomId: text('metadata.dom_id.', 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K'),
  TemplateId: text('metadata.template_id.', 'generic:v1'),
  Warnings: text(
    'Codes of metadata.warnings, and partial for a page that is not whole. Absent without any.',
    'login_wall, partial',
  ),
  RateLimit: text(
    'Remaining quota of the key: `r` requests for the next `t` seconds (draft-ietf-httpapi-ratelimit-headers). Absent without a quota.',
    '"key";r=599;t=60',
  ),
  RateLimitPolicy: text(
    'The quota of the key: `q` requests in `w` seconds. Absent without a quota.',
    '"key";q=600;w=60',
  ),
};

const apiKey = (where: 'cookie' | 'header', name: string, description: string): Json => ({
  type: 'apiKey',
  in: where,
  name,
  description,
});

const SECURITY_SCHEMES: Json = {
  Session: apiKey(
    'cookie',
    'winnow_session',
    'Set by signing in; `__Host-winnow_session` where the console is reached over https.',
  ),
  CsrfToken: apiKey('header', 'X-CSRF-Token', 'csrf_token of the session; required by every request except GET.'),
  ApiKey: apiKey('header', HEADERS.apiKey, 'A project key or a standalone key.'),
  Bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The same key as `Authorization: Bearer KEY`. Beside a valid X-API-Key another token is ignored, and a different valid key is refused with 400.',
  },
  ProjectId: apiKey(
    'header',
    HEADERS.projectId,
    "Id of the key's project; required with a project key, ignored with a standalone key.",
  ),
};

/** How a key may be sent: either kind of key in either header, a project key with the id of its project. */
const KEY_SECURITY: readonly Json[] = [
  { ApiKey: [], ProjectId: [] },
  { ApiKey: [] },
  { Bearer: [], ProjectId: [] },
  { Bearer: [] },
];

function securityOf({ access = 'key', method }: Operation): readonly Json[] {
  if (access === 'nobody') return [];
  if (access === 'key') return KEY_SECURITY;
  return [method === 'GET' ? { Session: [] } : { Session: [], CsrfToken: [] }];
}

/** Who may call an endpoint of the console. */
const ACCESS: Readonly<Record<NonNullable<Operation['access']>, string | undefined>> = {
  key: undefined,
  nobody: 'No session is needed.',
  member: 'For everyone who is signed in; members see their own projects only.',
  admin: 'For administrators.',
};

function describeOperation(id: string, operation: Operation, surface: Surface, schemas: SchemaWriter): Json {
  const { access = 'key', summary, description, query, headers } = operation;
  const parameters = [
    ...listPathParameters(operation),
    ...(query === undefined ? [] : listParameters(query, 'query')),
    ...(headers === undefined ? [] : listParameters(headers, 'header')),
  ];
  const body = describeBody(operation, schemas);
  const samples = access === 'key' ? writeSamples(operation) : [];
  return {
    operationId: id,
    summary: access === 'admin' ? `${summary} (administrators)` : summary,
    description: [description, surface.tag === 'console' ? ACCESS[access] : undefined].filter(Boolean).join(' '),
    tags: [surface.tag],
    security: securityOf(operation),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(Object.keys(body).length === 0 ? {} : { requestBody: { required: true, content: body } }),
    ...(samples.length === 0 ? {} : { 'x-codeSamples': samples }),
    responses: describeResponses(operation, surface, schemas),
  };
}

/** What the names in paths mean; else the id of a batch, or of a resource of the console. */
const PATH_PARAMETERS: Readonly<Record<string, Json>> = {
  project_id: { description: 'Id of the project.', schema: { type: 'string' } },
  dom_id: { description: 'Id of the snapshot.', schema: { type: 'string' } },
  url: {
    description: 'Page address, http or https.',
    schema: { type: 'string', examples: ['https://example.com/news/1'] },
  },
};

function listPathParameters({ path, access = 'key' }: Operation): Json[] {
  return [...path.replace('*', ':url').matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(PATH_PARAMETERS[name] ??
      (access === 'key'
        ? text('Id of the batch.', 'bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K')
        : { description: 'Id of the resource.', schema: { type: 'string' } })),
  }));
}

function listParameters(schema: z.ZodObject, where: 'query' | 'header'): Json[] {
  const written = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  // A named schema is written as a reference.
  const { properties } = written.properties === undefined ? (Object.values(written.$defs ?? {})[0] ?? {}) : written;
  if (properties === undefined) throw new Error('the schema of parameters has no properties');
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...form } = property as Json;
    return { name, in: where, required: false, ...(description === undefined ? {} : { description }), schema: form };
  });
}

const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';

function describeBody({ body, example, bodyLine, exampleLines }: Operation, schemas: SchemaWriter): Json {
  const lines = exampleLines?.map((line) => `${JSON.stringify(line)}\n`).join('');
  return {
    ...(body === undefined ? {} : { [JSON_TYPE]: { schema: schemas.refer(body), example } }),
    ...(bodyLine === undefined ? {} : { [LINES_TYPE]: { ...linesOf(schemas.refer(bodyLine)), example: lines } }),
  };
}

/** A text, since no JSON schema describes JSON Lines as a whole; `contentSchema` is that of a line. */
function linesOf(line: Json): Json {
  const description = 'One JSON object a line.';
  return { schema: { type: 'string', description, contentMediaType: LINES_TYPE, contentSchema: line } };
}

function describeResponses(operation: Operation, surface: Surface, schemas: SchemaWriter): Json {
  const { response, responseLine, media = {}, others = {}, failure = errorResponseSchema } = operation;
  const json = (source: SchemaSource): Json => ({ [JSON_TYPE]: { schema: schemas.refer(source) } });
  const content = {
    ...(response === undefined ? {} : json(response)),
    ...(responseLine === undefined ? {} : { [LINES_TYPE]: linesOf(schemas.refer(responseLine)) }),
    ...Object.fromEntries(
      Object.entries(media).map(([type, schema]) => [type, schema === null ? {} : { schema: schemas.refer(schema) }]),
    ),
  };
  const responses: Json = { 200: { description: 'Success', headers: headersOf(operation, 200), content } };
  for (const [status, codes] of groupErrors(operation, surface)) {
    const description = codes.map((code) => describeError(code, operation)).join('\n');
    responses[status] = { description, headers: headersOf(operation, status), content: json(failure) };
  }
  for (const [status, { description, schema }] of Object.entries(others)) {
    const headers = headersOf(operation, Number(status));
    responses[status] = { description, headers, ...(schema === undefined ? {} : { content: json(schema) }) };
  }
  return responses;
}

function describeError(code: ErrorCode, { stages: own }: Operation): string {
  const { stages, when }: ErrorRow = ERRORS[code];
  const possible = stages.filter((stage) => own?.includes(stage));
  return `- \`${code}\`${possible.length === 0 ? '' : ` (stage ${possible.join(', ')})`}: ${when}`;
}

/** The errors that can occur, by their status. */
function groupErrors(operation: Operation, { errors, statusOf }: Surface): Map<number, ErrorCode[]> {
  const { stages = [], errors: own = [], never = [] } = operation;
  const named = new Set([...errors, ...own]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of ERROR_CODES) {
    const row: ErrorRow = ERRORS[code];
    const isOfStage = !NAMED_ONLY.has(code) && row.stages.some((stage) => stages.includes(stage));
    if (never.includes(code) || !(named.has(code) || isOfStage)) continue;
    const status = statusOf?.(code) ?? row.status;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

const RETRY_AFTER_STATUSES: ReadonlySet<number> = new Set(
  Object.values(ERRORS).flatMap((row: ErrorRow) => (row.retryAfter === true ? [row.status] : [])),
);

const EXTRACTION_HEADERS = {
  [HEADERS.confidence]: 'Confidence',
  [HEADERS.domId]: 'DomId',
  [HEADERS.templateId]: 'TemplateId',
  [HEADERS.warnings]: 'Warnings',
};

function headersOf({ access = 'key', mayReuse, isExtraction, others = {} }: Operation, status: number): Json {
  // Without an accepted key there is no quota.
  const hasQuota = access === 'key' && status !== ERRORS.unauthorized.status;
  const headers = {
    [HEADERS.requestId]: 'RequestId',
    ...(hasQuota ? { RateLimit: 'RateLimit', 'RateLimit-Policy': 'RateLimitPolicy' } : {}),
    ...(RETRY_AFTER_STATUSES.has(status) && !(status in others) ? { 'Retry-After': 'RetryAfter' } : {}),
    ...(status === 200 && mayReuse ? { Age: 'Age' } : {}),
    ...(status === 200 && isExtraction ? EXTRACTION_HEADERS : {}),
  };
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [name, { $ref: `#/components/headers/${header}` }]),
  );
}

/** Writes the schemas of all operations: named ones once, as components, and references to them. */
class SchemaWriter {
  readonly named: Record<string, Json> = {};
  readonly #written = new Map<SchemaSource, Json>();

  /** Pauses between the surfaces. */
  *write(options: RequestSchemaOptions): Generator<undefined, void> {
    for (const { operations } of SURFACES) {
      const sources = new Set(Object.values(operations).flatMap(listSources));
      const shape = Object.fromEntries([...sources].map((source, index) => [index, resolveSchema(source, options)]));
      const written = JSON.stringify(z.toJSONSchema(z.object(shape), { io: 'input' }));
      const { properties, $defs } = JSON.parse(written.replaceAll('"#/$defs/', '"#/components/schemas/')) as Record<
        'properties' | '$defs',
        Record<string, Json>
      >;
      for (const [index, source] of [...sources].entries()) this.#written.set(source, properties[index] ?? {});
      for (const [name, { id: _id, ...schema }] of Object.entries($defs)) this.named[name] = schema;
      yield undefined;
    }
  }

  refer(source: SchemaSource): Json {
    return this.#written.get(source) ?? {};
  }
}

function listSources({
  body,
  bodyLine,
  response,
  responseLine,
  media = {},
  others = {},
  failure,
}: Operation): SchemaSource[] {
  const more = Object.values(others).map(({ schema }) => schema);
  const all = [body, bodyLine, response, responseLine, failure, errorResponseSchema, ...Object.values(media), ...more];
  return all.filter((source) => source !== undefined && source !== null);
}
