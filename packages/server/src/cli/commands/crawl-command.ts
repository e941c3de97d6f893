import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CRAWL_DEFAULTS,
  CRAWL_SCOPES,
  FORMATS,
  MAX_BATCH_ITEMS,
  MAX_CRAWL_DELAY,
  MAX_CRAWL_DEPTH,
  SITEMAP_USES,
  withScheme,
} from '@winnow/contract';
import type { BatchBody, BatchLine, CrawlRequest, EnginePreference, ErrorResponse } from '@winnow/contract';
import { Command, Option } from 'commander';
import type { Service } from '../../composition/main.ts';
import { createLogger } from '../../composition/process/logger.ts';
import { readConfig } from '../../config/config.ts';
import { duration, integer } from '../../config/config-parsers.ts';
import { closing } from '../../domain/shared/closing.ts';
import { EarlierCrawlFile } from '../batch/earlier-crawl.ts';
import { describeFailures } from '../batch/progress.ts';
import { openResultsWriter, openStreamWriter } from '../batch/results-file.ts';
import { countThings, CommandError, writeJson, writeLine, type CliIo } from '../support/cli-io.ts';
import { parseFlag, readEngine } from '../support/flags.ts';

interface CrawlFlags {
  readonly output: string;
  readonly limit: number;
  readonly depth: number;
  readonly include?: string[];
  readonly exclude?: string[];
  readonly scope: NonNullable<CrawlRequest['scope']>;
  readonly sitemap: NonNullable<CrawlRequest['sitemap']>;
  /** Milliseconds. */
  readonly delay?: number;
  readonly robots: boolean;
  readonly format: NonNullable<CrawlRequest['formats']>;
  readonly engine: string;
  readonly since?: string;
  readonly json?: true;
}

const STDIO = '-';
const POLL_MS = 300;
const LINES = 200;

/** Settings of a deployment that the service of one crawl does not share. */
const NOT_SHARED = /^WINNOW_(?:S3_.*|DATABASE_URL|BASE_URL.*|CONSOLE_URL.*|PROJECT_STORAGE_QUOTA|RETENTION_.*)$/;

export function createCrawlCommand(io: CliIo): Command {
  return new Command('crawl')
    .summary('extract the pages of a site, by following its links')
    .description(
      `Follows the links and sitemaps of a site and extracts its pages, on this machine: no service has to run, and no snapshot is kept.

Output, one line a page, in the order in which they were found: {"index", "url", "result", "metadata"} or {"index", "url", "error"}. A file whose name ends with .gz is compressed. The last line on standard error counts the pages, and the links that were left out by reason. With --since a line has {"change"}, too: new, changed with a diff of the main text, unchanged, or gone. The exit code is 0 if the crawl ended, failed pages included; 3 if no page could be read. For crawls that go on after a restart ask the service (POST /v1/crawls).`,
    )
    .argument('<url>', 'page to start with')
    .option('-o, --output <file>', 'results as JSON Lines; - for standard output', STDIO)
    .option('--limit <pages>', 'most pages', parseFlag(integer(1, MAX_BATCH_ITEMS)), CRAWL_DEFAULTS.limit)
    .option(
      '--depth <links>',
      'most links from the start page to a page',
      parseFlag(integer(0, MAX_CRAWL_DEPTH)),
      CRAWL_DEFAULTS.max_depth,
    )
    .option('--include <glob...>', 'only pages whose path one of these matches, such as "/blog/*"')
    .option('--exclude <glob...>', 'no pages whose path one of these matches')
    .addOption(
      new Option('--scope <what>', 'pages of the registered domain, of the host, or below the path of the start page')
        .choices(CRAWL_SCOPES)
        .default(CRAWL_DEFAULTS.scope),
    )
    .addOption(
      new Option('--sitemap <use>', 'read sitemaps besides the links, instead of them, or not')
        .choices(SITEMAP_USES)
        .default(CRAWL_DEFAULTS.sitemap),
    )
    .option(
      '--delay <time>',
      'least time between two pages, such as 2s',
      parseFlag(duration(0, MAX_CRAWL_DELAY * 1000)),
    )
    .option('--no-robots', 'read pages that robots.txt refuses, too')
    .addOption(new Option('--format <format...>', 'additional formats of each result').choices(FORMATS).default([]))
    .option('-e, --engine <name>', 'engine that captures', 'auto')
    .option('--since <file>', 'output of an earlier crawl: its pages are read again, and each line says what changed')
    .option('--json', 'print a summary as JSON on standard error')
    .action((url: string, flags: CrawlFlags) => crawl(io, url, flags));
}

async function crawl(io: CliIo, url: string, flags: CrawlFlags): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-crawl-'));
  const environment = Object.entries(io.environment).filter(([name]) => !NOT_SHARED.test(name));
  const config = readConfig({
    ...Object.fromEntries(environment),
    WINNOW_DATA_DIR: folder,
    WINNOW_HOST: '127.0.0.1',
    WINNOW_PORT: '0',
    WINNOW_QUOTA_PER_MINUTE: '0',
    WINNOW_SELF_TEST: 'false',
    WINNOW_REQUEST_LOG: 'off',
    WINNOW_KEEP_WARM: '0s',
  });
  try {
    const engine = readEngine(flags.engine, config);
    const { startService } = await import('../../composition/main.ts');
    const logger = createLogger('fatal', { write: (line: string) => void io.stderr.write(line) });
    const { since } = flags;
    const copy = path.join(folder, 'earlier.jsonl');
    await using earlier = since === undefined ? undefined : closing(await EarlierCrawlFile.open(since, copy));
    await using service = closing(await startService(config, logger, earlier));
    await follow(io, service, { url, flags, engine });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function follow(
  io: CliIo,
  service: Service,
  { url, flags, engine }: { readonly url: string; readonly flags: CrawlFlags; readonly engine: EnginePreference },
): Promise<void> {
  const { output, include, exclude, scope, sitemap, format } = flags;
  const body: CrawlRequest = {
    url: withScheme(url),
    limit: flags.limit,
    max_depth: flags.depth,
    include,
    exclude,
    scope,
    sitemap,
    since: flags.since === undefined ? undefined : 'file',
    delay: flags.delay === undefined ? undefined : flags.delay / 1000,
    respect_robots: flags.robots,
    formats: format,
    options: { engine_preference: engine },
  };
  const { id } = await call(service, 'POST', '/v1/crawls', body);
  const writer = output === STDIO ? openStreamWriter(io.stdout) : openResultsWriter(output);
  const failures: Record<string, number> = {};
  let after = -1;
  let batch: BatchBody;
  for (;;) {
    batch = await call(service, 'GET', `/v1/batches/${id}`);
    const lines = await readLines(
      service,
      `/v1/batches/${id}/results?limit=${LINES}${after < 0 ? '' : `&after=${after}`}`,
    );
    for (const line of lines) {
      const { index, error } = JSON.parse(line) as BatchLine;
      after = index;
      if (error) failures[error.code] = (failures[error.code] ?? 0) + 1;
      await writer.write(line);
    }
    const last = lines.at(-1);
    if (io.signal.aborted || (batch.state !== 'running' && last === undefined)) break;
    if (last === undefined) await sleep(POLL_MS, undefined, { signal: io.signal }).catch(() => undefined);
  }
  await writer.close();
  const { counts, crawl: found } = batch;
  const { skipped = {}, changes } = found ?? {};
  if (flags.json === true)
    writeJson(io.stderr, { done: counts.done, failed: counts.failed, failures, skipped, ...(changes && { changes }) });
  else
    writeLine(
      io.stderr,
      `${countThings(counts.done, 'page')}, ${describeFailures(counts.failed, failures)}${describe('since then', changes)}${describe('links left out', skipped)}`,
    );
  if (io.signal.aborted) throw new CommandError('stopped');
  if (counts.done === 0) throw new CommandError('no page could be read; the lines say why', { exitCode: 3 });
}

function describe(what: string, numbers: Readonly<Record<string, number>> | null = {}): string {
  const parts = Object.entries(numbers ?? {}).flatMap(([reason, count]) => (count === 0 ? [] : [`${reason} ${count}`]));
  return parts.length === 0 ? '' : `; ${what}: ${parts.join(', ')}`;
}

async function call(service: Service, method: 'GET' | 'POST', address: string, body?: object): Promise<BatchBody> {
  const answer = await send(service, method, address, body);
  const parsed = (await answer.json()) as { readonly batch: BatchBody } & ErrorResponse;
  if (!answer.ok) throw new CommandError(parsed.error.message, { exitCode: 2 });
  return parsed.batch;
}

async function readLines(service: Service, address: string): Promise<string[]> {
  return (await (await send(service, 'GET', address)).text()).split('\n').filter(Boolean);
}

function send({ url, firstStart }: Service, method: 'GET' | 'POST', address: string, body?: object): Promise<Response> {
  const headers = { 'x-api-key': firstStart?.secrets.key_only ?? '', 'content-type': 'application/json' };
  return fetch(url + address, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}
