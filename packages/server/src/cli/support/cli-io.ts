import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../../config/config.ts';
import { escapeControls, escapeLines } from '../../domain/shared/escape-controls.ts';
import { formatBytes } from '../../domain/shared/format-bytes.ts';

export interface CliIo {
  readonly stdin: Readable;
  readonly stdout: Writable & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    /** True for terminals with 16 colors; false with NO_COLOR. */
    readonly hasColors?: (environment: Environment) => boolean;
  };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly environment: Environment;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
}

export interface JsonFlag {
  readonly json?: true;
}

/** An error of the user: printed without a stack. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2 | 3;

  constructor(message: string, options: { readonly exitCode?: 1 | 2 | 3; readonly cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CommandError';
    this.exitCode = options.exitCode ?? 1;
  }
}

/** Writes one line; control characters in it are escaped. */
export function writeLine(stream: Writable, line: string): void {
  stream.write(`${escapeControls(line)}\n`);
}

/** Writes text of several lines. It is escaped for a terminal, and unchanged for a program or file. */
export function writeText(stream: CliIo['stdout'], text: string): void {
  stream.write(`${stream.isTTY === true ? escapeLines(text) : text}\n`);
}

export function writeJson(stream: Writable, value: unknown): void {
  stream.write(`${escapeLines(JSON.stringify(value, undefined, 2))}\n`);
}

export function writeStack(stream: Writable, error: unknown): void {
  if (!(error instanceof Error)) return writeLine(stream, `winnow: ${String(error)}`);
  writeLine(stream, `winnow: ${error.name}: ${error.message}`);
  for (const line of error.stack?.split('\n') ?? []) if (/^ {4}at /.test(line)) writeLine(stream, line);
}

/**
 * Writes rows as a table for people; on a terminal that is too narrow for it, each row as lines of names and values.
 * Control characters, which names from the console may contain, are escaped.
 */
export function writeTable(
  stream: CliIo['stdout'],
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const all = [head, ...rows].map((row) => row.map(escapeControls));
  const widths = head.map((_, column) => all.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0));
  const lines = all.map((row) => joinCells(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))));
  const { columns = Infinity } = stream.isTTY === true ? stream : {};
  const isFolded = lines.some((line) => line.length > columns);
  writeText(
    stream,
    isFolded
      ? all
          .slice(1)
          .map((row) => foldRow(head, row))
          .join('\n\n')
      : lines.join('\n'),
  );
}

function foldRow(head: readonly string[], row: readonly string[]): string {
  const width = Math.max(...head.map((name) => name.trim().length));
  return head.map((name, column) => joinCells([name.trim().padEnd(width), (row[column] ?? '').trim()])).join('\n');
}

function joinCells(cells: readonly string[]): string {
  return cells.join('  ').trimEnd();
}

/** `1 page`, `2 pages`. */
export function countThings(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/**
 * Reads standard input to its end.
 * @param limit the setting that bounds the size, for the message
 * @throws {CommandError} for more than `maxBytes`
 */
export async function readStdin({ stdin }: CliIo, maxBytes: number, limit?: string): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stdin as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > maxBytes)
      throw new CommandError(
        `standard input is larger than ${formatBytes(maxBytes)}${limit === undefined ? '' : ` (${limit})`}`,
      );
    parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts);
}
