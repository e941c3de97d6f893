import { pino, type DestinationStream, type Logger } from 'pino';
import { escapeLines } from '../../domain/shared/escape-controls.ts';

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

/** What ends the user, password and query parameters of a URL in a log line, which is JSON. */
const USER_INFO = /(:\/{1,2}|%3a%2f%2f)[^\s"\\/?#]*(?:@|%40)/gi;
const PARAMETER = /([?&][^=&?\s"\\#]*=)[^&\s"\\#]*/g;

/** Words in the names of query parameters whose values are secret. */
const SECRET_NAMES = /key|token|secret|passw|pwd|auth|sig|session|credential|jwt/i;

/** Replaces user names and passwords of URLs, and values of query parameters such as `api_key`, in any text. */
export function redactSecrets(text: string): string {
  return text
    .replace(USER_INFO, '$1[secret]@')
    .replace(PARAMETER, (whole, name: string) => (SECRET_NAMES.test(name) ? `${name}[secret]` : whole));
}
