import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DCLinter } from 'dclint';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { parse } from 'yaml';
import { readConfig } from '../../packages/server/src/config.ts';

const FOLDER = path.join(import.meta.dirname, '../../deploy');
const KUBERNETES = path.join(FOLDER, 'kubernetes');
const MODELS = { Deployment, HorizontalPodAutoscaler, NetworkPolicy, PodDisruptionBudget, Service } as const;

type Manifest = { readonly kind: string; readonly [field: string]: unknown };

const read = (file: string): Manifest =>
  parse(readFileSync(path.join(KUBERNETES, file), 'utf8'), { merge: true }) as Manifest;

function validate(manifest: Manifest): void {
  const Model = MODELS[manifest.kind as keyof typeof MODELS];
  assert.ok(Model, `no schema for ${manifest.kind}`);
  new Model(manifest as never).validate();
}

test('the compose file of the cluster passes the linter', () => {
  const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] });
  const results = linter.lintFiles([path.join(FOLDER, 'compose.yaml')], false);
  assert.deepEqual(
    results.flatMap(({ messages }: { messages: { rule: string; line: number; message: string }[] }) =>
      messages.map(({ rule, line, message }) => `${rule}:${line} ${message}`),
    ),
    [],
  );
});

test('the Kubernetes manifests fit their schemas, and all of them are named', () => {
  const { resources } = read('kustomization.yaml') as unknown as { resources: string[] };
  const others = readdirSync(KUBERNETES).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml');
  assert.deepEqual(resources.toSorted(), others.toSorted());
  for (const file of resources) validate(read(file));
  const broken = { ...read('service.yaml'), spec: { ports: [{ port: 'eighty' }] } };
  assert.throws(() => validate(broken), 'the schemas see a fault');
});

test('the service knows every variable that the files set', () => {
  const text = readFileSync(path.join(FOLDER, 'compose.yaml'), 'utf8').replaceAll(/\$\{[^}]*\}/g, 'filled-in');
  const compose = parse(text, { merge: true }) as {
    services: Record<string, { environment?: Record<string, string> }>;
  };
  readConfig({ ...compose.services['winnow-1']?.environment, WINNOW_PORT: '0' });
  const lines = readFileSync(path.join(KUBERNETES, 'winnow.env'), 'utf8').trim().split('\n');
  readConfig(Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string])));
});
