import { AppError } from '../shared/errors.ts';

/** The deepest valid body has 12 levels. */
export const MAX_JSON_DEPTH = 64;

/** Enough for a batch of 100,000 items. */
export const MAX_JSON_VALUES = 250_000;

/** A template has a few hundred. */
export const MAX_JSON_FIELDS = 10_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Checks limits before parsing: 32 MiB of `[[[[…` would take seconds and 1.4 GiB.
 * @throws {AppError} `invalid_request` naming the limit
 */
export function checkJsonStructure(bytes: Uint8Array): void {
  let [depth, values, fields] = [0, 1, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = findEndOfString(bytes, at);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      values += 1;
      if (depth > MAX_JSON_DEPTH) throw refuse(`nests deeper than ${MAX_JSON_DEPTH} levels`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COMMA) values += 1;
    else if (byte === COLON) fields += 1;
    if (values > MAX_JSON_VALUES) throw refuse(`has more than ${MAX_JSON_VALUES} values`);
    if (fields > MAX_JSON_FIELDS) throw refuse(`has more than ${MAX_JSON_FIELDS} fields`);
  }
}

function findEndOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function refuse(fault: string): AppError {
  return new AppError('invalid_request', `body: ${fault}`);
}
