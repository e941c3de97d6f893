import { batchItemLineSchema, batchOptionsLineSchema, MAX_BATCH_ITEMS, validate, withoutUnset } from '@winnow/contract';
import type { BatchItemLine, BatchOptionsLine, RequestSchemaOptions } from '@winnow/contract';
import { AppError } from '../../domain/shared/errors.ts';
import { parseJsonText } from '../../domain/json/parse-json-text.ts';
import type { BatchTarget } from '../../domain/batches/batch-ports.ts';

/**
 * Reads a batch of JSON Lines in slices.
 * @throws {AppError} `invalid_request`, naming the line
 */
export async function readBatchLines(
  body: Buffer,
  options: RequestSchemaOptions,
): Promise<{ targets: BatchTarget[]; options: BatchOptionsLine }> {
  const reader = new LineReader(options);
  let number = 0;
  let sinceYield = 0;
  for (let start = 0; start < body.length;) {
    const found = body.indexOf(NEW_LINE, start);
    const end = found === -1 ? body.length : found;
    number += 1;
    reader.take(body.subarray(start, end), number);
    sinceYield += end - start + LINE_COST_BYTES;
    start = end + 1;
    if (sinceYield < BYTES_AT_ONCE) continue;
    sinceYield = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return reader.end();
}

const NEW_LINE = 0x0a;

/** Bytes per slice, and overhead per line. */
const BYTES_AT_ONCE = 256 * 1024;
const LINE_COST_BYTES = 256;

/** An item with the longest URL, fully escaped, is shorter. */
const MAX_LINE_BYTES = 512 * 1024;

class LineReader {
  readonly #itemSchema: ReturnType<typeof batchItemLineSchema>;
  readonly #optionsSchema: ReturnType<typeof batchOptionsLineSchema>;
  readonly #targets: BatchTarget[] = [];
  #options: BatchOptionsLine | undefined;

  constructor(options: RequestSchemaOptions) {
    this.#itemSchema = batchItemLineSchema(options);
    this.#optionsSchema = batchOptionsLineSchema(options);
  }

  take(bytes: Uint8Array, number: number): void {
    if (bytes.every(isBlank)) return;
    const value = parseLine(bytes, number);
    const isItem = typeof value === 'object' && value !== null && ('url' in value || 'dom_id' in value);
    if (!isItem && this.#targets.length === 0 && this.#options === undefined) {
      const checked = validate(this.#optionsSchema, withoutUnset(this.#optionsSchema, value), 'the options');
      if (!checked.ok) throw refuse(number, checked.message);
      this.#options = checked.value;
      return;
    }
    const checked = validate(this.#itemSchema, withoutUnset(this.#itemSchema, value), 'the item');
    if (!checked.ok) throw refuse(number, checked.message);
    if (this.#targets.length === MAX_BATCH_ITEMS) throw refuse(number, `a batch has at most ${MAX_BATCH_ITEMS} items`);
    this.#targets.push(toTarget(checked.value));
  }

  end(): { targets: BatchTarget[]; options: BatchOptionsLine } {
    if (this.#targets.length === 0) throw new AppError('invalid_request', 'body: needs at least one line with an item');
    return { targets: this.#targets, options: this.#options ?? {} };
  }
}

function parseLine(bytes: Uint8Array, number: number): unknown {
  if (bytes.length > MAX_LINE_BYTES) throw refuse(number, `must have at most ${MAX_LINE_BYTES} bytes`);
  try {
    return parseJsonText(bytes);
  } catch (error) {
    if (error instanceof AppError) throw refuse(number, error.message.replace(/^body: /, ''), error);
    throw error;
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function toTarget({ url, dom_id: domId }: BatchItemLine): BatchTarget {
  return url === undefined ? { kind: 'dom_id', value: domId ?? '' } : { kind: 'url', value: url };
}

function refuse(number: number, fault: string, cause?: unknown): AppError {
  return new AppError('invalid_request', `line ${number}: ${fault}`, { cause });
}
