import { existsSync } from 'node:fs';
import { FORMATS, GENERIC_TEMPLATE_ID, withScheme } from '@winnow/contract';
import { Command, Option } from 'commander';
import { readConfig, type Config } from '../../config/config.ts';
import { duration } from '../../config/config-parsers.ts';
import { elementsOf } from '../../domain/request-options/page-options.ts';
import { findEmptiness } from '../../domain/extraction/extract-page.ts';
import { findShell } from '../../domain/extraction/judge-capture.ts';
import { closing } from '../../domain/shared/closing.ts';
import { describeDoubts } from '../../http/answers/present.ts';
import {
  addContentFlags,
  readContentFlags,
  addFieldFlags,
  readFieldFlags,
  addPageFlags,
  listGivenFlags,
  readPageFlags,
  parseFlag,
  readEngine,
} from '../support/flags.ts';
import type { ContentFlags, FieldFlags, PageFlags } from '../support/flags.ts';
import { CommandError, writeJson, writeLine, writeText, readStdin, type CliIo } from '../support/cli-io.ts';
import type { LocalEngines } from '../support/open-local-engines.ts';
import { presentExtraction, writingFailure } from '../support/present-extraction.ts';
import type { LocalExtraction, PageOrigin } from '../support/present-extraction.ts';
import { decodePage, PAGE_LIMIT, readPageFile, type PageFile } from '../support/read-html-file.ts';
import { messageOf } from '../../domain/shared/errors.ts';

const OUTPUTS = ['json', 'text', ...FORMATS] as const;
type Output = (typeof OUTPUTS)[number];

interface ExtractFlags extends PageFlags, ContentFlags, FieldFlags {
  readonly url?: string;
  readonly engine?: string;
  readonly format: Output;
  readonly timeout?: number;
  readonly failOnWarning?: true;
}

const STDIN = '-';

export function createExtractCommand(io: CliIo): Command {
  return addFieldFlags(addContentFlags(addPageFlags(new Command('extract'))))
    .summary('extract one page')
    .description(
      `Extracts one page on this machine: no service has to run, and nothing is stored.

Prints {"result", "metadata"} as the service does, or {"error"} with exit code 1, also for a page without main content. With --format stated: what the page states about itself; with another --format: only the main content, with the warnings about it on standard error. With --fail-on-warning, the exit code is 3 if there are any.`,
    )
    .argument(
      '<page>',
      'URL to fetch; or a file: HTML (.gz too), PDF, text, Markdown, JSON, XML; or - for standard input',
    )
    .option('-e, --engine <name>', 'engine that fetches a URL (default: auto)')
    .option('-t, --timeout <time>', 'longest time for fetching, such as 20s', parseFlag(duration(1, 600_000)))
    .option('-u, --url <url>', 'original address of the HTML in a file or on standard input')
    .addOption(new Option('-f, --format <format>', 'what to print').choices(OUTPUTS).default('json'))
    .option('--fail-on-warning', 'exit with 3 if the result has warnings, such as login_wall')
    .action((page: string, flags: ExtractFlags) =>
      writingFailure(io, flags.format === 'json', () => extractOne(io, page, flags)),
    );
}

async function extractOne(io: CliIo, name: string, flags: ExtractFlags): Promise<void> {
  refuseIdleFlags(name, flags);
  const config = readConfig(io.environment);
  const fields = await readFieldFlags(flags);
  const { openLocalEngines } = await import('../support/open-local-engines.ts');
  await using engines = closing(openLocalEngines(config, io.signal));
  const { html, origin, contentLanguage } = await loadPage(io, config, engines, name, flags);
  const budget = { timeoutMs: config.stageTimeoutMs, signal: io.signal };
  const input = {
    html,
    url: origin.finalUrl ?? '',
    contentLanguage,
    formats: FORMATS.filter((format) => format === flags.format),
    ...readContentFlags(flags),
    elements: elementsOf(readPageFlags(flags, {}, config)),
    fields,
  };
  const extraction = await engines.worker.extract(input, budget);
  for (const [list, count] of Object.entries(extraction.leftOut ?? {}))
    writeLine(io.stderr, `winnow: warning: ${list}: ${count}`);
  const fault = findEmptiness(extraction, GENERIC_TEMPLATE_ID, config.minConfidence);
  if (fault !== undefined) throw fault;
  const shell = origin.engine === 'http' ? await findShell(engines.judgeHtml, input, extraction) : [];
  const warned = { ...extraction, warnings: [...shell, ...extraction.warnings] };
  print(io, presentExtraction(warned, origin, config.engineFamily, extraction.requested), flags);
}

function isFetched(name: string): boolean {
  return /^\s*https?:/i.test(name);
}

function refuseIdleFlags(name: string, flags: ExtractFlags): void {
  if (isFetched(name)) {
    if (flags.url !== undefined)
      throw new CommandError('--url: only for HTML from a file or standard input', { exitCode: 2 });
    return;
  }
  const names = [
    ...(['engine', 'timeout'] as const).filter((flag) => flags[flag] !== undefined),
    ...listGivenFlags(flags),
  ];
  const [idle] = names;
  if (idle !== undefined)
    throw new CommandError(`--${idle}: ${name} is not fetched; a URL begins with http:// or https://`, { exitCode: 2 });
}

/** A name that is no file here but looks like a host: "example.com", "example.com/a", "127.0.0.1:8080". */
const LIKE_HOST = /^(?:localhost|[\w-]+(?:\.[\w-]+)*\.(?:[a-z]{2,}|\d{1,3}))(?::\d+)?(?:[/?#].*)?$/i;

async function loadPage(
  io: CliIo,
  config: Config,
  engines: LocalEngines,
  name: string,
  flags: ExtractFlags,
): Promise<{ readonly html: string; readonly origin: PageOrigin; readonly contentLanguage: string | null }> {
  if (isFetched(name)) {
    const timeoutMs = flags.timeout ?? config.fetchTimeoutMs;
    const page = readPageFlags(flags, { engine_preference: readEngine(flags.engine ?? 'auto', config) }, config);
    const capture = await engines.capture(name, page, timeoutMs);
    const { html, contentLanguage, finalUrl, statusCode, engine, partial } = capture;
    const origin = {
      url: name.trim(),
      finalUrl,
      statusCode,
      engine,
      partial,
      fetchedAt: capture.fetchedAt.toISOString(),
    };
    return { html, contentLanguage, origin };
  }
  if (flags.url !== undefined && !URL.canParse(flags.url)) {
    throw new CommandError(`--url: ${flags.url} is not an absolute URL`, { exitCode: 2 });
  }
  const url = flags.url ?? null;
  const origin = { url, finalUrl: url, statusCode: null, engine: null, fetchedAt: null };
  const file = await readPage(io, name, config.maxPageBytes);
  if (file.format === 'html') return { html: file.content, contentLanguage: null, origin };
  const budget = { timeoutMs: config.stageTimeoutMs, signal: io.signal };
  const { html, partial = false } = await engines.documents.convert(file, budget);
  return { html, contentLanguage: null, origin: { ...origin, partial } };
}

async function readPage(io: CliIo, name: string, maxBytes: number): Promise<PageFile> {
  try {
    if (name === STDIN) return await decodePage(await readStdin(io, maxBytes, PAGE_LIMIT), 'standard input', maxBytes);
    return await readPageFile(name, maxBytes);
  } catch (error) {
    const message = messageOf(error);
    const hint = LIKE_HOST.test(name) && !existsSync(name) ? `; to fetch the page, write ${withScheme(name)}` : '';
    throw new CommandError(`${message}${hint}`, { cause: error });
  }
}

function print(io: CliIo, extracted: LocalExtraction, { format, failOnWarning }: ExtractFlags): void {
  const { result, metadata } = extracted;
  if (format === 'json') writeJson(io.stdout, extracted);
  else if (format === 'stated') writeJson(io.stdout, result.stated);
  else writeText(io.stdout, format === 'text' ? result.main_text : (result[format] ?? ''));
  const warnings = describeDoubts(metadata);
  if (format !== 'json') for (const warning of warnings) writeLine(io.stderr, `winnow: warning: ${warning}`);
  if (failOnWarning === true && warnings.length > 0) throw new CommandError('the result has warnings', { exitCode: 3 });
}
