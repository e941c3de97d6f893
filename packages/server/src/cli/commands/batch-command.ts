import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FORMATS, type Format } from '@winnow/contract';
import { Command, Option } from 'commander';
import { readConfig, type Config } from '../../config/config.ts';
import { workerMemoryBytes, workerThreadCount } from '../../config/machine.ts';
import { openRegularFile } from '../../config/regular-file.ts';
import { duration, integer } from '../../config/config-parsers.ts';
import type { WorkerPool } from '../../workers/worker-pool.ts';
import { startProgress, type BatchCounts } from '../batch/progress.ts';
import { readLines } from '../batch/read-lines.ts';
import { isGzip, openResultsWriter, openStreamWriter, recoverResults } from '../batch/results-file.ts';
import { MAX_INPUT_LINE_BYTES, runBatch, type BatchRunOptions } from '../batch/run-batch.ts';
import {
  addContentFlags,
  readContentFlags,
  addCaptureFlags,
  listGivenFlags,
  readPageFlags,
  parseFlag,
  readEngine,
} from '../support/flags.ts';
import type { ContentFlags, PageFlags } from '../support/flags.ts';
import { CommandError, countThings, writeJson, type CliIo } from '../support/cli-io.ts';
import type { LocalEngines } from '../support/open-local-engines.ts';
import { isCompressionFault, NotWarcError, type WarcDamage } from '../batch/read-warc.ts';

interface BatchFlags extends PageFlags, ContentFlags {
  readonly input: string;
  readonly output: string;
  readonly format: readonly Format[];
  readonly engine?: string;
  readonly concurrency: number;
  readonly threads?: number;
  readonly timeout?: number;
  readonly retryFailed?: true;
  readonly json?: true;
}

const STDIO = '-';

const EXTRACTION_TIMEOUT_MS = 30_000;

/** Further damaged parts are only counted. */
const MAX_REPORTED_DAMAGE = 20;

export function createBatchCommand(io: CliIo): Command {
  return addContentFlags(addCaptureFlags(new Command('batch')))
    .summary('extract many pages on all cores')
    .description(
      `Extracts many pages on all cores, without a service.

Input, one JSON object a line: {"id", "url", "html" | "html_file"}. The name in html_file is relative to the input's folder; the file may be gzipped. A line with neither is an error; with --engine its url is fetched, with the capture flags. A file named .warc or .warc.gz is a crawl archive: the HTML pages of its response records are extracted, with the record's id as their id.

Output, one line a page: {"id", "result", "metadata", "elapsed_ms"} or {"id", "error": {"code", "message", "stage"}}; without a usable id {"id": null, "line", "error"}. elapsed_ms is the time from the HTML string to the result. Lines are in order of completion. Files whose names end with .gz are compressed.

A page without main content is not a failure: its main_text is empty, its confidence low. A line that repeats an earlier id is an error. The last line of the command counts failed pages by error code, and pages whose metadata.warnings say what to doubt. The exit code is 0 if every page was extracted; 3 if pages failed, in this run or in an earlier one with the same output, and have only lines with errors; 1 if the archive is damaged (its other pages are extracted); 130 after Ctrl-C.

Run again with the same output, the command continues where it stopped: it skips ids that are in the output. With --retry-failed it skips only ids with a result; a retried page gets a second line after its old one.`,
    )
    .requiredOption('-i, --input <file>', 'pages as JSON Lines, or a WARC file; - for JSON Lines on standard input')
    .requiredOption('-o, --output <file>', 'results as JSON Lines; - for standard output')
    .addOption(new Option('--format <format...>', 'additional formats of each result').choices(FORMATS).default([]))
    .option('-e, --engine <name>', 'engine that fetches the url of lines without HTML')
    .option('--concurrency <count>', 'pages fetched at the same time', parseFlag(integer(1, 256)), 8)
    .option(
      '--threads <count>',
      'pages extracted at the same time, each in its own process; default: one per core',
      parseFlag(integer(1, 256)),
    )
    .addOption(
      new Option(
        '-t, --timeout <time>',
        'longest time for fetching a page, and again for its extraction; default: that of the service, and 30s',
      ).argParser(parseFlag(duration(1, 600_000))),
    )
    .option('--retry-failed', 'retry pages that failed in an earlier run with the same output')
    .option('--json', 'print a summary as JSON on standard error')
    .action((flags: BatchFlags) => batch(io, flags));
}

async function batch(io: CliIo, flags: BatchFlags): Promise<void> {
  const config = readConfig(io.environment);
  const engine = flags.engine === undefined ? undefined : readEngine(flags.engine, config);
  const [unused] = engine === undefined ? listGivenFlags(flags) : [];
  if (unused !== undefined)
    throw new CommandError(`--${unused}: needs --engine; no page is fetched without it`, { exitCode: 2 });
  const page = readPageFlags(flags, { engine_preference: engine }, config);
  if (flags.input !== STDIO && path.resolve(flags.input) === path.resolve(flags.output)) {
    throw new CommandError('--input and --output are the same file', { exitCode: 2 });
  }
  const input = openInput(io, flags.input);
  await requireOutputFolder(flags.output);
  const earlier = flags.output === STDIO ? new Map<string, boolean>() : await recoverResults(flags.output);
  const writer = flags.output === STDIO ? openStreamWriter(io.stdout) : openResultsWriter(flags.output);
  const none = { done: 0, failed: 0, warned: 0, skipped: 0, failedEarlier: 0, damaged: 0, readBytes: 0 };
  const counts: BatchCounts = { ...none, failures: {}, totalBytes: input.bytes };
  const addReadBytes = (bytes: number) => (counts.readBytes += bytes);
  input.onRead = addReadBytes;
  const threads = flags.threads ?? workerThreadCount(config);
  // At most one page per worker: the time limit of a page queued in the pool would already run.
  const concurrency = engine === undefined ? threads : flags.concurrency;
  const engines = engine === undefined ? undefined : await openEngines(config, io.signal);
  const pool = await openBatchPool(config, threads, concurrency);
  const progress = startProgress(io, counts);
  const started = performance.now();
  // Standard input may stay silent forever.
  const endInput = (): void => void input.stream.destroy();
  io.signal.addEventListener('abort', endInput, { once: true });
  if (io.signal.aborted) endInput();
  try {
    await runBatch(
      {
        input: await readInput(flags.input, input, config, (damage) => {
          counts.damaged += 1;
          if (counts.damaged <= MAX_REPORTED_DAMAGE)
            progress.say(`winnow: ${flags.input}: damaged at byte ${damage.at}: ${damage.reason}`);
        }),
        folder: flags.input === STDIO ? process.cwd() : path.dirname(path.resolve(flags.input)),
        pool,
        fetch: engines && ((url) => engines.capture(url, page, flags.timeout ?? config.fetchTimeoutMs)),
        writer,
        concurrency,
        earlier,
        retryFailed: flags.retryFailed === true,
        content: { formats: flags.format, ...readContentFlags(flags) },
        pageTimeoutMs: flags.timeout ?? EXTRACTION_TIMEOUT_MS,
        maxPageBytes: config.maxPageBytes,
        engineFamily: config.engineFamily,
        signal: io.signal,
      },
      counts,
    );
    await writer.close();
  } catch (error) {
    if (isCompressionFault(error))
      throw new CommandError(`--input: ${flags.input} is not a complete gzip file; the pages before are extracted`);
    if (error instanceof NotWarcError) throw new CommandError(`--input: ${flags.input} ${error.message}`);
    throw error;
  } finally {
    io.signal.removeEventListener('abort', endInput);
    // After a fault the rest of the file is not read.
    if (flags.input !== STDIO) endInput();
    progress.stop();
    await Promise.all([pool.close(), engines?.close()]);
  }
  if (flags.json === true) writeJson(io.stderr, summarize(counts, performance.now() - started));
  if (io.signal.aborted) throw new CommandError('stopped; run the same command again to continue');
  if (counts.damaged > 0)
    throw new CommandError(`${flags.input}: ${counts.damaged} damaged parts; the other pages were extracted`);
  const failed = counts.failed + counts.failedEarlier;
  if (failed > 0)
    throw new CommandError(
      `${countThings(failed, 'page')} failed${counts.failed === 0 ? ' in an earlier run' : ''}; their lines say why, --retry-failed tries them again`,
      { exitCode: 3 },
    );
}

async function openBatchPool(config: Config, threads: number, concurrency: number): Promise<WorkerPool> {
  const { WorkerPool } = await import('../../workers/worker-pool.ts');
  return new WorkerPool({
    workers: threads,
    memoryBytes: workerMemoryBytes(config),
    maxQueue: concurrency,
    module: new URL('../batch/batch-worker.ts', import.meta.url),
  });
}

async function openEngines(config: Config, signal: AbortSignal): Promise<LocalEngines> {
  const { openLocalEngines } = await import('../support/open-local-engines.ts');
  return openLocalEngines(config, signal);
}

/** Recognises WARC files by name; other input is JSON lines. */
async function readInput(
  name: string,
  input: Input,
  config: Config,
  onDamage: (damage: WarcDamage) => void,
): Promise<BatchRunOptions['input']> {
  if (!isWarc(name)) return { lines: readLines(input.stream, MAX_INPUT_LINE_BYTES) };
  const { readWarc } = await import('../batch/read-warc.ts');
  return { pages: readWarc(countBytes(input), config.maxPageBytes, onDamage) };
}

async function* countBytes(input: Input): AsyncGenerator<Uint8Array> {
  for await (const chunk of input.stream as AsyncIterable<Uint8Array>) {
    yield chunk;
    // Counted once the reader asks for more.
    input.onRead?.(chunk.length);
  }
}

async function requireOutputFolder(output: string): Promise<void> {
  if (output === STDIO) return;
  const folder = path.dirname(path.resolve(output));
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw new CommandError(`--output: no such folder: ${folder}`);
  if ((await stat(output).catch(() => undefined))?.isDirectory())
    throw new CommandError(`--output: ${output} is a folder`);
}

function isWarc(name: string): boolean {
  return /\.warc(\.gz)?$/.test(name);
}

interface Input {
  readonly stream: Readable;
  /** Undefined if unknown. */
  readonly bytes: number | undefined;
  /** Receives the size of each chunk of an archive. */
  onRead?: (bytes: number) => void;
}

function openInput(io: CliIo, name: string): Input {
  if (name === STDIO) return { stream: io.stdin, bytes: undefined };
  const { descriptor, bytes } = openRegularFile(name);
  const file = createReadStream(name, { fd: descriptor, highWaterMark: 256 * 1024 });
  // Archives compress each record separately; their reader decompresses them.
  if (!isGzip(name) || isWarc(name)) return { stream: file, bytes };
  const unzipped = createGunzip();
  file.once('error', (error) => unzipped.destroy(error));
  return { stream: file.pipe(unzipped), bytes: undefined };
}

function summarize(counts: BatchCounts, elapsedMs: number): object {
  const { done, failed, failures, skipped, failedEarlier, damaged, warned } = counts;
  return {
    done,
    failed,
    skipped,
    failed_earlier: failedEarlier,
    damaged,
    warned,
    failures,
    elapsed_ms: Math.round(elapsedMs),
  };
}
