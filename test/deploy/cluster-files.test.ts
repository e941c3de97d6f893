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
import { readConfig } from '../../packages/server/src/config/config.ts';
import {
  CONFINED_FEATURE,
  CONFINING_FLAGS,
} from '../../packages/server/src/engines/chromium/browsers/browser-flags.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const FOLDER = path.join(ROOT, 'deploy');
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

test('the Kubernetes manifests match their schemas, and kustomization.yaml lists all of them', () => {
  const { resources } = read('kustomization.yaml') as unknown as { resources: string[] };
  const others = readdirSync(KUBERNETES).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml');
  assert.deepEqual(resources.toSorted(), others.toSorted());
  for (const file of resources) validate(read(file));
  const broken = { ...read('service.yaml'), spec: { ports: [{ port: 'eighty' }] } };
  assert.throws(() => validate(broken), 'the schemas detect an error');
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

// Checks: threat-repeated-request
test('the balancer never retries a request that a node has received, and callers cannot forge their address', () => {
  const nginx = readFileSync(path.join(FOLDER, 'nginx.conf'), 'utf8');
  assert.deepEqual(nginx.match(/proxy_next_upstream [^;]+/g), ['proxy_next_upstream error http_503']);
  assert.deepEqual(nginx.match(/X-Forwarded-For \$\w+/g)?.at(-1), 'X-Forwarded-For $remote_addr');
  const compose = parse(readFileSync(path.join(FOLDER, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<
      string,
      { environment?: Record<string, string>; networks?: { default: { ipv4_address: string } } }
    >;
  };
  const balancer = compose.services['balancer']?.networks?.default.ipv4_address;
  for (const node of ['winnow-1', 'winnow-2', 'winnow-3'])
    assert.equal(compose.services[node]?.environment?.['WINNOW_TRUSTED_PROXIES'], balancer);
});

// Checks: threat-supply-chain
test('every service and pod that runs Chromium has the seccomp profile, and none is unconfined', () => {
  const profile = path.join(FOLDER, 'seccomp.json');
  for (const file of [path.join(ROOT, 'compose.yaml'), path.join(FOLDER, 'compose.yaml')]) {
    const { services } = parse(readFileSync(file, 'utf8'), { merge: true }) as {
      services: Record<string, { build?: object; security_opt?: string[] }>;
    };
    const built = Object.entries(services).filter(([, { build }]) => build !== undefined);
    assert.ok(built.length > 0, file);
    for (const [name, { security_opt: options = [] }] of built) {
      const named = options.flatMap((option) => (option.startsWith('seccomp:') ? [option.slice(8)] : []));
      assert.deepEqual(
        named.map((one) => path.join(path.dirname(file), one)),
        [profile],
        `${file}: ${name}`,
      );
    }
  }
  const { spec } = read('deployment.yaml') as unknown as {
    spec: { template: { spec: { containers: { name: string; securityContext: { seccompProfile?: object } }[] } } };
  };
  const browser = spec.template.spec.containers.find(({ name }) => name === 'browser');
  assert.deepEqual(browser?.securityContext.seccompProfile, {
    type: 'Localhost',
    localhostProfile: 'winnow/seccomp.json',
  });
});

// Checks: threat-supply-chain
test('the seccomp profile refuses by default and allows no call twice', () => {
  const profile = JSON.parse(readFileSync(path.join(FOLDER, 'seccomp.json'), 'utf8')) as {
    defaultAction: string;
    syscalls: { names: string[]; action: string; args?: object[] }[];
  };
  assert.equal(profile.defaultAction, 'SCMP_ACT_ERRNO');
  const allowed = profile.syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW');
  const always = allowed.filter(({ args }) => args === undefined).flatMap(({ names }) => names);
  assert.equal(new Set(always).size, always.length);
  for (const name of [
    'clone',
    'clone3',
    'unshare',
    'setns',
    'mount',
    'umount2',
    'pivot_root',
    'bpf',
    'keyctl',
    'reboot',
  ])
    assert.ok(!always.includes(name), name);
});

// Checks: threat-supply-chain
test('pods run under a seccomp profile and accept requests only from the ingress', () => {
  const { spec } = read('deployment.yaml') as unknown as {
    spec: { template: { spec: { securityContext: { seccompProfile: { type: string } } } } };
  };
  assert.equal(spec.template.spec.securityContext.seccompProfile.type, 'RuntimeDefault');
  const policy = read('network-policy.yaml') as unknown as {
    spec: { policyTypes: string[]; ingress: { from?: object[] }[] };
  };
  assert.deepEqual(policy.spec.policyTypes, ['Ingress', 'Egress']);
  for (const { from } of policy.spec.ingress) assert(from && from.length > 0);
});

// Checks: threat-supply-chain
test('commits and images exclude files with secrets', () => {
  for (const file of ['.gitignore', '.dockerignore'])
    assert(readFileSync(path.join(ROOT, file), 'utf8').split('\n').includes('**/.env*'), file);
});

test('browsers of the deployment files and the documents reach the network only through their browser proxy', () => {
  const compose = parse(readFileSync(path.join(FOLDER, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, { command?: string[] }>;
  };
  const { spec } = read('deployment.yaml') as unknown as {
    spec: { template: { spec: { containers: { name: string; command?: string[] }[] } } };
  };
  const commands = new Map([
    ...['browser-1', 'browser-2', 'browser-3'].map((name) => [name, compose.services[name]?.command] as const),
    ['Kubernetes', spec.template.spec.containers.find(({ name }) => name === 'browser')?.command] as const,
    ...['docs/scaling.md', 'docs/engines.md'].map((name) => [name, readFlags(name)] as const),
  ]);
  const features = `--disable-features=${CONFINED_FEATURE}`;
  for (const [where, command] of commands) {
    for (const flag of [...CONFINING_FLAGS, features]) assert.ok(command?.includes(flag), `${where}: ${flag}`);
  }
});

/** Chromium options in a document's shell commands; the host of the browser proxies may be a placeholder. */
function readFlags(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8').replaceAll('<WINNOW_CDP_LANE_HOST>', '127.0.0.1');
  return [...text.matchAll(/--[\w-]+(?:=(?:'[^']*'|[^\s'`]+))*/g)].map(([flag]) => flag.replaceAll("'", ''));
}
