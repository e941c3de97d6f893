/** Settings that a service starts with, for tests of their combinations. */
import { CONFIG_FIELDS } from '../../packages/server/src/config/config-fields.ts';
import type { Config, ConfigField } from '../../packages/server/src/config/config-fields.ts';

export type Settings = Readonly<Record<string, string>>;

/** Servers that some settings name; empty: these settings are left out. */
export interface Servers {
  readonly databaseUrl?: string;
  readonly s3?: Settings;
  readonly cdpUrl?: string;
}

type Name = keyof Config;

/** Chosen by each test. */
const OF_TEST: readonly Name[] = ['port', 'dataDir', 'selfTest'];

/** Settings that have a meaning only together. */
const TOGETHER: ReadonlyMap<readonly Name[], (servers: Servers) => readonly Settings[]> = new Map([
  [['databaseUrl'], ({ databaseUrl }: Servers) => (databaseUrl ? [{ WINNOW_DATABASE_URL: databaseUrl }] : [])],
  [
    ['s3Bucket', 's3Endpoint', 's3Region', 's3AccessKeyId', 's3SecretAccessKey', 's3PathStyle'],
    ({ s3 }: Servers) => (s3 ? [s3, { ...s3, WINNOW_S3_PREFIX: 'some/pages' }] : []),
  ],
  [
    ['cdpUrls', 'cdpForAll', 'cdpLaneHost', 'cdpLaneListen'],
    ({ cdpUrl: url }: Servers) =>
      url === undefined
        ? []
        : [
            { WINNOW_CDP_URLS: url },
            { WINNOW_CDP_URLS: url, WINNOW_CDP_FOR_ALL: 'true' },
            { WINNOW_CDP_URLS: url, WINNOW_CDP_LANE_HOST: '127.0.0.1', WINNOW_CDP_LANE_LISTEN: '127.0.0.1' },
          ],
  ],
  [
    ['upstreamProxies', 'requestProxies', 'projectEgress'],
    () => {
      const named = { WINNOW_UPSTREAM_PROXIES: 'eu=http://user:word@127.0.0.1:9,us=https://proxy.test:9' };
      const project = '{"prj_01j00000000000000000000000":{"allow":["10.0.0.1"],"deny":["*.test"],"proxy":"eu"}}';
      return [
        named,
        { ...named, WINNOW_REQUEST_PROXIES: 'eu, direct' },
        { ...named, WINNOW_PROJECT_EGRESS: project },
        { WINNOW_REQUEST_PROXIES: 'direct' },
      ];
    },
  ],
]);

/** Values other than the default. A setting that is not named here takes its written default. */
const SAMPLES: Readonly<Partial<Record<Name, readonly string[]>>> = {
  host: ['localhost'],
  logLevel: ['error'],
  baseUrl: ['https://winnow.test/pages', 'http://winnow.test'],
  baseUrlOverseas: ['https://overseas.test'],
  consoleUrl: ['https://console.test/console'],
  consoleUrlOverseas: ['https://overseas.test/console'],
  region: ['eu'],
  engineFamily: ['acme'],
  userAgent: ['Winnow/1 (+https://winnow.test)'],
  acceptLanguage: ['de-CH,de;q=0.8'],
  chromiumPath: ['none'],
  browserConcurrency: ['1'],
  browserIdleMs: ['1s'],
  keepWarmMs: ['0s'],
  egressAllow: ['10.0.0.0/8:8080, *.test'],
  egressDeny: ['127.0.0.1, 0.0.0.0/0, ::/0'],
  upstreamProxy: ['http://user:word@127.0.0.1:9', 'direct'],
  upstreamBypass: ['localhost, 10.0.0.0/8, .test', '*'],
  trustedProxies: ['loopback, 10.0.0.0/8'],
  maxBodyBytes: ['1KiB'],
  maxPageBytes: ['10KiB', '256MiB'],
  maxRedirects: ['0'],
  fetchTimeoutMs: ['1ms'],
  stageTimeoutMs: ['1ms'],
  maxTimeoutMs: ['1s'],
  shutdownGraceMs: ['0s'],
  workerThreads: ['1', '3'],
  workerMemoryBytes: ['64MiB'],
  concurrency: ['1'],
  projectConcurrency: ['1'],
  hostConcurrency: ['1'],
  hostSpacingMs: ['1s'],
  maxQueue: ['1'],
  maxWaitMs: ['0s'],
  quotaPerMinute: ['1'],
  minConfidence: ['1'],
  batchRetentionAgeMs: ['1h'],
  projectStorageQuotaBytes: ['0', '1'],
  requestLog: ['full', 'off'],
  batchConcurrency: ['0'],
  secretKey: ['s'.repeat(32)],
  respectRobots: ['true'],
  otlpEndpoint: ['http://127.0.0.1:9/otlp'],
  otlpHeaders: ['authorization=Bearer%20word'],
  otelServiceName: ['pages'],
  otelResourceAttributes: ['deployment.environment.name=test'],
  otelTraces: ['none'],
  otelMetrics: ['none'],
  otelMetricIntervalMs: ['100'],
  otelDisabled: ['true'],
  mcp: ['false'],
  facades: ['none', 'jina'],
};

/**
 * Returns a factor for each setting, or for settings that have a meaning only together. Each level of a factor is a set
 * of variables; the first is empty.
 * @throws {Error} naming a setting that has neither a default nor a sample
 */
export function listFactors(servers: Servers): readonly (readonly Settings[])[] {
  const apart = new Set<string>([...OF_TEST, ...[...TOGETHER.keys()].flat()]);
  const alone = Object.entries(CONFIG_FIELDS)
    .filter(([name]) => !apart.has(name))
    .map(([name, field]) => samplesOf(name as Name, field).map((value) => ({ [field.env]: value })));
  return [...[...TOGETHER.values()].map((list) => list(servers)), ...alone].map((levels) => [{}, ...levels]);
}

function samplesOf(name: Name, field: ConfigField): readonly string[] {
  const samples = SAMPLES[name] ?? (field.default === null ? [] : [field.default]);
  if (samples.length === 0) throw new Error(`${field.env} has no default: give it a sample in setting-samples.ts`);
  return samples;
}

/** Returns rows in which each pair of levels of two factors occurs at least once: the level of each factor, by row. */
export function coverPairs(sizes: readonly number[]): readonly (readonly number[])[] {
  const open = new Set<string>();
  const keyOf = (a: number, x: number, b: number, y: number): string =>
    a < b ? `${a}.${x} ${b}.${y}` : `${b}.${y} ${a}.${x}`;
  for (const [a, size] of sizes.entries())
    for (let b = a + 1; b < sizes.length; b += 1)
      for (let x = 0; x < size; x += 1) for (let y = 0; y < (sizes[b] ?? 0); y += 1) open.add(keyOf(a, x, b, y));
  const rows: number[][] = [];
  for (let [first] = open; first !== undefined; [first] = open) {
    const row: (number | undefined)[] = sizes.map(() => undefined);
    for (const part of first.split(' ')) {
      const [factor = 0, level = 0] = part.split('.').map(Number);
      row[factor] = level;
    }
    // Each further factor takes the level that closes most pairs with the levels that are set.
    for (const [factor, size] of sizes.entries()) {
      if (row[factor] !== undefined) continue;
      const gains = Array.from(
        { length: size },
        (_, level) =>
          row.filter((other, at) => other !== undefined && open.has(keyOf(factor, level, at, other))).length,
      );
      row[factor] = gains.indexOf(Math.max(...gains));
    }
    const whole = row.map((level) => level ?? 0);
    for (const [a, x] of whole.entries())
      for (let b = a + 1; b < whole.length; b += 1) open.delete(keyOf(a, x, b, whole[b] ?? 0));
    rows.push(whole);
  }
  return rows;
}
