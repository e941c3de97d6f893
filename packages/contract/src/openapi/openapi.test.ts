import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ADMIN_OPERATIONS } from '../admin/admin-operations.ts';
import { ERRORS } from '../shared/errors.ts';
import type { Operation as Row } from '../shared/operation.ts';
import { buildOpenApi } from './openapi.ts';

const document = buildOpenApi({ version: '1.2.3', engineFamily: 'acme' });
type Operation = { readonly responses: Readonly<Record<string, { readonly description: string }>> };
const paths = document['paths'] as Readonly<Record<string, { readonly post: Operation }>>;

function operationAt(path: string): Operation {
  const operation = paths[path]?.post;
  assert.ok(operation, path);
  return operation;
}

const text = JSON.stringify(document);

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document));
  assert.deepEqual(result.errors ?? [], []);
  assert.equal(result.valid, true);
});

test('every reference resolves', () => {
  const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '');
  assert.ok(references.length > 20);
  for (const reference of references) {
    const target = reference
      .split('/')
      .reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], document);
    assert.notEqual(target, undefined, reference);
  }
});

test('every code of the two endpoints is described under its status', () => {
  const { responses } = operationAt('/v1/extract');
  for (const [code, { status, when }] of Object.entries(ERRORS)) {
    if (['not_found', 'method_not_allowed', 'forbidden', 'conflict'].includes(code)) continue;
    const description = responses[status]?.description ?? '';
    assert.ok(description.includes(`\`${code}\``), code);
    assert.ok(description.includes(when), code);
  }
});

test('a dump does not promise the errors of template stages', () => {
  const { responses } = operationAt('/v1/dom/dump');
  assert.equal(JSON.stringify(responses).includes('no_template_matched'), false);
});

test('a dump names the errors of storing its snapshot', () => {
  const { responses } = operationAt('/v1/dom/dump');
  assert.match(responses['503']?.description ?? '', /`overloaded` \(stage request, snapshot\)/);
  assert.match(responses['502']?.description ?? '', /`response_too_large` \(stage fetch, snapshot\)/);
  assert.equal(JSON.stringify(responses).includes('dom_not_found'), false);
});

test('addresses have no format: they are as pages and callers write them', () => {
  assert.doesNotMatch(text, /"format":"uri"/);
});

test('the document states the engine family and limits of a deployment', () => {
  assert.ok(text.includes('"acme_lite"'));
  const narrow = buildOpenApi({ version: '1', limits: { maxTimeoutMs: 5000, maxUrlLength: 100 } });
  assert.ok(JSON.stringify(narrow).includes('"maximum":5000'));
});

type Parameters = readonly { readonly name: string; readonly in: string }[];

test('every query parameter of the admin API is described', () => {
  for (const { method, path, query } of Object.values<Row>(ADMIN_OPERATIONS)) {
    if (query === undefined) continue;
    const described = document['paths'] as Record<string, Record<string, { readonly parameters?: Parameters }>>;
    const operation = described[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    const names = operation?.parameters?.filter((one) => one.in === 'query').map(({ name }) => name);
    assert.deepEqual(names, Object.keys(query.shape), path);
    assert.ok((names?.length ?? 0) > 0, path);
  }
});

test('the playground describes the errors of the operation that it offers', () => {
  const { responses } = operationAt('/admin/v1/projects/{project_id}/extract');
  for (const [status, { description }] of Object.entries(operationAt('/v1/extract').responses)) {
    assert.ok(responses[status], status);
    for (const [code] of description.matchAll(/`\w+`/g)) assert.ok(responses[status].description.includes(code), code);
  }
});

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, Schema>> };

/** Schemas that the endpoints for API keys and the health routes refer to, directly or not. */
function listPublicSchemas(): Set<string> {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name]);
    }
  };
  for (const [path, operations] of Object.entries(paths)) if (!path.startsWith('/admin/')) visit(operations);
  return found;
}

/** Every field below a schema, with its JSON path. */
function* fieldsOf(schema: Schema, path: string): Generator<readonly [path: string, field: Schema]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [`${path}.${name}`, field];
    yield* fieldsOf(field, `${path}.${name}`);
  }
  for (const inner of schema.anyOf ?? []) yield* fieldsOf(inner, path);
  if (schema.items) yield* fieldsOf(schema.items, `${path}[]`);
  if (typeof schema.additionalProperties === 'object') yield* fieldsOf(schema.additionalProperties, `${path}.*`);
}

const isStructured = ({ type, properties, items, anyOf, additionalProperties }: Schema): boolean =>
  [properties, items, anyOf, additionalProperties].some((part) => part !== undefined) || type === 'object';

test('every field of the API has a description, and every plain one an example', () => {
  const names = [...listPublicSchemas()];
  assert.ok(names.length > 15, names.join());
  const undescribed: string[] = [];
  const withoutExample: string[] = [];
  for (const name of names) {
    for (const [path, field] of fieldsOf(schemas[name] ?? {}, name)) {
      const target = field.$ref === undefined ? undefined : schemas[field.$ref.split('/').at(-1) ?? ''];
      if ((field.description ?? target?.description ?? '') === '') undescribed.push(path);
      if (target === undefined && !isStructured(field) && field.examples === undefined) withoutExample.push(path);
    }
  }
  assert.deepEqual(undescribed, []);
  assert.deepEqual(withoutExample, []);
});

test('every default of a request, and the form of times, are stated', () => {
  const field = (path: string): Schema => {
    const [name = '', ...steps] = path.split('.');
    return steps.reduce<Schema>((at, step) => at.properties?.[step] ?? {}, schemas[name] ?? {});
  };
  const defaults = {
    'DumpRequest.options.engine_preference': 'auto',
    'DumpRequest.options.timeout_ms': 30_000,
    'DumpRequest.options.filter_scripts_styles': false,
    'ExtractRequest.extract.formats': [],
    'ExtractRequest.trace.include_raw_dom': false,
    'ExtractRequest.workflow.match_timeout_ms': 30_000,
    'ExtractRequest.workflow.generate_timeout_ms': 30_000,
    'ExtractRequest.workflow.extract_timeout_ms': 30_000,
    'BatchRequest.respect_robots': true,
  };
  for (const [path, value] of Object.entries(defaults)) assert.deepEqual(field(path).default, value, path);
  const { description = '' } = field('ExtractRequest.trace.include_steps');
  assert.match(description, /false with a project key, true with a standalone key/);
  for (const path of ['ExtractMetadata.fetched_at', 'DumpResponse.fetched_at', 'Batch.created_at'])
    assert.equal(field(path).format, 'date-time', path);
});

test('the schemas state that one of url and dom_id is required', () => {
  const { extract } = schemas['ExtractRequest']?.properties ?? {};
  assert.deepEqual(extract?.anyOf, [{ required: ['url'] }, { required: ['dom_id'] }]);
  assert.deepEqual(schemas['BatchRequest']?.anyOf, [{ required: ['urls'] }, { required: ['dom_ids'] }]);
});

test('the limits of a key, and the refusals of the health routes, are described', () => {
  type Response = { readonly headers: Readonly<Record<string, unknown>> };
  const described = document['paths'] as Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
  >;
  for (const path of ['/v1/extract', '/v1/dom/dump', '/v1/batches']) {
    const { responses } = described[path]?.['post'] ?? assert.fail(path);
    for (const status of ['200', '400', '429']) {
      const names = Object.keys(responses[status]?.headers ?? {});
      for (const name of ['RateLimit', 'RateLimit-Policy'])
        assert.ok(names.includes(name), `${path} ${status} ${name}`);
    }
    assert.equal('RateLimit' in (responses['401']?.headers ?? {}), false, 'no key, no quota');
    for (const status of ['429', '503']) assert.ok('Retry-After' in (responses[status]?.headers ?? {}), status);
  }
  for (const path of ['/healthz', '/readyz']) assert.ok(described[path]?.['get']?.responses['400'], path);
});

test('the two kinds of keys are explained', () => {
  const { description } = document['info'] as { readonly description: string };
  assert.match(description, /\*\*project key\*\* \("variant A" of the interface\)/);
  assert.match(description, /\*\*standalone key\*\* \("variant B"\)/);
});

test('the removals of filter_scripts_styles and the values of template_id are described', () => {
  assert.match(text, /`link` elements that only load one/);
  assert.match(text, /Answered for project keys and for standalone keys/);
  assert.match(text, /`acme_dom` also where `acme_domstable`, its alias, was requested/);
});
