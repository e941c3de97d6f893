import { AppError } from '../shared/errors.ts';
import { checkJsonStructure } from './json-structure.ts';
import { refuseNulInBody } from './refuse-nul-in-body.ts';

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
