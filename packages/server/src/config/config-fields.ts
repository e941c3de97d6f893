import * as to from './config-parsers.ts';
import { FACADES, REQUEST_LOG_MODES } from '@winnow/contract';

interface Described {
  /** Conventional names, in order; the field's own name wins. */
  readonly aliases?: readonly string[];
  /** Replaces the default in the documentation. */
  readonly shown?: string;
  /** Never logged; may be read from the file named by `<env>_FILE`. */
  readonly secret?: true;
  readonly meaning: string;
}

export interface ConfigField extends Described {
  readonly env: string;
  /** Throws an Error with the required format. */
  readonly parse: (text: string) => unknown;
  /** As a user would write it; null: no default. */
  readonly default: string | null;
}

/** @param byDefault null: the documentation shows another text */
function field<Value, const Default extends string | null>(
  env: string,
  parse: (text: string) => Value,
  byDefault: Default,
  described: Described & (Default extends null ? { readonly shown: string } : unknown),
) {
  return { env, parse, default: byDefault, ...described };
}

const MIB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** What a deployment sets. */
const SET = {
  host: field('WINNOW_HOST', to.listenHost, '127.0.0.1', {
    aliases: ['HOST'],
    meaning: 'Address to listen on. In a container, or behind a proxy on another machine: `0.0.0.0`.',
  }),
  port: field('WINNOW_PORT', to.integer(0, 65_535), '8080', {
    aliases: ['PORT'],
    meaning: 'Port to listen on; 0 takes a free one.',
  }),
  dataDir: field('WINNOW_DATA_DIR', to.text, '.winnow', {
    meaning:
      'Folder for the database and the snapshots; relative to the working directory, which is the clone for `npm start` and `./winnow`.',
  }),
  databaseUrl: field('WINNOW_DATABASE_URL', to.postgresUrl, null, {
    aliases: ['DATABASE_URL'],
    shown: 'SQLite in the data folder',
    secret: true,
    meaning: 'A PostgreSQL database in place of SQLite: `postgres://…`.',
  }),
  logLevel: field('WINNOW_LOG_LEVEL', to.choice(LOG_LEVELS), 'info', {
    aliases: ['LOG_LEVEL'],
    meaning: `Lowest level that is logged: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}.`,
  }),
  baseUrl: field('WINNOW_BASE_URL', to.url('http:', 'https:'), null, {
    shown: 'where it listens',
    meaning:
      "The service's public address, as the documentation and the console show it. It may have a path, such as `https://host/winnow`: the service answers below it, whether the proxy keeps or strips the path. If the address of the console begins with `https:`, its cookies are Secure: set it behind a proxy that terminates TLS.",
  }),
  userAgent: field(
    'WINNOW_USER_AGENT',
    to.headerValue,
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Winnow/0.1',
    { shown: "a current browser's, and `Winnow/0.1`", meaning: 'User-Agent header of all engines.' },
  ),
  authorities: field('WINNOW_CA_FILE', to.authorities, '', {
    shown: 'none',
    meaning:
      'PEM file of certificate authorities, such as that of a company, that all engines trust besides the usual ones ([engines](engines.md#certificates)). Nothing else about the checks of certificates changes. Browsers of `WINNOW_CDP_URLS` need it in their own store.',
  }),
  chromiumPath: field('WINNOW_CHROMIUM', to.text, null, {
    shown: 'found on the machine',
    meaning:
      'Chromium executable. `none`: the service starts no browser; only `http` and the engines that use `WINNOW_CDP_URLS` work.',
  }),
  cdpUrls: field('WINNOW_CDP_URLS', to.urls('http:', 'https:', 'ws:', 'wss:'), '', {
    secret: true,
    meaning: 'Addresses of running Chromiums for `chrome_cdp`, separated by commas; none: the service starts its own.',
  }),
  egressAllow: field('WINNOW_EGRESS_ALLOW', to.egressRules, '', {
    meaning:
      'Targets allowed although the built-in address policy refuses them: addresses, CIDR ranges or host names (`*.example.com`), each with an optional `:port`, separated by commas.',
  }),
  egressDeny: field('WINNOW_EGRESS_DENY', to.egressRules, '', {
    meaning: 'Targets never reached; in the same form. Denial wins.',
  }),
  projectEgress: field('WINNOW_PROJECT_EGRESS', to.projectRules, '', {
    meaning:
      'Egress rules of projects, added to those of the deployment, and the upstream proxy of each project (a name of `WINNOW_UPSTREAM_PROXIES`, or `direct`), as JSON: `{"prj_…":{"allow":["10.0.5.0/24:8080"],"deny":["*.example.com"],"proxy":"eu"}}`. They apply to the pages, robots.txt requests and webhooks of the project.',
  }),
  upstreamProxy: field('WINNOW_UPSTREAM_PROXY', to.proxy, null, {
    aliases: ['HTTPS_PROXY', 'https_proxy'],
    shown: 'none',
    secret: true,
    meaning:
      'HTTP proxy for all requests, plain HTTP included, by CONNECT to the address that the egress policy has checked: `http://[user:password@]host:port`, `https://…`; `direct`: no proxy, even if `HTTPS_PROXY` is set. `HTTP_PROXY` is not read.',
  }),
  trustedProxies: field('WINNOW_TRUSTED_PROXIES', to.addressRanges, '', {
    meaning:
      'Addresses or CIDR ranges of reverse proxies in front of the service: their `X-Forwarded-For` names the caller. Without it all callers behind a proxy share one address, also in the lock-out after failed sign-ins.',
  }),
  quotaPerMinute: field('WINNOW_QUOTA_PER_MINUTE', to.integer(0, 1_000_000), '0', {
    meaning: 'Requests a minute of a key without its own quota, including items of its batches; 0: no limit.',
  }),
  retentionAgeMs: field('WINNOW_RETENTION_AGE', to.duration(60_000, 3650 * DAY_MS), '30d', {
    meaning: 'Age at which snapshots are removed.',
  }),
  retentionBytes: field('WINNOW_RETENTION_SIZE', to.bytes(MIB, Number.MAX_SAFE_INTEGER), '10GiB', {
    meaning:
      'Total size of stored snapshots above which the oldest are removed, beginning with the project that stores most: a project within its share loses none to others.',
  }),
  projectStorageQuotaBytes: field('WINNOW_PROJECT_STORAGE_QUOTA', to.bytes(0, Number.MAX_SAFE_INTEGER), null, {
    shown: 'twice `WINNOW_RETENTION_SIZE`',
    meaning:
      'Bytes that one project may store, snapshots, batches and recorded requests together; beyond them new pages and batches are answered `storage_quota_exceeded`. 0: no limit.',
  }),
  s3Bucket: field('WINNOW_S3_BUCKET', to.text, null, {
    shown: 'the data folder',
    meaning: 'Bucket for the snapshots, in place of the data folder.',
  }),
  s3Endpoint: field('WINNOW_S3_ENDPOINT', to.url('http:', 'https:'), null, {
    shown: "Amazon's, by region",
    meaning: 'Address of an S3-compatible service.',
  }),
  s3Region: field('WINNOW_S3_REGION', to.text, 'us-east-1', { meaning: 'Region of the bucket.' }),
  s3AccessKeyId: field('WINNOW_S3_ACCESS_KEY_ID', to.text, null, {
    shown: "the AWS SDK's credential chain",
    secret: true,
    meaning: 'Access key for the bucket.',
  }),
  s3SecretAccessKey: field('WINNOW_S3_SECRET_ACCESS_KEY', to.text, null, {
    shown: "the AWS SDK's credential chain",
    secret: true,
    meaning: 'Secret of the access key; both or neither are set.',
  }),
  s3PathStyle: field('WINNOW_S3_PATH_STYLE', to.flag, 'false', {
    meaning: '`true`: the bucket is in the path, as most S3-compatible services require.',
  }),
  secretKey: field('WINNOW_SECRET_KEY', to.secretKey, null, {
    shown: 'a file of the data folder (`secret.key`)',
    secret: true,
    meaning:
      'Key that encrypts the headers, cookies and webhook secrets of batches in the database: at least 32 characters, the same for all nodes of a deployment. If `WINNOW_DATABASE_URL` is set and this is not, batches with headers or cookies are refused, and webhook secrets are stored unencrypted.',
  }),
  respectRobots: field('WINNOW_RESPECT_ROBOTS', to.flag, 'false', {
    meaning: '`true`: single requests follow robots.txt too; batches follow it unless they opt out.',
  }),
  otlpEndpoint: field('OTEL_EXPORTER_OTLP_ENDPOINT', to.url('http:', 'https:'), null, {
    shown: 'none',
    meaning:
      'OpenTelemetry collector, such as `http://127.0.0.1:4318`: traces go to `/v1/traces` below it, metrics to `/v1/metrics` ([operations](operations.md#opentelemetry)).',
  }),
  otlpHeaders: field('OTEL_EXPORTER_OTLP_HEADERS', to.pairs, '', {
    secret: true,
    meaning: 'Headers for the collector, such as its key: `name=value,…`, percent-encoded.',
  }),
};

/** What an operator may tune. */
const TUNE = {
  baseUrlOverseas: field('WINNOW_BASE_URL_OVERSEAS', to.url('http:', 'https:'), null, {
    shown: 'none',
    meaning: 'Public address of the deployment for overseas access, with the same paths.',
  }),
  consoleUrl: field('WINNOW_CONSOLE_URL', to.url('http:', 'https:'), null, {
    shown: '`/console` of the base address',
    meaning: 'Address of the console, where keys and project ids are created.',
  }),
  consoleUrlOverseas: field('WINNOW_CONSOLE_URL_OVERSEAS', to.url('http:', 'https:'), null, {
    shown: 'none',
    meaning:
      'Address of the console of the deployment for overseas access, where its keys and project ids are created. The console shows it beside the overseas examples.',
  }),
  region: field('WINNOW_REGION', to.name, null, {
    shown: 'none',
    meaning: 'Name of the region that this deployment serves, such as `eu`.',
  }),
  acceptLanguage: field('WINNOW_ACCEPT_LANGUAGE', to.acceptLanguage, 'en-US,en;q=0.9', {
    meaning:
      'Accept-Language header of all engines, for requests without `options.accept_language` and `options.locale`; a browser replaces the weights with its own.',
  }),
  cdpForAll: field('WINNOW_CDP_FOR_ALL', to.flag, 'false', {
    meaning:
      '`true`: every Chromium engine uses the browsers of `WINNOW_CDP_URLS`, and the service starts none itself.',
  }),
  cdpLaneHost: field('WINNOW_CDP_LANE_HOST', to.host, null, {
    shown: '`127.0.0.1`',
    meaning:
      'Host name or address under which the browsers of `WINNOW_CDP_URLS` reach this process, through which all their requests go; for browsers on other machines.',
  }),
  cdpLaneListen: field('WINNOW_CDP_LANE_LISTEN', to.address, null, {
    shown: '`127.0.0.1`',
    meaning:
      'Address of this machine on which the service listens for the browsers of `WINNOW_CDP_URLS`, on ports that the system chooses. Any client that can reach it can fetch what the egress rules allow: admit only these browsers.',
  }),
  browserConcurrency: field('WINNOW_BROWSER_CONCURRENCY', to.integer(1, 256), null, {
    shown: '`3`, or fewer with less than 3.75 GiB of memory',
    meaning: 'Pages that browsers capture at the same time.',
  }),
  keepWarmMs: field('WINNOW_KEEP_WARM', to.duration(0, DAY_MS), '2m', {
    meaning:
      'Idle time after which workers end and free their memory (about 100 MB each). A worker and a browser are ready when the service starts, so that the first page does not wait for them. `0s`: nothing is started before it is needed, and idle workers end after a minute.',
  }),
  upstreamProxies: field('WINNOW_UPSTREAM_PROXIES', to.namedProxies, '', {
    secret: true,
    meaning:
      'More proxies, by names that `WINNOW_PROJECT_EGRESS` may give to projects: `eu=http://host:port,us=http://host:port`.',
  }),
  upstreamBypass: field('WINNOW_UPSTREAM_BYPASS', to.list, '', {
    aliases: ['NO_PROXY', 'no_proxy'],
    meaning:
      'Targets reached without a proxy: host names (with their subdomains), addresses and CIDR ranges (for URLs that contain an address), each with an optional `:port`, or `*`. The egress policy still applies.',
  }),
  requestProxies: field('WINNOW_REQUEST_PROXIES', to.list, '', {
    meaning:
      'Proxies that a request of any project may choose by `options.proxy`: names of `WINNOW_UPSTREAM_PROXIES`, and `direct`, separated by commas. The egress rules apply whatever a request chooses.',
  }),
  maxBodyBytes: field('WINNOW_MAX_BODY_BYTES', to.bytes(1024, 64 * MIB), '1MiB', {
    meaning: 'Largest accepted request body.',
  }),
  maxPageBytes: field('WINNOW_MAX_PAGE_BYTES', to.bytes(1024, 256 * MIB), '10MiB', {
    meaning: 'Largest accepted page, after decoding; the HTML of `POST /v1/snapshots` too.',
  }),
  maxPdfPages: field('WINNOW_MAX_PDF_PAGES', to.integer(1, 100_000), '2000', {
    meaning: 'Most pages of a PDF; a longer PDF is refused.',
  }),
  fetchTimeoutMs: field('WINNOW_FETCH_TIMEOUT', to.duration(1, 600_000), '20s', {
    meaning: 'Time limit of the fetch in an extract request.',
  }),
  dumpTimeoutMs: field('WINNOW_DUMP_TIMEOUT', to.duration(1, 600_000), '30s', {
    meaning: 'Default time limit of a dump (`options.timeout_ms`), also by the MCP tool `dump`, and of `/v2/map`.',
  }),
  maxTimeoutMs: field('WINNOW_MAX_TIMEOUT', to.duration(1000, 600_000), '120s', {
    meaning: 'Longest timeout that a caller may ask for; a longer one counts as this one.',
  }),
  shutdownGraceMs: field('WINNOW_SHUTDOWN_GRACE', to.duration(0, 600_000), '20s', {
    meaning: 'Time for running requests to finish when the service stops.',
  }),
  workerThreads: field('WINNOW_WORKER_THREADS', to.integer(1, 256), null, {
    shown: 'one per core, as far as half of the memory is enough for them',
    meaning:
      'Number of processes that extract. The memory is that of the container, if it has a limit. Half as many processes read documents.',
  }),
  workerMemoryBytes: field('WINNOW_WORKER_MEMORY', to.bytes(64 * MIB, 16_384 * MIB), null, {
    shown: '`768MiB`, but at most a quarter of the memory minus 96 MiB',
    meaning:
      'Heap that one extraction may use before its process is ended. A process that reads documents may use as much for heap and buffers.',
  }),
  concurrency: field('WINNOW_CONCURRENCY', to.integer(1, 10_000), '32', {
    meaning:
      'Requests processed at the same time; others wait in a queue that is fair among projects and keys. While one key holds all slots, up to a quarter more are processed for others.',
  }),
  projectConcurrency: field('WINNOW_PROJECT_CONCURRENCY', to.integer(1, 10_000), null, {
    shown: 'all',
    meaning: 'Requests of one project processed at the same time.',
  }),
  hostConcurrency: field('WINNOW_HOST_CONCURRENCY', to.integer(1, 10_000), '8', {
    meaning: 'Pages of one target site (host and port) that are fetched at the same time.',
  }),
  hostSpacingMs: field('WINNOW_HOST_SPACING', to.duration(0, 600_000), '0s', {
    meaning: 'Time between the starts of two fetches from one target site.',
  }),
  maxQueue: field('WINNOW_MAX_QUEUE', to.integer(1, 100_000), '200', {
    meaning:
      'Requests that may wait for their turn, and pages that may wait for a worker, a browser or a target site; more are answered `overloaded`.',
  }),
  maxWaitMs: field('WINNOW_MAX_WAIT', to.duration(0, 600_000), '8s', {
    meaning:
      'Longest wait of a request in the queue; a request that would wait longer is answered `overloaded` at once.',
  }),
  batchRetentionAgeMs: field('WINNOW_BATCH_RETENTION_AGE', to.duration(60_000, 3650 * DAY_MS), null, {
    shown: '`WINNOW_RETENTION_AGE`',
    meaning:
      'Age at which finished batches are removed, with their results and Idempotency-Keys. Unfinished batches are removed that long after their project is archived.',
  }),
  requestLog: field('WINNOW_REQUEST_LOG', to.choice(REQUEST_LOG_MODES), 'metadata', {
    meaning:
      "What the console's Requests page records: `metadata` (request options, trace, error), `full` (also the first 64 KiB of each answer) or `off`. Keys, headers and webhook secrets are never recorded.",
  }),
  requestLogAgeMs: field('WINNOW_REQUEST_LOG_AGE', to.duration(60_000, 3650 * DAY_MS), '14d', {
    meaning: 'Age at which recorded requests are removed.',
  }),
  s3Prefix: field('WINNOW_S3_PREFIX', to.keyPrefix, '', {
    meaning: "Prefix of the snapshots' keys, such as `winnow/snapshots`.",
  }),
  batchConcurrency: field('WINNOW_BATCH_CONCURRENCY', to.integer(0, 1000), '4', {
    meaning: 'Pages of batches that this process handles at the same time; 0: this process runs no batches.',
  }),
  robotsAgent: field('WINNOW_ROBOTS_AGENT', to.text, 'Winnow', {
    meaning: 'Product token that the service matches in robots.txt; `WINNOW_USER_AGENT` should contain it.',
  }),
  otlpProtocol: field('OTEL_EXPORTER_OTLP_PROTOCOL', to.choice(['http/protobuf']), 'http/protobuf', {
    meaning: 'Protocol of the collector; no other is supported.',
  }),
  otelServiceName: field('OTEL_SERVICE_NAME', to.text, 'winnow', {
    meaning: 'Name of the service in traces and metrics.',
  }),
  otelResourceAttributes: field('OTEL_RESOURCE_ATTRIBUTES', to.pairs, '', {
    meaning: 'Attributes of all traces and metrics: `deployment.environment.name=test,…`, percent-encoded.',
  }),
  otelTraces: field('OTEL_TRACES_EXPORTER', to.choice(['otlp', 'none']), 'otlp', {
    meaning: '`none`: no traces are sent.',
  }),
  otelMetrics: field('OTEL_METRICS_EXPORTER', to.choice(['otlp', 'none']), 'otlp', {
    meaning: '`none`: no metrics are sent.',
  }),
  otelMetricIntervalMs: field('OTEL_METRIC_EXPORT_INTERVAL', to.integer(100, DAY_MS), '60000', {
    meaning: 'Milliseconds between two exports of metrics.',
  }),
  otelDisabled: field('OTEL_SDK_DISABLED', to.flag, 'false', {
    meaning: '`true`: nothing is sent, even with an endpoint.',
  }),
  mcp: field('WINNOW_MCP', to.flag, 'true', {
    meaning: '`false`: the service has no `/mcp`, the endpoint of the Model Context Protocol.',
  }),
  facades: field('WINNOW_FACADES', to.choices(FACADES), FACADES.join(', '), {
    meaning:
      'Interfaces of other services that this one answers, separated by commas: `firecrawl` (`/v2/…`, and of `/v1` `scrape`, `batch/scrape` and `map`), `jina` (`/r/URL`), `open-webui` (`/web-loader`). `none`: no other interface.',
  }),
};

/** What is left alone. */
const KEEP = {
  engineFamily: field('WINNOW_ENGINE_FAMILY', to.name, 'vendor', {
    meaning:
      'Family name of the engines: `acme` makes `acme_lite`, `acme_dcl`, `acme_dom`; the `vendor_` names stay accepted.',
  }),
  chromiumSandbox: field('WINNOW_CHROMIUM_SANDBOX', to.choice(['on', 'off']), 'on', {
    meaning:
      'Sandbox of the browsers that the service starts. `off` runs pages of strangers with the rights of the service: only where the system denies user namespaces and something else confines it ([operations](operations.md#chromiums-sandbox)).',
  }),
  browserMemoryBytes: field('WINNOW_BROWSER_MEMORY', to.bytes(256 * MIB, 16_384 * MIB), '512MiB', {
    meaning:
      'Memory of a browser, without the memory of its pages, above which it is replaced; its pages are not affected.',
  }),
  browserIdleMs: field('WINNOW_BROWSER_IDLE', to.duration(1000, DAY_MS), '2m', {
    meaning: 'Time without captures after which the browser of the service ends; the next capture starts a new one.',
  }),
  maxUrlLength: field('WINNOW_MAX_URL_LENGTH', to.integer(100, 65_536), '8192', {
    meaning: 'Longest accepted URL, in characters.',
  }),
  maxRedirects: field('WINNOW_MAX_REDIRECTS', to.integer(0, 50), '10', {
    meaning: 'Most redirects followed for one page.',
  }),
  stageTimeoutMs: field('WINNOW_STAGE_TIMEOUT', to.duration(1, 600_000), '30s', {
    meaning: 'Default of the three `workflow` timeouts.',
  }),
  minConfidence: field('WINNOW_MIN_CONFIDENCE', to.ratio, '0.02', {
    meaning: 'Least confidence of an extraction, 0 to 1; below it the answer is `no_template_matched`.',
  }),
  selfTest: field('WINNOW_SELF_TEST', to.flag, 'true', {
    meaning: 'After the start, extract a built-in test page with every engine, and report the outcome in `/readyz`.',
  }),
  requestLogRows: field('WINNOW_REQUEST_LOG_ROWS', to.integer(10, 10_000_000), '50000', {
    meaning:
      'Most recorded requests of a project; beyond it, or beyond 256 MiB or a tenth of the storage quota of the project, the oldest are removed.',
  }),
  batchMaxBodyBytes: field('WINNOW_BATCH_MAX_BODY_BYTES', to.bytes(1024, 256 * MIB), '32MiB', {
    meaning: 'Largest accepted body of `POST /v1/batches`.',
  }),
};

/** By how likely an operator needs them. */
export const CONFIG_GROUPS = { set: SET, tune: TUNE, keep: KEEP };

export const CONFIG_FIELDS = { ...SET, ...TUNE, ...KEEP };

type Table = typeof CONFIG_FIELDS;
type ValueOf<F extends ConfigField> = ReturnType<F['parse']> | (F['default'] extends null ? null : never);

export type Config = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };
