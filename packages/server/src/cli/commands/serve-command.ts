import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import type { DestinationStream } from 'pino';
import { readConfig, resolveDataDir, type Config } from '../../config/config.ts';
import type { Service } from '../../composition/main.ts';
import { closing } from '../../domain/shared/closing.ts';
import type { FirstStart } from '../../domain/keys/first-start.ts';
import { releaseStartMemory } from '../../composition/process/heap.ts';
import { createLogger } from '../../composition/process/logger.ts';
import { writeLine, writeText, type CliIo, type JsonFlag } from '../support/cli-io.ts';
import { messageOf } from '../../domain/shared/errors.ts';

export function createServeCommand(io: CliIo): Command {
  return new Command('serve')
    .summary('run the service')
    .description(
      `Runs the service until it gets SIGINT or SIGTERM; it then lets running requests finish. Everything is configured by the environment (WINNOW_…, see docs/configuration.md). The first start creates a project and a key of each kind. A terminal shows them once, with a link for the first administrator; without a terminal they are written to files in the data folder.`,
    )
    .option(
      '--json',
      'print JSON only: one line when it listens (address; project, keys and link, which are secrets), and the log',
    )
    .action((flags: JsonFlag) => serve(io, flags));
}

async function serve(io: CliIo, flags: JsonFlag): Promise<void> {
  const config = readConfig(io.environment);
  // Only this command needs the HTTP server's modules.
  const { startService } = await import('../../composition/main.ts');
  const logger = createLogger(config.logLevel, flags.json ? undefined : await openTerminalLog(io, config.logLevel));
  await using service = closing(await startService(config, logger));
  releaseStartMemory();
  await service.warmUp();
  if (flags.json) writeLine(io.stdout, describeAsJson(service.url, service.firstStart, service.setupUrl));
  else await announce(io, config, service);
  service.warn();
  if (!io.signal.aborted) await once(io.signal, 'abort');
  logger.info({}, 'stopping');
}

/** Shows secrets on a terminal only: other output is kept in logs, which others read. */
async function announce(io: CliIo, config: Config, { url, firstStart, setupUrl }: Service): Promise<void> {
  const keys = describeFirstStart(config.baseUrl ?? url, firstStart);
  const setup = describeSetup(setupUrl);
  const isPublic = config.baseUrl !== null && config.baseUrl !== url;
  const address = `Listening on ${url}${isPublic ? `; public address ${config.baseUrl}` : ''}`;
  const dataDir = resolveDataDir(config);
  const link = path.join(dataDir, 'administrator-link.txt');
  // An earlier link does not work any more.
  await rm(link, { force: true });
  if (io.stdout.isTTY === true) return writeText(io.stdout, [address, ...keys, ...setup].join('\n'));
  writeLine(io.stdout, address);
  if (keys.length > 0) await keepSecret(io, path.join(dataDir, 'first-start.txt'), keys, 'The project and its keys');
  if (setup.length > 0) await keepSecret(io, link, setup, 'The link for the first administrator');
}

/** Writes a file that only this user can read, and says where it is. */
async function keepSecret(io: CliIo, file: string, lines: readonly string[], what: string): Promise<void> {
  try {
    await rm(file, { force: true });
    await writeFile(file, `${lines.join('\n').trim()}\n`, { mode: 0o600, flag: 'wx' });
    writeLine(io.stdout, `${what}: see ${file}; remove the file after use`);
  } catch (error) {
    const reason = messageOf(error);
    writeLine(io.stdout, `${what} could not be written (${reason}): use winnow keys create, winnow users create`);
  }
}

async function openTerminalLog(io: CliIo, level: string): Promise<DestinationStream | undefined> {
  if (io.stdout.isTTY !== true) return undefined;
  const { createTerminalLog } = await import('../../composition/process/terminal-log.ts');
  return createTerminalLog(io.stdout, {
    colors: io.stdout.hasColors?.(io.environment) === true,
    verbose: level === 'debug' || level === 'trace',
  });
}

/** At most 80 columns, unless the address is long. */
function describeFirstStart(address: string, firstStart: FirstStart | undefined): string[] {
  if (firstStart === undefined) return [];
  const { projectId, secrets, sampleDomId } = firstStart;
  const page = sampleDomId === undefined ? { url: 'https://example.com/' } : { dom_id: sampleDomId };
  return [
    '',
    'Created one project and two API keys. Save the keys: they are not shown again.',
    '',
    `  Project             ${projectId}`,
    `  Project key         ${secrets.project}`,
    `  Standalone key      ${secrets.key_only}`,
    '',
    sampleDomId === undefined ? 'Extract a page:' : 'Extract a stored sample page (no internet needed):',
    '',
    `  curl -sS ${address.replace(/(?<!\/)\/+$/, '')}/v1/extract \\`,
    `    -H 'X-API-Key: ${secrets.key_only}' \\`,
    `    -H 'Content-Type: application/json' -H 'Accept: text/markdown' \\`,
    `    -d '${JSON.stringify({ extract: page })}'`,
    '',
    ...(sampleDomId === undefined ? [] : ['For a live page, send {"extract":{"url":"https://example.com/"}} instead.']),
    'Without the Accept header, the answer is JSON.',
  ];
}

function describeSetup(setupUrl: string | undefined): string[] {
  if (setupUrl === undefined) return [];
  return ['', 'Create the first administrator here (single use, valid for 24 hours):', '', setupUrl, ''];
}

function describeAsJson(url: string, firstStart: FirstStart | undefined, setupUrl: string | undefined): string {
  const created = firstStart && {
    project_id: firstStart.projectId,
    project_key: firstStart.secrets.project,
    key_only_key: firstStart.secrets.key_only,
    sample_dom_id: firstStart.sampleDomId ?? null,
  };
  return JSON.stringify({ event: 'listening', url, first_start: created ?? null, setup_url: setupUrl ?? null });
}
