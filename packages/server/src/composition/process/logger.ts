import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { escapeLines } from '../../domain/shared/escape-controls.ts';
import { redactSecrets } from './redact-secrets.ts';

/** Values that are never logged; secrets in URLs are removed from whole lines. */
const SECRETS = [
  'apiKey',
  'api_key',
  'secret',
  'password',
  'token',
  'cookie',
  'authorization',
  '["x-api-key"]',
  '["set-cookie"]',
];

/**
 * Writes one JSON line per entry.
 * @param destination default: standard output
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    redact: {
      paths: SECRETS.flatMap((name) =>
        name.startsWith('[') ? [name, `*${name}`, `*.*${name}`] : [name, `*.${name}`, `*.*.${name}`],
      ),
      censor: '[secret]',
    },
    hooks: { streamWrite: redactSecrets },
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  const out = destination ?? pino.destination(1);
  // JSON escapes only C0 controls, and logs are read in terminals.
  return pino(options, { write: (line) => out.write(escapeLines(line)) });
}
