/** The admin API's part of the OpenAPI document, from the table of its operations. */
import { z } from 'zod';
import { accountSchema, auditEntrySchema, invitationSchema, memberSchema } from '../admin/admin-accounts.ts';
import { batchItemSchema } from '../admin/admin-batches.ts';
import { ADMIN_OPERATIONS, ADMIN_STREAMS } from '../admin/admin-operations.ts';
import type { AdminOperation } from '../admin/admin-operations.ts';
import { TEMPLATE_OPERATIONS, templateSummarySchema } from '../admin/admin-templates.ts';
import { keySchema, projectSchema } from '../admin/admin-projects.ts';
import { loggedRequestSchema, loggedRequestDetailSchema } from '../admin/admin-requests.ts';
import { snapshotSchema } from '../admin/admin-snapshots.ts';
import { MHTML_TYPE } from '../api/attachments.ts';
import { ERRORS } from '../shared/errors.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { HEADERS } from '../shared/ids.ts';
import { codesOf, jsonOf, PAGE_STAGES } from './openapi-parts.ts';
import type { Json } from './openapi-parts.ts';
import { templateSchema } from '../api/templates.ts';

const OPERATIONS: Readonly<Record<string, AdminOperation>> = { ...ADMIN_OPERATIONS, ...TEMPLATE_OPERATIONS };

/** Errors of every console endpoint. */
const ADMIN_ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'dom_not_found',
  'conflict',
  'payload_too_large',
  'rate_limited',
  'overloaded',
  'internal',
];

/** Schemas used inside others. */
const PARTS: readonly z.ZodType[] = [
  accountSchema,
  auditEntrySchema,
  batchItemSchema,
  invitationSchema,
  keySchema,
  loggedRequestDetailSchema,
  loggedRequestSchema,
  memberSchema,
  projectSchema,
  snapshotSchema,
  templateSchema,
  templateSummarySchema,
];

/** The playground's endpoints, with the requests and responses of `/v1`. */
const PLAYGROUND = [
  ['extract', 'Extract for a project, with a session in place of a key', 'ExtractRequest', 'ExtractResponse'],
  ['dump', 'Capture for a project, with a session in place of a key', 'DumpRequest', 'DumpResponse'],
] as const;

export const ADMIN_SECURITY_SCHEMES: Json = {
  Session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'winnow_session',
    description: 'Set by signing in; `__Host-winnow_session` where the console is reached over https.',
  },
  CsrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'csrf_token of the session; required by every request except GET.',
  },
};

/** Schemas by the name under which the document refers to them. */
export function listAdminSchemas(): Record<string, z.ZodType> {
  const named: Record<string, z.ZodType> = Object.fromEntries(PARTS.map((schema) => [nameOf(schema) ?? '', schema]));
  for (const { body, response } of Object.values(OPERATIONS)) {
    for (const schema of [body, response]) {
      const name = schema && nameOf(schema);
      if (schema !== undefined && name !== undefined) named[name] = schema;
    }
  }
  return named;
}

export function describeAdminPaths(): Json {
  const paths: Record<string, Json> = {};
  const add = (path: string, method: string, description: Json): void => {
    const key = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[key] = { ...paths[key], [method.toLowerCase()]: description };
  };
  for (const [id, operation] of Object.entries(OPERATIONS)) {
    add(operation.path, operation.method, describeOperation(`admin_${id}`, operation));
  }
  const project = '/admin/v1/projects/:project_id';
  for (const [name, summary, request, response] of PLAYGROUND) {
    const path = `${project}/${name}`;
    const codes = [...new Set([...ADMIN_ERRORS, ...codesOf(PAGE_STAGES[name])])];
    const parts = { requestBody: bodyOf(request), responses: responsesOf(jsonOf(response), codes) };
    const head = { ...headOf(`admin_${name}`, summary, path), description: ACCESS.member };
    add(path, 'POST', { ...head, security: securityOf('POST'), ...parts });
  }
  const page = `${project}/snapshots/:dom_id/page`;
  add(page, 'GET', {
    ...headOf('admin_drawSnapshot', 'The stored page for the preview: without active content and resources', page),
    description: ACCESS.member,
    security: securityOf('GET'),
    responses: responsesOf({ 'text/html': { schema: { type: 'string' } } }),
  });
  const screenshot = `${project}/snapshots/:dom_id/screenshot`;
  add(screenshot, 'GET', {
    ...headOf('admin_readScreenshot', 'The picture of a snapshot, where one was taken', screenshot),
    description: ACCESS.member,
    security: securityOf('GET'),
    responses: responsesOf({ 'image/webp': {}, 'image/png': {} }),
  });
  const mhtml = `${project}/snapshots/:dom_id/mhtml`;
  add(mhtml, 'GET', {
    ...headOf('admin_readMhtml', 'The MHTML file of a snapshot, where one was made', mhtml),
    description: ACCESS.member,
    security: securityOf('GET'),
    responses: responsesOf({ [MHTML_TYPE]: {} }),
  });
  const lines = ADMIN_STREAMS.batchResults;
  add(lines, 'GET', {
    ...headOf('admin_downloadBatchResults', 'All results of a batch, one line each, as in /v1', lines),
    description: ACCESS.member,
    security: securityOf('GET'),
    responses: responsesOf({ 'application/x-ndjson': { schema: { $ref: '#/components/schemas/BatchLine' } } }),
  });
  return paths;
}

/** Who may call an endpoint. */
const ACCESS: Readonly<Record<AdminOperation['access'], string>> = {
  nobody: 'No session is needed.',
  member: 'For everyone who is signed in; members see their own projects only.',
  admin: 'For administrators.',
};

function describeOperation(id: string, operation: AdminOperation): Json {
  const { method, path, summary, access, body, query, response } = operation;
  const head = headOf(id, access === 'admin' ? `${summary} (administrators)` : summary, path, query);
  return {
    ...head,
    description: ACCESS[access],
    security: access === 'nobody' ? [] : securityOf(method),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body) } }),
    responses: responsesOf(contentOf(response)),
  };
}

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  project_id: 'Id of the project.',
  dom_id: 'Id of the snapshot.',
};

function headOf(id: string, summary: string, path: string, query?: z.ZodType): Json {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: PATH_PARAMETERS[name ?? ''] ?? 'Id of the resource.',
    schema: { type: 'string' },
  }));
  const parameters = [...inPath, ...(query === undefined ? [] : describeQuery(query))];
  return { operationId: id, summary, tags: ['console'], ...(parameters.length === 0 ? {} : { parameters }) };
}

function describeQuery(query: z.ZodType): Json[] {
  const written = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' });
  // A named schema is written as a reference.
  const { properties } = written.properties === undefined ? (Object.values(written.$defs ?? {})[0] ?? {}) : written;
  if (properties === undefined) throw new Error('the schema of a query has no properties');
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: false,
    schema: property,
  }));
}

function securityOf(method: string): Json[] {
  return [method === 'GET' ? { Session: [] } : { Session: [], CsrfToken: [] }];
}

function bodyOf(name: string): Json {
  return { required: true, content: jsonOf(name) };
}

function responsesOf(content: Json, codes: readonly ErrorCode[] = ADMIN_ERRORS): Json {
  const headers = { [HEADERS.requestId]: { $ref: '#/components/headers/RequestId' } };
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code]);
  }
  const errors = [...byStatus].map(([status, together]) => [
    status,
    {
      description: together.map((code) => `- \`${code}\`: ${ERRORS[code].when}`).join('\n'),
      headers,
      content: jsonOf('ErrorResponse'),
    },
  ]);
  return { 200: { description: 'Success', headers, content }, ...(Object.fromEntries(errors) as Json) };
}

/** Refers to a named schema; writes out any other. */
function contentOf(schema: z.ZodType): Json {
  const name = nameOf(schema);
  if (name !== undefined) return jsonOf(name);
  const { $schema: _dialect, ...written } = z.toJSONSchema(schema, { io: 'input' });
  return { 'application/json': { schema: written } };
}

function nameOf(schema: z.ZodType): string | undefined {
  return z.globalRegistry.get(schema)?.id;
}
