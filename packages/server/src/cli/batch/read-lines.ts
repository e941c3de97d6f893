import type { Readable } from 'node:stream';

export interface InputLine {
  /** From 1. */
  readonly number: number;
  /** Without its line end; undefined if too long. */
  readonly text: string | undefined;
  /** Input bytes including this line. */
  readonly endsAt: number;
  /** False for a last line without a line end. */
  readonly ended: boolean;
}

const NEWLINE = 0x0a;

/** Splits a stream into lines, holding one line and one chunk. Drops a byte order mark. */
export async function* readLines(input: Readable, maxLineBytes: number): AsyncGenerator<InputLine> {
  let number = 0;
  let position = 0;
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer): void => {
    length += part.length;
    if (length <= maxLineBytes) parts.push(part);
    else parts = [];
  };
  const take = (ended: boolean): InputLine => {
    number += 1;
    const text = length <= maxLineBytes ? decodeLine(parts, number) : undefined;
    parts = [];
    length = 0;
    return { number, text, endsAt: position, ended };
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      position += end + 1 - start;
      start = end + 1;
      yield take(true);
    }
    add(chunk.subarray(start));
    position += chunk.length - start;
  }
  if (length > 0) yield take(false);
}

function decodeLine(parts: readonly Buffer[], number: number): string {
  const text = Buffer.concat(parts).toString('utf8');
  return number === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
}
