import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../../config/config.ts';

/** Process streams and signals, replaceable in tests. */
export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: Writable & {
    readonly isTTY?: boolean;
    /** True for terminals with 16 colors; false with NO_COLOR. */
    readonly hasColors?: (environment: Environment) => boolean;
  };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly environment: Environment;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

/** An error of the user: printed without a stack. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, options: { readonly exitCode?: 1 | 2; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CommandError';
    this.exitCode = options.exitCode ?? 1;
  }
}

export function writeLine(stream: Writable, line: string): void {
  stream.write(`${line}\n`);
}

export function writeJson(stream: Writable, value: unknown): void {
  writeLine(stream, JSON.stringify(value, undefined, 2));
}
