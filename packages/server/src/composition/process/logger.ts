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

/** What is between the marks that end the user and password of a URL in a log line, which is JSON. */
const PART = /[^\s"\\/?#]+/g;
const AFTER_SCHEME = /:\/{1,2}$/;
const ENCODED_SCHEME = /%3a%2f%2f/i;
/** The end of user and password; there is nothing like it after it. */
const USER_INFO_END = /^[^]*(?:@|%40)/i;
const MAY_HAVE_USER = /@|%40/i;
const PARAMETER = /([?&][^=&?\s"\\#]*=)[^&\s"\\#]*/g;

/** Words in the names of query parameters whose values are secret. */
const SECRET_NAMES = /key|token|secret|passw|pwd|auth|sig|session|credential|jwt/i;

/** Replaces user names and passwords of URLs, and values of query parameters such as `api_key`, in any text. */
export function redactSecrets(text: string): string {
  return (MAY_HAVE_USER.test(text) ? text.replace(PART, redactUser) : text).replace(PARAMETER, (whole, name: string) =>
    SECRET_NAMES.test(name) ? `${name}[secret]` : whole,
  );
}

/** Replaces the user and password of a part. Looks for each mark once: strangers choose the addresses of requests. */
function redactUser(part: string, at: number, text: string): string {
  const end = USER_INFO_END.exec(part)?.[0].length;
  if (end === undefined) return part;
  if (AFTER_SCHEME.test(text.slice(Math.max(0, at - 3), at))) return `[secret]@${part.slice(end)}`;
  const scheme = ENCODED_SCHEME.exec(part);
  const start = scheme === null ? end : scheme.index + scheme[0].length;
  return start < end ? `${part.slice(0, start)}[secret]@${part.slice(end)}` : part;
}
