import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { z } from 'zod';
import { ADMIN_OPERATIONS } from './admin-operations.ts';
import type { AdminOperation } from './admin-operations.ts';
import { TEMPLATE_OPERATIONS } from './admin-templates.ts';
import { ERRORS } from './errors.ts';
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

test('the engine family and the limits of a deployment show', () => {
  assert.ok(text.includes('"acme_lite"'));
  const narrow = buildOpenApi({ version: '1', limits: { maxTimeoutMs: 5000, maxUrlLength: 100 } });
  assert.ok(JSON.stringify(narrow).includes('"maximum":5000'));
});

type Parameters = readonly { readonly name: string; readonly in: string }[];

test('every query parameter of the admin API is described', () => {
  for (const { method, path, query } of Object.values({ ...ADMIN_OPERATIONS, ...TEMPLATE_OPERATIONS } as Record<
    string,
    AdminOperation
  >)) {
    if (query === undefined) continue;
    const described = document['paths'] as Record<string, Record<string, { readonly parameters?: Parameters }>>;
    const operation = described[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    const names = operation?.parameters?.filter((one) => one.in === 'query').map(({ name }) => name);
    assert.deepEqual(names, Object.keys((query as z.ZodObject).shape), path);
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
