import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

/** Whatever holds a secret is never written, wherever in a line it stands. */
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
 * Returns a logger that writes one JSON line per entry.
 * @param destination receives the lines; standard output by default
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
  return destination ? pino(options, destination) : pino(options);
}
