import { formatPath } from '@winnow/contract/format-path';
import { AppError } from './errors.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses in linear time.
 * @throws {AppError} `invalid_request`, naming the position or the limit
 */
export function parseJsonText(body: Uint8Array): unknown {
  if (body.length === 0) throw new AppError('invalid_request', 'body: is empty; a JSON object is required');
  checkJsonStructure(body);
  let text: string;
  try {
    text = decoder.decode(body);
  } catch (error) {
    throw new AppError('invalid_request', 'body: is not valid UTF-8', { cause: error });
  }
  const value = parseText(text);
  refuseNulInBody(value, text);
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AppError('invalid_request', `body: malformed JSON: ${describeFault(error, text)}`, { cause: error });
  }
}

/** Returns the parser's message without its quote of the body. */
function describeFault(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : 'not JSON';
  if (/ at position \d+/.test(message)) return message;
  if (message.startsWith('Unexpected end')) return `unexpected end at position ${text.length}`;
  return `unexpected token at position ${findFault(text)}`;
}

const WORDS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

/** Finds the position that the parser omits: the first place without a valid start of a value. */
function findFault(text: string): number {
  let last = ',';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (SPACE.includes(character)) continue;
    const isValueDue = ',:['.includes(last);
    if (character === '"') at = findEndOfString(text, at);
    else if (',:]}'.includes(character)) {
      if (isValueDue && (last !== '[' || character !== ']')) return at;
    } else if (isValueDue && !OPENING.includes(character)) {
      const word = WORDS[character];
      if (word === undefined) return at;
      for (const letter of word) {
        if (text[at] !== letter) return at;
        at += 1;
      }
      at -= 1;
    }
    last = character;
  }
  return text.length;
}

const OPENING = '{[-0123456789';
const SPACE = ' \t\n\r';

function findEndOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

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
    if (byte === QUOTE) at = skipString(bytes, at);
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

function skipString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function refuse(fault: string): AppError {
  return new AppError('invalid_request', `body: ${fault}`);
}

/**
 * @param text the unparsed body, for a fast exit
 * @throws {AppError} `invalid_request`, naming the JSON path
 */
export function refuseNulInBody(body: unknown, text: string): void {
  // A match may also be an escaped backslash.
  if (!text.includes('\\u0000')) return;
  const path = findNul(body);
  if (path !== undefined) throw nulIn(formatPath(path.steps, 'body'), path.position);
}

interface Node {
  readonly value: unknown;
  readonly step: PropertyKey | undefined;
  readonly parent: Node | undefined;
}

interface NulPlace {
  readonly steps: readonly PropertyKey[];
  /** Undefined for field names. */
  readonly position: number | undefined;
}

const MAX_STEPS = 20;

/** Searches without recursion, since bodies nest deeply. */
function findNul(root: unknown): NulPlace | undefined {
  const waiting: Node[] = [{ value: root, step: undefined, parent: undefined }];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const { value } = node;
    if (typeof value === 'string') {
      if (value.includes('\0')) return { steps: pathTo(node), position: value.indexOf('\0') };
    } else if (Array.isArray(value)) {
      for (let step = value.length - 1; step >= 0; step -= 1) {
        waiting.push({ value: value[step] as unknown, step, parent: node });
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [step, item] of Object.entries(value).toReversed()) {
        if (step.includes('\0')) return { steps: pathTo(node), position: undefined };
        waiting.push({ value: item, step, parent: node });
      }
    }
  }
  return undefined;
}

function pathTo(node: Node): PropertyKey[] {
  const steps: PropertyKey[] = [];
  for (let at: Node | undefined = node; at?.step !== undefined; at = at.parent) steps.push(at.step);
  return steps.toReversed().slice(0, MAX_STEPS);
}

export function nulIn(place: string, position?: number): AppError {
  const where = position === undefined ? '' : ` at position ${position}`;
  return new AppError('invalid_request', `${place}: contains the control character U+0000${where}`);
}
