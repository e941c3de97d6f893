import { once } from 'node:events';
import { Command } from 'commander';
import type { DestinationStream } from 'pino';
import { readConfig } from '../config.ts';
import type { FirstStart } from '../domain/first-start.ts';
import { createLogger } from '../logger.ts';
import { writeLine } from './cli-io.ts';
import type { CliIo } from './cli-io.ts';

interface ServeFlags {
  readonly json?: true;
}

export function createServeCommand(io: CliIo): Command {
  return new Command('serve')
    .summary('run the service')
    .description(
      `Runs the service until it gets SIGINT or SIGTERM; it then lets running requests finish. Everything is configured by the environment (WINNOW_…, see the README). The first start creates a project and a key of each kind and shows them once.`,
    )
    .option(
      '--json',
      'print JSON only: one line when it listens (address; on the first start project and keys), and the log',
    )
    .action((flags: ServeFlags) => serve(io, flags));
}

async function serve(io: CliIo, flags: ServeFlags): Promise<void> {
  const config = readConfig(io.environment);
  // Only here: no other command needs the HTTP server's modules.
  const { startService } = await import('../main.ts');
  const logger = createLogger(config.logLevel, flags.json ? undefined : await openTerminalLog(io, config.logLevel));
  const service = await startService(config, logger);
  try {
    const address = config.baseUrl ?? service.url;
    writeLine(
      io.stdout,
      flags.json
        ? describeAsJson(service.url, service.firstStart, service.setupUrl)
        : `${describe(address, service.firstStart)}${describeSetup(service.setupUrl)}`,
    );
    if (!io.signal.aborted) await once(io.signal, 'abort');
    logger.info({}, 'stopping');
  } finally {
    await service.close();
  }
}

/** The log for people, where standard output is a terminal. */
async function openTerminalLog(io: CliIo, level: string): Promise<DestinationStream | undefined> {
  if (io.stdout.isTTY !== true) return undefined;
  // Loaded only where a person reads the log.
  const { createTerminalLog } = await import('../terminal-log.ts');
  return createTerminalLog(io.stdout, {
    colors: io.stdout.hasColors?.(io.environment) === true,
    verbose: level === 'debug' || level === 'trace',
  });
}

function describe(address: string, firstStart: FirstStart | undefined): string {
  const listening = `Winnow listens on ${address}`;
  if (firstStart === undefined) return listening;
  const { projectId, secrets, sampleDomId } = firstStart;
  const call = (headers: readonly string[], extract: object): string =>
    [
      `  curl -sS ${address}/v1/extract`,
      ...['Content-Type: application/json', ...headers].map((header) => `-H '${header}'`),
      `-d '${JSON.stringify({ extract })}'`,
    ].join(' ');
  const sample = sampleDomId === undefined ? undefined : { dom_id: sampleDomId };
  const page = { url: 'https://example.com/' };
  return `${listening}

This is the first start. A project and two keys were created; the keys are shown this once.
  project             ${projectId}
  project-scoped key  ${secrets.project}
  key-only key        ${secrets.key_only}

Try it${sample === undefined ? '' : ' on a sample page that is stored already'}:
${call([`X-API-Key: ${secrets.key_only}`], sample ?? page)}
or, with the project-scoped key, on a page of the web:
${call([`X-API-Key: ${secrets.project}`, `X-Project-Id: ${projectId}`], page)}
`;
}

function describeSetup(setupUrl: string | undefined): string {
  if (setupUrl === undefined) return '';
  return `
The console has no administrator yet. This link creates the first one; it works once, for a day:
  ${setupUrl}`;
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
