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
 * Structured logs, one JSON line each; pretty when a person looks on.
 * @param destination where lines go; standard output when left out
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
  if (destination) return pino(options, destination);
  if (!process.stdout.isTTY) return pino(options);
  return pino({ ...options, transport: { target: 'pino-pretty', options: { ignore: 'hostname,pid' } } });
}
