import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { escapeLines } from '../../domain/shared/escape-controls.ts';

/** Values that are never logged. */
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
    timestamp: pino.stdTimeFunctions.isoTime,
  };
  const out = destination ?? pino.destination(1);
  // JSON escapes only C0 controls, and logs are read in terminals.
  return pino(options, { write: (line) => out.write(escapeLines(line)) });
}
