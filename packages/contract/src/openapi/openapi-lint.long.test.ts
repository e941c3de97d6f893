/** The OpenAPI document passes the rules of both common linters. They run in this process, without network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Document, Spectral } from '@stoplight/spectral-core';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import rulesets from '@stoplight/spectral-rulesets';
import { buildOpenApi } from './openapi.ts';

// The type of the rules does not match the parameter of `setRuleset`.
const OPENAPI_RULES = rulesets.oas as unknown as RulesetDefinition;

const source = JSON.stringify(buildOpenApi({ version: '1.2.3', engineFamily: 'acme' }));

test('the OpenAPI document passes the recommended rules of redocly', async () => {
  const config = await createConfig({ extends: ['recommended'], telemetry: 'off' });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`),
    [],
  );
});

test('the OpenAPI document passes the OpenAPI rules of spectral', async () => {
  const spectral = new Spectral();
  spectral.setRuleset(OPENAPI_RULES);
  const results = await spectral.run(new Document(source, parsers.Json, 'openapi.json'));
  assert.deepEqual(
    results.map(({ code, message, path }) => `${code}: ${message} (${path.join('/')})`),
    [],
  );
});

test('the linters find a fault', async () => {
  const faulty = source.replace('"operationId":"extract",', '');
  assert.notEqual(faulty, source);
  const config = await createConfig({ extends: ['recommended'], telemetry: 'off' });
  const problems = await lintFromString({ source: faulty, absoluteRef: 'openapi.json', config });
  assert.deepEqual(
    problems.map(({ ruleId }) => ruleId),
    ['operation-operationId'],
  );
  const spectral = new Spectral();
  spectral.setRuleset(OPENAPI_RULES);
  const results = await spectral.run(new Document(faulty, parsers.Json, 'openapi.json'));
  assert.deepEqual(
    results.map(({ code }) => code),
    ['operation-operationId'],
  );
});
