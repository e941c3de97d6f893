import * as to from './config-parsers.ts';
import { FACADES, REQUEST_LOG_MODES } from '@winnow/contract';

interface ConfigFieldBase {
  readonly env: string;
  /** Conventional names, in order; the field's own name wins. */
  readonly aliases?: readonly string[];
  /** Throws an Error with the required format. */
  readonly parse: (text: string) => unknown;
  readonly meaning: string;
  /** Never logged; may be read from the file named by `<env>_FILE`. */
  readonly secret?: true;
}

/**
 * `default` is written as a user would write it; null: no default. `shown` replaces the default in the documentation.
 */
export type ConfigField = ConfigFieldBase &
  ({ readonly default: string; readonly shown?: string } | { readonly default: null; readonly shown: string });

const MIB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** What a deployment sets. */
const SET = {
  host: {
    env: 'WINNOW_HOST',
    aliases: ['HOST'],
    parse: to.listenHost,
    default: '127.0.0.1',
    meaning: 'Address to listen on. In a container, or behind a proxy on another machine: `0.0.0.0`.',
  },
  port: {
    env: 'WINNOW_PORT',
    aliases: ['PORT'],
    parse: to.integer(0, 65_535),
    default: '8080',
    meaning: 'Port to listen on; 0 takes a free one.',
  },
  dataDir: {
    env: 'WINNOW_DATA_DIR',
    parse: to.text,
    default: '.winnow',
    meaning:
      'Folder for the database and the snapshots; relative to the working directory, which is the clone for `npm start` and `./winnow`.',
  },
  databaseUrl: {
    env: 'WINNOW_DATABASE_URL',
    aliases: ['DATABASE_URL'],
    parse: to.postgresUrl,
    default: null,
    shown: 'SQLite in the data folder',
    meaning: 'A PostgreSQL database in place of SQLite: `postgres://…`.',
    secret: true,
  },
  logLevel: {
    env: 'WINNOW_LOG_LEVEL',
    aliases: ['LOG_LEVEL'],
    parse: to.choice(LOG_LEVELS),
    default: 'info',
    meaning: `Lowest level that is logged: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}.`,
  },
  baseUrl: {
    env: 'WINNOW_BASE_URL',
    parse: to.url('http:', 'https:'),
    default: null,
    shown: 'where it listens',
    meaning:
      "The service's public address, as the documentation and the console show it. It may have a path, such as `https://host/winnow`: the service answers below it, whether the proxy keeps or strips the path. If the address of the console begins with `https:`, its cookies are Secure: set it behind a proxy that terminates TLS.",
  },
  userAgent: {
    env: 'WINNOW_USER_AGENT',
    parse: to.headerValue,
    default:
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Winnow/0.1',
    shown: "a current browser's, and `Winnow/0.1`",
    meaning: 'User-Agent header of all engines.',
  },
  authorities: {
    env: 'WINNOW_CA_FILE',
    parse: to.authorities,
    default: '',
    shown: 'none',
    meaning:
      'PEM file of certificate authorities, such as that of a company, that all engines trust besides the usual ones ([engines](engines.md#certificates)). Nothing else about the checks of certificates changes. Browsers of `WINNOW_CDP_URLS` need it in their own store.',
  },
  chromiumPath: {
    env: 'WINNOW_CHROMIUM',
    parse: to.text,
    default: null,
    shown: 'found on the machine',
    meaning:
      'Chromium executable. `none`: the service starts no browser; only `http` and the engines that use `WINNOW_CDP_URLS` work.',
  },
  cdpUrls: {
    env: 'WINNOW_CDP_URLS',
    parse: to.urls('http:', 'https:', 'ws:', 'wss:'),
    default: '',
    meaning: 'Addresses of running Chromiums for `chrome_cdp`, separated by commas; none: the service starts its own.',
    secret: true,
  },
  egressAllow: {
    env: 'WINNOW_EGRESS_ALLOW',
    parse: to.egressRules,
    default: '',
    meaning:
      'Targets allowed although the built-in address policy refuses them: addresses, CIDR ranges or host names (`*.example.com`), each with an optional `:port`, separated by commas.',
  },
  egressDeny: {
    env: 'WINNOW_EGRESS_DENY',
    parse: to.egressRules,
    default: '',
    meaning: 'Targets never reached; in the same form. Denial wins.',
  },
  projectEgress: {
    env: 'WINNOW_PROJECT_EGRESS',
    parse: to.projectRules,
    default: '',
    meaning:
      'Egress rules of projects, added to those of the deployment, and the upstream proxy of each project (a name of `WINNOW_UPSTREAM_PROXIES`, or `direct`), as JSON: `{"prj_…":{"allow":["10.0.5.0/24:8080"],"deny":["*.example.com"],"proxy":"eu"}}`. They apply to the pages, robots.txt requests and webhooks of the project.',
  },
  upstreamProxy: {
    env: 'WINNOW_UPSTREAM_PROXY',
    aliases: ['HTTPS_PROXY', 'https_proxy'],
    parse: to.proxy,
    default: null,
    shown: 'none',
    meaning:
      'HTTP proxy for all requests, plain HTTP included, by CONNECT to the address that the egress policy has checked: `http://[user:password@]host:port`, `https://…`; `direct`: no proxy, even if `HTTPS_PROXY` is set. `HTTP_PROXY` is not read.',
    secret: true,
  },
  trustedProxies: {
    env: 'WINNOW_TRUSTED_PROXIES',
    parse: to.addressRanges,
    default: '',
    meaning:
      'Addresses or CIDR ranges of reverse proxies in front of the service: their `X-Forwarded-For` names the caller. Without it all callers behind a proxy share one address, also in the lock-out after failed sign-ins.',
  },
  quotaPerMinute: {
    env: 'WINNOW_QUOTA_PER_MINUTE',
    parse: to.integer(0, 1_000_000),
    default: '0',
    meaning: 'Requests a minute of a key without its own quota, including items of its batches; 0: no limit.',
  },
  retentionAgeMs: {
    env: 'WINNOW_RETENTION_AGE',
    parse: to.duration(60_000, 3650 * DAY_MS),
    default: '30d',
    meaning: 'Age at which snapshots are removed.',
  },
  retentionBytes: {
    env: 'WINNOW_RETENTION_SIZE',
    parse: to.bytes(MIB, Number.MAX_SAFE_INTEGER),
    default: '10GiB',
    meaning:
      'Total size of stored snapshots above which the oldest are removed, beginning with the project that stores most: a project within its share loses none to others.',
  },
  projectStorageQuotaBytes: {
    env: 'WINNOW_PROJECT_STORAGE_QUOTA',
    parse: to.bytes(0, Number.MAX_SAFE_INTEGER),
    default: null,
    shown: 'twice `WINNOW_RETENTION_SIZE`',
    meaning:
      'Bytes that one project may store, snapshots, batches and recorded requests together; beyond them new pages and batches are answered `storage_quota_exceeded`. 0: no limit.',
  },
  s3Bucket: {
    env: 'WINNOW_S3_BUCKET',
    parse: to.text,
    default: null,
    shown: 'the data folder',
    meaning: 'Bucket for the snapshots, in place of the data folder.',
  },
  s3Endpoint: {
    env: 'WINNOW_S3_ENDPOINT',
    parse: to.url('http:', 'https:'),
    default: null,
    shown: "Amazon's, by region",
    meaning: 'Address of an S3-compatible service.',
  },
  s3Region: {
    env: 'WINNOW_S3_REGION',
    parse: to.text,
    default: 'us-east-1',
    meaning: 'Region of the bucket.',
  },
  s3AccessKeyId: {
    env: 'WINNOW_S3_ACCESS_KEY_ID',
    parse: to.text,
    default: null,
    shown: "the AWS SDK's credential chain",
    meaning: 'Access key for the bucket.',
    secret: true,
  },
  s3SecretAccessKey: {
    env: 'WINNOW_S3_SECRET_ACCESS_KEY',
    parse: to.text,
    default: null,
    shown: "the AWS SDK's credential chain",
    meaning: 'Secret of the access key; both or neither are set.',
    secret: true,
  },
  s3PathStyle: {
    env: 'WINNOW_S3_PATH_STYLE',
    parse: to.flag,
    default: 'false',
    meaning: '`true`: the bucket is in the path, as most S3-compatible services require.',
  },
  secretKey: {
    env: 'WINNOW_SECRET_KEY',
    parse: to.secretKey,
    default: null,
    shown: 'a file of the data folder (`secret.key`)',
    meaning:
      'Key that encrypts the headers, cookies and webhook secrets of batches in the database: at least 32 characters, the same for all nodes of a deployment. If `WINNOW_DATABASE_URL` is set and this is not, batches with headers or cookies are refused, and webhook secrets are stored unencrypted.',
    secret: true,
  },
  respectRobots: {
    env: 'WINNOW_RESPECT_ROBOTS',
    parse: to.flag,
    default: 'false',
    meaning: '`true`: single requests follow robots.txt too; batches follow it unless they opt out.',
  },
  otlpEndpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    parse: to.url('http:', 'https:'),
    default: null,
    shown: 'none',
    meaning:
      'OpenTelemetry collector, such as `http://127.0.0.1:4318`: traces go to `/v1/traces` below it, metrics to `/v1/metrics` ([operations](operations.md#opentelemetry)).',
  },
  otlpHeaders: {
    env: 'OTEL_EXPORTER_OTLP_HEADERS',
    parse: to.pairs,
    default: '',
    meaning: 'Headers for the collector, such as its key: `name=value,…`, percent-encoded.',
    secret: true,
  },
} as const satisfies Record<string, ConfigField>;

/** What an operator may tune. */
const TUNE = {
  baseUrlOverseas: {
    env: 'WINNOW_BASE_URL_OVERSEAS',
    parse: to.url('http:', 'https:'),
    default: null,
    shown: 'none',
    meaning: 'Public address of the deployment for overseas access, with the same paths.',
  },
  consoleUrl: {
    env: 'WINNOW_CONSOLE_URL',
    parse: to.url('http:', 'https:'),
    default: null,
    shown: '`/console` of the base address',
    meaning: 'Address of the console, where keys and project ids are created.',
  },
  consoleUrlOverseas: {
    env: 'WINNOW_CONSOLE_URL_OVERSEAS',
    parse: to.url('http:', 'https:'),
    default: null,
    shown: 'none',
    meaning:
      'Address of the console of the deployment for overseas access, where its keys and project ids are created. The console shows it beside the overseas examples.',
  },
  region: {
    env: 'WINNOW_REGION',
    parse: to.name,
    default: null,
    shown: 'none',
    meaning: 'Name of the region that this deployment serves, such as `eu`.',
  },
  acceptLanguage: {
    env: 'WINNOW_ACCEPT_LANGUAGE',
    parse: to.acceptLanguage,
    default: 'en-US,en;q=0.9',
    meaning:
      'Accept-Language header of all engines, for requests without `options.accept_language` and `options.locale`; a browser replaces the weights with its own.',
  },
  cdpForAll: {
    env: 'WINNOW_CDP_FOR_ALL',
    parse: to.flag,
    default: 'false',
    meaning:
      '`true`: every Chromium engine uses the browsers of `WINNOW_CDP_URLS`, and the service starts none itself.',
  },
  cdpLaneHost: {
    env: 'WINNOW_CDP_LANE_HOST',
    parse: to.host,
    default: null,
    shown: '`127.0.0.1`',
    meaning:
      'Host name or address under which the browsers of `WINNOW_CDP_URLS` reach this process, through which all their requests go; for browsers on other machines.',
  },
  cdpLaneListen: {
    env: 'WINNOW_CDP_LANE_LISTEN',
    parse: to.address,
    default: null,
    shown: '`127.0.0.1`',
    meaning:
      'Address of this machine on which the service listens for the browsers of `WINNOW_CDP_URLS`, on ports that the system chooses. Any client that can reach it can fetch what the egress rules allow: admit only these browsers.',
  },
  browserConcurrency: {
    env: 'WINNOW_BROWSER_CONCURRENCY',
    parse: to.integer(1, 256),
    default: null,
    shown: '`3`, or fewer with less than 3.75 GiB of memory',
    meaning: 'Pages that browsers capture at the same time.',
  },
  keepWarmMs: {
    env: 'WINNOW_KEEP_WARM',
    parse: to.duration(0, DAY_MS),
    default: '2m',
    meaning:
      'Idle time after which workers end and free their memory (about 100 MB each). A worker and a browser are ready when the service starts, so that the first page does not wait for them. `0s`: nothing is started before it is needed, and idle workers end after a minute.',
  },
  upstreamProxies: {
    env: 'WINNOW_UPSTREAM_PROXIES',
    parse: to.namedProxies,
    default: '',
    meaning:
      'More proxies, by names that `WINNOW_PROJECT_EGRESS` may give to projects: `eu=http://host:port,us=http://host:port`.',
    secret: true,
  },
  upstreamBypass: {
    env: 'WINNOW_UPSTREAM_BYPASS',
    aliases: ['NO_PROXY', 'no_proxy'],
    parse: to.list,
    default: '',
    meaning:
      'Targets reached without a proxy: host names (with their subdomains), addresses and CIDR ranges (for URLs that contain an address), each with an optional `:port`, or `*`. The egress policy still applies.',
  },
  requestProxies: {
    env: 'WINNOW_REQUEST_PROXIES',
    parse: to.list,
    default: '',
    meaning:
      'Proxies that a request of any project may choose by `options.proxy`: names of `WINNOW_UPSTREAM_PROXIES`, and `direct`, separated by commas. The egress rules apply whatever a request chooses.',
  },
  maxBodyBytes: {
    env: 'WINNOW_MAX_BODY_BYTES',
    parse: to.bytes(1024, 64 * MIB),
    default: '1MiB',
    meaning: 'Largest accepted request body.',
  },
  maxPageBytes: {
    env: 'WINNOW_MAX_PAGE_BYTES',
    parse: to.bytes(1024, 256 * MIB),
    default: '10MiB',
    meaning: 'Largest accepted page, after decoding; the HTML of `POST /v1/snapshots` too.',
  },
  maxPdfPages: {
    env: 'WINNOW_MAX_PDF_PAGES',
    parse: to.integer(1, 100_000),
    default: '2000',
    meaning: 'Most pages of a PDF; a longer PDF is refused.',
  },
  fetchTimeoutMs: {
    env: 'WINNOW_FETCH_TIMEOUT',
    parse: to.duration(1, 600_000),
    default: '20s',
    meaning: 'Time limit of the fetch in an extract request.',
  },
  dumpTimeoutMs: {
    env: 'WINNOW_DUMP_TIMEOUT',
    parse: to.duration(1, 600_000),
    default: '30s',
    meaning: 'Default time limit of a dump (`options.timeout_ms`), also by the MCP tool `dump`, and of `/v2/map`.',
  },
  maxTimeoutMs: {
    env: 'WINNOW_MAX_TIMEOUT',
    parse: to.duration(1000, 600_000),
    default: '120s',
    meaning: 'Longest timeout that a caller may ask for; a longer one counts as this one.',
  },
  shutdownGraceMs: {
    env: 'WINNOW_SHUTDOWN_GRACE',
    parse: to.duration(0, 600_000),
    default: '20s',
    meaning: 'Time for running requests to finish when the service stops.',
  },
  workerThreads: {
    env: 'WINNOW_WORKER_THREADS',
    parse: to.integer(1, 256),
    default: null,
    shown: 'one per core, as far as half of the memory is enough for them',
    meaning:
      'Number of processes that extract. The memory is that of the container, if it has a limit. Half as many processes read documents.',
  },
  workerMemoryBytes: {
    env: 'WINNOW_WORKER_MEMORY',
    parse: to.bytes(64 * MIB, 16_384 * MIB),
    default: null,
    shown: '`768MiB`, but at most a quarter of the memory minus 96 MiB',
    meaning:
      'Heap that one extraction may use before its process is ended. A process that reads documents may use as much for heap and buffers.',
  },
  concurrency: {
    env: 'WINNOW_CONCURRENCY',
    parse: to.integer(1, 10_000),
    default: '32',
    meaning:
      'Requests processed at the same time; others wait in a queue that is fair among projects and keys. While one key holds all slots, up to a quarter more are processed for others.',
  },
  projectConcurrency: {
    env: 'WINNOW_PROJECT_CONCURRENCY',
    parse: to.integer(1, 10_000),
    default: null,
    shown: 'all',
    meaning: 'Requests of one project processed at the same time.',
  },
  hostConcurrency: {
    env: 'WINNOW_HOST_CONCURRENCY',
    parse: to.integer(1, 10_000),
    default: '8',
    meaning: 'Pages of one target site (host and port) that are fetched at the same time.',
  },
  hostSpacingMs: {
    env: 'WINNOW_HOST_SPACING',
    parse: to.duration(0, 600_000),
    default: '0s',
    meaning: 'Time between the starts of two fetches from one target site.',
  },
  maxQueue: {
    env: 'WINNOW_MAX_QUEUE',
    parse: to.integer(1, 100_000),
    default: '200',
    meaning:
      'Requests that may wait for their turn, and pages that may wait for a worker, a browser or a target site; more are answered `overloaded`.',
  },
  maxWaitMs: {
    env: 'WINNOW_MAX_WAIT',
    parse: to.duration(0, 600_000),
    default: '8s',
    meaning:
      'Longest wait of a request in the queue; a request that would wait longer is answered `overloaded` at once.',
  },
  batchRetentionAgeMs: {
    env: 'WINNOW_BATCH_RETENTION_AGE',
    parse: to.duration(60_000, 3650 * DAY_MS),
    default: null,
    shown: '`WINNOW_RETENTION_AGE`',
    meaning:
      'Age at which finished batches are removed, with their results and Idempotency-Keys. Unfinished batches are removed that long after their project is archived.',
  },
  requestLog: {
    env: 'WINNOW_REQUEST_LOG',
    parse: to.choice(REQUEST_LOG_MODES),
    default: 'metadata',
    meaning:
      "What the console's Requests page records: `metadata` (request options, trace, error), `full` (also the first 64 KiB of each answer) or `off`. Keys, headers and webhook secrets are never recorded.",
  },
  requestLogAgeMs: {
    env: 'WINNOW_REQUEST_LOG_AGE',
    parse: to.duration(60_000, 3650 * DAY_MS),
    default: '14d',
    meaning: 'Age at which recorded requests are removed.',
  },
  s3Prefix: {
    env: 'WINNOW_S3_PREFIX',
    parse: to.keyPrefix,
    default: '',
    meaning: "Prefix of the snapshots' keys, such as `winnow/snapshots`.",
  },
  batchConcurrency: {
    env: 'WINNOW_BATCH_CONCURRENCY',
    parse: to.integer(0, 1000),
    default: '4',
    meaning: 'Pages of batches that this process handles at the same time; 0: this process runs no batches.',
  },
  robotsAgent: {
    env: 'WINNOW_ROBOTS_AGENT',
    parse: to.text,
    default: 'Winnow',
    meaning: 'Product token that the service matches in robots.txt; `WINNOW_USER_AGENT` should contain it.',
  },
  otlpProtocol: {
    env: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    parse: to.choice(['http/protobuf']),
    default: 'http/protobuf',
    meaning: 'Protocol of the collector; no other is supported.',
  },
  otelServiceName: {
    env: 'OTEL_SERVICE_NAME',
    parse: to.text,
    default: 'winnow',
    meaning: 'Name of the service in traces and metrics.',
  },
  otelResourceAttributes: {
    env: 'OTEL_RESOURCE_ATTRIBUTES',
    parse: to.pairs,
    default: '',
    meaning: 'Attributes of all traces and metrics: `deployment.environment.name=test,…`, percent-encoded.',
  },
  otelTraces: {
    env: 'OTEL_TRACES_EXPORTER',
    parse: to.choice(['otlp', 'none']),
    default: 'otlp',
    meaning: '`none`: no traces are sent.',
  },
  otelMetrics: {
    env: 'OTEL_METRICS_EXPORTER',
    parse: to.choice(['otlp', 'none']),
    default: 'otlp',
    meaning: '`none`: no metrics are sent.',
  },
  otelMetricIntervalMs: {
    env: 'OTEL_METRIC_EXPORT_INTERVAL',
    parse: to.integer(100, DAY_MS),
    default: '60000',
    meaning: 'Milliseconds between two exports of metrics.',
  },
  otelDisabled: {
    env: 'OTEL_SDK_DISABLED',
    parse: to.flag,
    default: 'false',
    meaning: '`true`: nothing is sent, even with an endpoint.',
  },
  mcp: {
    env: 'WINNOW_MCP',
    parse: to.flag,
    default: 'true',
    meaning: '`false`: the service has no `/mcp`, the endpoint of the Model Context Protocol.',
  },
  facades: {
    env: 'WINNOW_FACADES',
    parse: to.choices(FACADES),
    default: FACADES.join(', '),
    meaning:
      'Interfaces of other services that this one answers, separated by commas: `firecrawl` (`/v2/…`, and of `/v1` `scrape`, `batch/scrape` and `map`), `jina` (`/r/URL`), `open-webui` (`/web-loader`). `none`: no other interface.',
  },
} as const satisfies Record<string, ConfigField>;

/** What is left alone. */
const KEEP = {
  engineFamily: {
    env: 'WINNOW_ENGINE_FAMILY',
    parse: to.name,
    default: 'vendor',
    meaning:
      'Family name of the engines: `acme` makes `acme_lite`, `acme_dcl`, `acme_dom`; the `vendor_` names stay accepted.',
  },
  chromiumSandbox: {
    env: 'WINNOW_CHROMIUM_SANDBOX',
    parse: to.choice(['on', 'off']),
    default: 'on',
    meaning:
      'Sandbox of the browsers that the service starts. `off` runs pages of strangers with the rights of the service: only where the system denies user namespaces and something else confines it ([operations](operations.md#chromiums-sandbox)).',
  },
  browserMemoryBytes: {
    env: 'WINNOW_BROWSER_MEMORY',
    parse: to.bytes(256 * MIB, 16_384 * MIB),
    default: '512MiB',
    meaning:
      'Memory of a browser, without the memory of its pages, above which it is replaced; its pages are not affected.',
  },
  browserIdleMs: {
    env: 'WINNOW_BROWSER_IDLE',
    parse: to.duration(1000, DAY_MS),
    default: '2m',
    meaning: 'Time without captures after which the browser of the service ends; the next capture starts a new one.',
  },
  maxUrlLength: {
    env: 'WINNOW_MAX_URL_LENGTH',
    parse: to.integer(100, 65_536),
    default: '8192',
    meaning: 'Longest accepted URL, in characters.',
  },
  maxRedirects: {
    env: 'WINNOW_MAX_REDIRECTS',
    parse: to.integer(0, 50),
    default: '10',
    meaning: 'Most redirects followed for one page.',
  },
  stageTimeoutMs: {
    env: 'WINNOW_STAGE_TIMEOUT',
    parse: to.duration(1, 600_000),
    default: '30s',
    meaning: 'Default of the three `workflow` timeouts.',
  },
  minConfidence: {
    env: 'WINNOW_MIN_CONFIDENCE',
    parse: to.ratio,
    default: '0.02',
    meaning: 'Least confidence of an extraction, 0 to 1; below it the answer is `no_template_matched`.',
  },
  selfTest: {
    env: 'WINNOW_SELF_TEST',
    parse: to.flag,
    default: 'true',
    meaning: 'After the start, extract a built-in test page with every engine, and report the outcome in `/readyz`.',
  },
  requestLogRows: {
    env: 'WINNOW_REQUEST_LOG_ROWS',
    parse: to.integer(10, 10_000_000),
    default: '50000',
    meaning:
      'Most recorded requests of a project; beyond it, or beyond 256 MiB or a tenth of the storage quota of the project, the oldest are removed.',
  },
  batchMaxBodyBytes: {
    env: 'WINNOW_BATCH_MAX_BODY_BYTES',
    parse: to.bytes(1024, 256 * MIB),
    default: '32MiB',
    meaning: 'Largest accepted body of `POST /v1/batches`.',
  },
} as const satisfies Record<string, ConfigField>;

/** By how likely an operator needs them. */
export const CONFIG_GROUPS = { set: SET, tune: TUNE, keep: KEEP };

export const CONFIG_FIELDS = { ...SET, ...TUNE, ...KEEP };

type Table = typeof CONFIG_FIELDS;
type ValueOf<F extends ConfigField> = ReturnType<F['parse']> | (F['default'] extends null ? null : never);

export type Config = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };
