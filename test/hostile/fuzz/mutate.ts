/** Seeded changes of bytes, tokens, elements and JSON values. */
import type { Random } from './random.ts';

/** Texts that parsers and programs read wrongly. */
const NASTY_TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  '\uFEFF',
  '\uFFFD',
  '\u2028',
  '\u202E',
  '\u200D\u{1F468}\u200D\u{1F469}',
  'e\u0301\u0323'.repeat(200),
  '\u001B[2J\u001B]0;owned\u0007',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'null',
  'undefined',
  'NaN',
  '[object Object]',
  '%s%n%d',
  '%00',
  '%',
  '../../../../etc/passwd',
  'file:///etc/passwd',
  'http://',
  'http://[::',
  'http://a@b:99999/\\..',
  '//',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'mailto:',
  'http://xn--/',
  'http://a.example/'.concat('%E0%A4%A'.repeat(50)),
  '0000-00-00T99:99:99+99:99',
  '31 February 99999',
  'Mon, 32 Foo -1 25:61:61 GMT',
  '<![CDATA[',
  ']]>',
  '<!--',
  '-->',
  '<!DOCTYPE a [<!ENTITY b "&b;&b;">]>&b;',
  '&#x110000;&#0;&#xD800;&notit;&;',
  '</script>',
  '</title></style></textarea></template>',
  '"\'`\\',
  '(((((((((',
  ')]}>',
  '\r\n\r\n',
  '\n',
  '*/',
  '/*',
  '${1}{{1}}<%=1%>',
  "' OR 1=1 --",
  '\\href{javascript:alert(1)}{x}',
  '$$\\frac{\\sqrt{\\sum}}{}$$',
  '| - | - |',
  '```',
  'a'.repeat(5000),
  'İıſK',
  '٣٤٥۶',
];

const NASTY_NUMBERS: readonly string[] = [
  '0',
  '-0',
  '-1',
  '1',
  '127',
  '255',
  '256',
  '32768',
  '65535',
  '65536',
  '1000000',
  '2147483647',
  '2147483648',
  '-2147483648',
  '4294967295',
  '4294967296',
  '9007199254740993',
  '18446744073709551616',
  '1e308',
  '1e-308',
  '1e999',
  '0.1',
  '.5',
  '1.',
  '0x7fffffff',
  '007',
];

const NASTY_BYTES: readonly number[] = [0, 1, 9, 10, 13, 27, 32, 34, 39, 60, 62, 127, 128, 192, 224, 239, 254, 255];

/** Longest input after one repetition, in bytes. */
const USUAL_LENGTH = 100_000;
const RARE_LENGTH = 1_500_000;

/** What a mutation may take from. */
export interface Vocabulary {
  /** Whole inputs of the same kind. */
  readonly corpus: readonly Buffer[];
  /** Words of the format. */
  readonly words: readonly string[];
  /** Pairs of texts that enclose others, such as tags. */
  readonly pairs: readonly (readonly [open: string, close: string])[];
}

/** Returns one of the corpus after up to `most` changes; about one in a hundred is unchanged. */
export function mutate(random: Random, vocabulary: Vocabulary, most = 12): Buffer {
  let input = random.pick(vocabulary.corpus);
  if (random.chance(0.01)) return input;
  const steps = random.small(most);
  for (let step = 0; step < steps; step += 1)
    input = random.chance(0.25) ? mutateBytes(random, input, vocabulary) : mutateTokens(random, input, vocabulary);
  return input;
}

export function nastyText(random: Random): string {
  return random.chance(0.3) ? random.pick(NASTY_NUMBERS) : random.pick(NASTY_TEXTS);
}

export function mutateBytes(random: Random, input: Buffer, { corpus }: Pick<Vocabulary, 'corpus'>): Buffer {
  const at = random.below(input.length + 1);
  const end = Math.min(input.length, at + random.small(200));
  switch (random.below(7)) {
    case 0: {
      const copy = Buffer.from(input);
      if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
      return copy;
    }
    case 1: {
      const copy = Buffer.from(input);
      copy.fill(random.pick(NASTY_BYTES), at, end);
      return copy;
    }
    case 2:
      return Buffer.concat([input.subarray(0, at), input.subarray(end)]);
    case 3:
      return Buffer.concat([input.subarray(0, at), Buffer.from(nastyText(random)), input.subarray(at)]);
    case 4:
      return repeatRange(random, input, at, end);
    case 5: {
      const other = random.pick(corpus);
      return Buffer.concat([input.subarray(0, at), other.subarray(random.below(other.length))]);
    }
    default:
      return random.chance(0.3) ? input.subarray(0, at) : Buffer.concat([input.subarray(end), input.subarray(0, end)]);
  }
}

/** A name, a number, white space, or one other character. */
const TOKEN = /[A-Za-z_][\w-]*|\d+|\s+|[^\w\s]/gu;
/** Longer inputs are changed in a window of this length. */
const WINDOW = 20_000;

function mutateTokens(random: Random, input: Buffer, { corpus, words, pairs }: Vocabulary): Buffer {
  const from = input.length <= WINDOW ? 0 : random.below(input.length - WINDOW);
  const tokens = input.toString('latin1', from, from + WINDOW).match(TOKEN) ?? [];
  const at = random.below(tokens.length + 1);
  const end = Math.min(tokens.length, at + random.small(60));
  const within = tokens.slice(at, end);
  const insert = (...texts: string[]): void => void tokens.splice(at, 0, ...texts.map(toLatin1));
  const replace = (text: string): void => void tokens.splice(at, 1, toLatin1(text));
  switch (random.below(10)) {
    case 0:
      tokens.splice(at, end - at);
      break;
    case 1:
      replace(random.pick(words));
      break;
    case 2:
      insert(random.pick(words));
      break;
    case 3: {
      const place = tokens.findIndex((token, index) => index >= at && /^\d/.test(token));
      if (place === -1) insert(random.pick(NASTY_NUMBERS));
      else tokens[place] = random.pick(NASTY_NUMBERS);
      break;
    }
    case 4:
      replace(nastyText(random));
      break;
    case 5:
      tokens.splice(random.below(tokens.length + 1), 0, ...within);
      break;
    case 6: {
      const [open, close] = random.pick(pairs);
      const depth = random.chance(0.1) ? random.small(20_000) : random.small(4);
      tokens.splice(at, end - at, open.repeat(depth), ...within, close.repeat(random.chance(0.8) ? depth : 0));
      break;
    }
    case 7: {
      const repeated = repeatRange(random, Buffer.from(within.join(''), 'latin1'), 0, within.join('').length);
      insert(repeated.toString('latin1'));
      break;
    }
    case 8: {
      const other = random.pick(corpus);
      const start = random.below(other.length);
      insert(other.toString('latin1', start, start + random.small(2000)));
      break;
    }
    default: {
      const word = random.pick(words);
      insert(word.repeat(random.chance(0.1) ? random.small(5000) : random.small(10)));
    }
  }
  return Buffer.concat([
    input.subarray(0, from),
    Buffer.from(tokens.join(''), 'latin1'),
    input.subarray(Math.min(input.length, from + WINDOW)),
  ]);
}

function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function repeatRange(random: Random, input: Buffer, at: number, end: number): Buffer {
  const part = input.subarray(at, end);
  if (part.length === 0) return input;
  const longest = random.chance(0.05) ? RARE_LENGTH : USUAL_LENGTH;
  const most = Math.max(1, Math.floor((longest - input.length) / part.length));
  const times = Math.max(1, random.chance(0.1) ? most : Math.min(most, random.small(200)));
  return Buffer.concat([input.subarray(0, at), ...Array.from({ length: times }, () => part), input.subarray(at)]);
}

/** Returns a changed deep copy of a JSON value. */
export function mutateJson(random: Random, value: unknown, others: readonly unknown[]): unknown {
  const copy = structuredClone(value);
  if (random.chance(0.02)) return makeJson(random, others);
  const steps = random.small(4);
  for (let step = 0; step < steps; step += 1) changeIn(random, copy, others);
  return copy;
}

function changeIn(random: Random, value: unknown, others: readonly unknown[]): void {
  if (value === null || typeof value !== 'object') return;
  const holder = value as Record<string, unknown>;
  const names = Object.keys(holder);
  const name = names.length === 0 ? 'a' : random.pick(names);
  const held = holder[name];
  if (held !== null && typeof held === 'object' && random.chance(0.85)) return changeIn(random, held, others);
  const set = (key: string, to: unknown): void =>
    void Object.defineProperty(holder, key, { value: to, enumerable: true, configurable: true, writable: true });
  switch (random.below(6)) {
    case 0:
      delete holder[name];
      break;
    case 1:
      // An index such as 4294967294 would make an array of that length.
      set(Array.isArray(value) ? '0' : nastyText(random), makeJson(random, others));
      break;
    case 2:
      set(name, Array.isArray(held) ? [...(held as unknown[]), ...(held as unknown[])] : [held]);
      break;
    case 3:
      set(name, typeof held === 'string' ? changeString(random, held) : makeJson(random, others));
      break;
    default:
      set(name, makeJson(random, others));
  }
}

function changeString(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  return random.chance(0.5)
    ? text.slice(0, at) + nastyText(random) + text.slice(at)
    : text.slice(0, at) + text.slice(at + random.small(5));
}

function makeJson(random: Random, others: readonly unknown[]): unknown {
  switch (random.below(9)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return Number(random.pick(NASTY_NUMBERS));
    case 3:
      return nest(random.chance(0.1) ? random.small(3000) : random.small(5), random.chance(0.5));
    case 4:
      return Array.from({ length: random.chance(0.1) ? random.small(20_000) : random.small(5) }, () => 'a');
    case 5:
      return {};
    case 6:
      return structuredClone(random.pick(others));
    case 7:
      return '\uD800';
    default:
      return nastyText(random);
  }
}

function nest(depth: number, inArrays: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = inArrays ? [value] : { a: value };
  return value;
}
