/** The output of a batch: appendable JSON Lines, optionally gzipped. */
import { constants as bufferLimits } from 'node:buffer';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { escapeControls } from '../../domain/shared/escape-controls.ts';
import { CommandError, type CliIo } from '../support/cli-io.ts';
import { readLines } from './read-lines.ts';
import { isCompressionFault } from './read-warc.ts';

/** Milliseconds until compressed output is flushed, which bounds the loss after a kill. */
const FLUSH_MS = 1000;

/** A longer line is no text that this program wrote. */
const MAX_LINE_BYTES = bufferLimits.MAX_STRING_LENGTH;

export function resultKey(entry: { readonly id?: unknown; readonly line?: unknown }): string {
  return entry.id === null || entry.id === undefined ? `line:${String(entry.line)}` : JSON.stringify(entry.id);
}

/** The {@link resultKey}s of an earlier run, and whether their pages failed: have errors and no result. */
export type EarlierResults = Map<string, boolean>;

/** Returns the results of an earlier run. Removes a truncated last line, and everything after damage in a gzip file. */
export async function recoverResults(file: string): Promise<EarlierResults> {
  const keys: EarlierResults = new Map();
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size === 0) return keys;
  return isGzip(file) ? recoverGzip(file, keys) : recoverPlain(file, keys);
}

/** Appends lines; `write` resolves when the stream is ready. */
export interface ResultsWriter {
  write(line: string): Promise<void>;
  close(): Promise<void>;
}

export function openResultsWriter(file: string): ResultsWriter {
  const target = createWriteStream(file, { flags: 'a' });
  if (!isGzip(file)) return new StreamWriter(target, target);
  // Each run appends a gzip member.
  const gzip = createGzip();
  const flushing = setInterval(() => gzip.flush(constants.Z_SYNC_FLUSH), FLUSH_MS).unref();
  gzip.once('close', () => clearInterval(flushing));
  return new StreamWriter(gzip, target, pipeline(gzip, target));
}

/** Writes to standard output; on a terminal without characters that control it. */
export function openStreamWriter(stream: CliIo['stdout']): ResultsWriter {
  const writer = new StreamWriter(stream, undefined);
  return {
    write: (line) => writer.write(stream.isTTY === true ? escapeControls(line) : line),
    close: () => writer.close(),
  };
}

class StreamWriter implements ResultsWriter {
  readonly #stream: Writable;
  readonly #finished: Promise<void> | undefined;

  /** Without `target` the stream is not closed. */
  constructor(stream: Writable, target: Writable | undefined, done?: Promise<void>) {
    this.#stream = stream;
    this.#finished = target === undefined ? undefined : (done ?? finished(target));
    // The next write reports the failure.
    this.#finished?.catch(() => undefined);
  }

  async write(line: string): Promise<void> {
    if (this.#stream.errored) throw this.#stream.errored;
    if (this.#stream.write(`${line}\n`)) return;
    await Promise.race([
      new Promise((resolve) => this.#stream.once('drain', resolve)),
      this.#finished ?? new Promise(() => undefined),
    ]);
  }

  async close(): Promise<void> {
    if (this.#finished === undefined) return;
    this.#stream.end();
    await this.#finished;
  }
}

async function recoverPlain(file: string, keys: EarlierResults): Promise<EarlierResults> {
  const { endsAt, torn, lacksLineEnd } = await readKeys(createReadStream(file), keys, file);
  await using handle = await open(file, 'r+');
  if (torn) await handle.truncate(endsAt);
  else if (lacksLineEnd) await handle.write('\n', endsAt);
  return keys;
}

/** Rewrites the whole file, so only if it is damaged. */
async function recoverGzip(file: string, keys: EarlierResults): Promise<EarlierResults> {
  if (await isIntactGzip(file, keys)) return keys;
  keys.clear();
  const repaired = `${file}.repair`;
  const [gzip, target] = [createGzip(), createWriteStream(repaired)];
  const writer = new StreamWriter(gzip, target, pipeline(gzip, target));
  try {
    for await (const line of readLines(openUnzipped(file, constants.Z_SYNC_FLUSH), MAX_LINE_BYTES)) {
      const earlier = readEarlier(line.text);
      if (earlier === undefined) continue;
      note(keys, earlier);
      await writer.write(line.text ?? '');
    }
  } catch (error) {
    if (!isCompressionFault(error)) throw error;
  }
  await writer.close();
  await rename(repaired, file);
  return keys;
}

async function isIntactGzip(file: string, keys: EarlierResults): Promise<boolean> {
  try {
    const { torn, lacksLineEnd } = await readKeys(openUnzipped(file, constants.Z_FINISH), keys, file);
    return !torn && !lacksLineEnd;
  } catch (error) {
    if (isCompressionFault(error)) return false;
    throw error;
  }
}

interface WholeLines {
  /** End of the last complete line. */
  readonly endsAt: number;
  readonly torn: boolean;
  readonly lacksLineEnd: boolean;
}

/** Collects the keys of all lines. Only the last line may be invalid. */
async function readKeys(input: Readable, keys: EarlierResults, file: string): Promise<WholeLines> {
  let endsAt = 0;
  let lacksLineEnd = false;
  for await (const line of readLines(input, MAX_LINE_BYTES)) {
    const earlier = readEarlier(line.text);
    if (earlier === undefined) {
      if (line.ended || !looksTorn(line.text ?? '')) throw notOurs(file, line.number);
      return { endsAt, torn: true, lacksLineEnd: false };
    }
    note(keys, earlier);
    endsAt = line.endsAt;
    lacksLineEnd = !line.ended;
  }
  return { endsAt, torn: false, lacksLineEnd };
}

function note(keys: EarlierResults, { key, failed }: { readonly key: string; readonly failed: boolean }): void {
  keys.set(key, failed && keys.get(key) !== false);
}

/** Tests for a truncated result: every result starts with its id. */
function looksTorn(text: string): boolean {
  return text.startsWith(LINE_START) || LINE_START.startsWith(text);
}

const LINE_START = '{"id":';

function readEarlier(text: string | undefined): { readonly key: string; readonly failed: boolean } | undefined {
  try {
    const entry: unknown = JSON.parse(text ?? '');
    if (typeof entry !== 'object' || entry === null || !('id' in entry)) return undefined;
    const failed = 'error' in entry;
    return failed || 'result' in entry ? { key: resultKey(entry), failed } : undefined;
  } catch {
    return undefined;
  }
}

function notOurs(file: string, line: number): CommandError {
  return new CommandError(
    `${file}: line ${line} is not a result of a batch; the file is left alone, choose another --output`,
  );
}

export function isGzip(file: string): boolean {
  return file.endsWith('.gz');
}

/** Decompresses the file. `Z_FINISH` rejects a truncated end, `Z_SYNC_FLUSH` recovers it. */
function openUnzipped(file: string, finishFlush: number): Readable {
  const source = createReadStream(file);
  const gunzip = createGunzip({ finishFlush });
  source.once('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}
