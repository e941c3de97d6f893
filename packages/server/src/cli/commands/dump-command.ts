import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { publicEngineName, withScheme } from '@winnow/contract';
import { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { duration } from '../../config/config-parsers.ts';
import type { Capture } from '../../domain/capture/capture-ports.ts';
import { describeCapture } from '../../domain/capture/describe-capture.ts';
import { elementsOf } from '../../domain/request-options/page-options.ts';
import { closing } from '../../domain/shared/closing.ts';
import { isGzip } from '../batch/results-file.ts';
import { CommandError, writeJson, writeText, type CliIo } from '../support/cli-io.ts';
import { writingFailure } from '../support/present-extraction.ts';
import { addPageFlags, readPageFlags, parseFlag, readEngine, type PageFlags } from '../support/flags.ts';
import { messageOf } from '../../domain/shared/errors.ts';

interface DumpFlags extends PageFlags {
  readonly engine: string;
  readonly timeout?: number;
  readonly filter?: true;
  readonly output?: string;
  readonly json?: true;
  readonly screenshot?: string;
  readonly fullPage?: true;
  readonly mhtml?: string;
}

export function createDumpCommand(io: CliIo): Command {
  return addPageFlags(new Command('dump'))
    .summary("print a page's HTML as an engine captures it")
    .description(
      `Captures a page on this machine and prints its HTML: no service has to run, and nothing is stored, so there is no dom_id. For snapshots ask the service (POST /v1/dom/dump).`,
    )
    .argument('<url>', 'page to capture')
    .option('-e, --engine <name>', 'engine that captures', 'auto')
    .option('-t, --timeout <time>', 'longest time, such as 20s', parseFlag(duration(1, 600_000)))
    .option('--filter', 'remove script and style elements')
    .option(
      '-o, --output <file>',
      'write the HTML to a file instead of standard output; compressed if its name ends with .gz',
    )
    .option(
      '--screenshot <file>',
      'write a screenshot of the visible part of the page to a file, as PNG if its name ends with .png, else as WebP; not with --engine http',
    )
    .option('--full-page', 'with --screenshot: the whole page')
    .option('--mhtml <file>', 'write the page with its loaded resources to one MHTML file; not with --engine http')
    .option('--json', 'print the capture as JSON, with html unless --output is given')
    .action((url: string, flags: DumpFlags) => writingFailure(io, flags.json === true, () => dump(io, url, flags)));
}

/** A path, `-`, or the name of a file. A folder may have the name of the host that it came from. */
function isLocal(address: string): boolean {
  return /^(?:-$|\.{0,2}\/(?!\/))/.test(address) || statSync(address, { throwIfNoEntry: false })?.isFile() === true;
}

async function dump(io: CliIo, address: string, flags: DumpFlags): Promise<void> {
  if (isLocal(address))
    throw new CommandError(`${address} is not a URL; winnow extract reads files and standard input`, { exitCode: 2 });
  const url = withScheme(address);
  const config = readConfig(io.environment);
  const engine = readEngine(flags.engine, config);
  const page = readPageFlags(flags, { engine_preference: engine, ...readAttachmentFlags(flags) }, config);
  const { openLocalEngines } = await import('../support/open-local-engines.ts');
  await using engines = closing(openLocalEngines(config, io.signal));
  const capture = await engines.capture(url, page, flags.timeout ?? config.dumpTimeoutMs);
  const budget = { timeoutMs: config.stageTimeoutMs, signal: io.signal };
  const filtered = flags.filter ? await engines.worker.removeScriptsAndStyles(capture.html, budget) : capture.html;
  const elements = elementsOf(page);
  const html = elements === undefined ? filtered : await engines.worker.pickElements(filtered, elements, budget);
  await writeAttachments(flags, capture);
  if (flags.output !== undefined)
    await writeTo('output', flags.output, isGzip(flags.output) ? await promisify(gzip)(html) : html);
  if (flags.json) {
    const facts = describe(capture, url, config.engineFamily);
    writeJson(io.stdout, flags.output === undefined ? { ...facts, html } : facts);
  } else if (flags.output === undefined) writeText(io.stdout, html);
}

function readAttachmentFlags({ screenshot, fullPage, mhtml }: DumpFlags): object {
  if (fullPage && screenshot === undefined) throw new CommandError('--full-page: needs --screenshot', { exitCode: 2 });
  const picture = screenshot && {
    screenshot: fullPage ? 'full_page' : 'viewport',
    screenshot_format: /\.png$/i.test(screenshot) ? 'png' : 'webp',
  };
  return { ...picture, ...(mhtml !== undefined && { mhtml: true }) };
}

async function writeAttachments(flags: DumpFlags, { screenshot, mhtml }: Capture): Promise<void> {
  if (flags.screenshot !== undefined) {
    if (!screenshot) throw new CommandError('--screenshot: the screenshot could not be taken');
    await writeTo('screenshot', flags.screenshot, Buffer.from(screenshot.base64, 'base64'));
  }
  if (flags.mhtml !== undefined) {
    if (!mhtml) throw new CommandError('--mhtml: the MHTML file could not be made');
    await writeTo('mhtml', flags.mhtml, mhtml);
  }
}

async function writeTo(flag: string, file: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (error) {
    throw new CommandError(`--${flag}: ${messageOf(error)}`, { cause: error });
  }
}

function describe(capture: Capture, url: string, family: string): object {
  return {
    url,
    final_url: capture.finalUrl,
    status_code: capture.statusCode,
    fetched_at: capture.fetchedAt.toISOString(),
    engine: publicEngineName(capture.engine, family),
    debug: describeCapture(capture, family),
  };
}
