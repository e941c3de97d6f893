import type { Writable } from 'node:stream';
import type { DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { escapeControls, escapeLines } from '../../domain/shared/escape-controls.ts';

/** Duplicates of other messages, and routine of the browser pool. */
const REPEATED = new Set([
  'incoming request',
  'request refused or failed',
  'request abandoned',
  'browser started',
  'browser retired',
]);
const REPEATED_START = 'Server listening at ';

/** Requested continuously by monitors and console pages. */
const ROUTINE_PATH = /^\/(?:healthz|readyz|metrics|favicon\.\w+|(?:console|admin|docs)(?=[/?]|$))/;

/** Contained in the message, or only for programs. */
const HIDDEN_FIELDS = [
  'hostname',
  'pid',
  'reqId',
  'traceId',
  'spanId',
  'parentId',
  'req',
  'res',
  'responseTime',
  'failure',
  'target',
];

/** Messages keep the terminal's color, for light and dark themes. */
const LEVEL_COLORS = 'trace:gray,debug:blue,info:green,warn:yellow,error:red,fatal:bgRed,message:reset';

interface LogEntry {
  readonly msg?: string;
  readonly reqId?: string;
  readonly req?: { readonly method: string; readonly url: string };
  readonly res?: { readonly statusCode: number };
  readonly responseTime?: number;
  /** Host of the requested page. */
  readonly target?: string;
  readonly failure?: { readonly code: string; readonly stage: string; readonly reason: string };
}

export interface TerminalLogOptions {
  readonly colors: boolean;
  /** Prints repeated lines and routine requests, too. */
  readonly verbose: boolean;
}

/** Prints one short line per request or event. In-process, so that the last lines before a crash are printed. */
export function createTerminalLog(out: Writable, { colors, verbose }: TerminalLogOptions): DestinationStream {
  const format = prettyFactory({
    colorize: colors,
    customColors: LEVEL_COLORS,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    ignore: HIDDEN_FIELDS.join(','),
    messageFormat: (entry) => describe(entry),
  });
  return {
    write: (line) => {
      const entry = JSON.parse(line, escapeValue) as LogEntry;
      if (verbose || !isNoise(entry)) out.write(format(entry));
    },
  };
}

function isNoise({ msg = '', req, res }: LogEntry): boolean {
  if (REPEATED.has(msg) || msg.startsWith(REPEATED_START)) return true;
  return req !== undefined && res !== undefined && res.statusCode < 400 && ROUTINE_PATH.test(req.url);
}

function describe({ msg = '', reqId, req, res, responseTime, target, failure }: LogEntry): string {
  if (!req || !res) return msg;
  const took = responseTime === undefined ? '' : ` in ${Math.round(responseTime)} ms`;
  const reason = failure ? `: ${failure.code} (${failure.stage}): ${failure.reason}` : '';
  const page = target === undefined ? '' : ` (${target})`;
  const id = reqId === undefined ? '' : ` [${reqId}]`;
  return `${req.method} ${req.url}${page} ${res.statusCode}${took}${reason}${id}`;
}

/** A stack has lines, which are printed indented. Names of fields may be untrusted, such as those of headers. */
function escapeValue(key: string, value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [escapeControls(name), one]));
  if (typeof value !== 'string') return value;
  return key === 'stack' ? escapeLines(value) : escapeControls(value);
}
