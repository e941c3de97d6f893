/** Samples of a call in curl, Python and TypeScript, for the operations that the clients have a method for. */
import type { Operation } from '../shared/operation.ts';

export interface CodeSample {
  /** As `x-codeSamples` names languages. */
  readonly lang: 'Shell' | 'Python' | 'TypeScript';
  readonly label: string;
  readonly source: string;
}

/** Not written out: the build of the service's package replaces names in quotes by paths. */
const CLIENT = 'client';

/** In the place of ids, as the schemas have them. */
const IDS: Readonly<Record<string, string>> = {
  dom_id: 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K',
  id: 'bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K',
};

/** @returns an empty list for an operation without a method of the clients */
export function writeSamples(operation: Operation): CodeSample[] {
  if (operation.client === undefined) return [];
  return [
    { lang: 'Shell', label: 'curl', source: writeCurl(operation) },
    { lang: 'Python', label: 'Python', source: writePython(operation, operation.client) },
    { lang: 'TypeScript', label: 'TypeScript', source: writeTypeScript(operation, operation.client) },
  ];
}

function writeCurl({ method, path, example, response, responseLine }: Operation): string {
  const url = path.replaceAll(/:(\w+)/g, (_, name: string) => IDS[name] ?? '');
  return [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}"$WINNOW_URL${url}"`,
    '-H "X-API-Key: $WINNOW_API_KEY"',
    ...(response === undefined && responseLine === undefined ? [`--output ${path.split('/').at(-1)}`] : []),
    ...(example === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(example).replaceAll("'", String.raw`'\''`)}'`]),
  ].join(' \\\n  ');
}

function writePython(operation: Operation, name: string): string {
  const method = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const call = `winnow.${method}(${listArguments(operation, writePythonValue)})`;
  const use = describeUse(operation, {
    lines: `for line in ${call}:\n    print(line)`,
    bytes: `file = ${call}\nprint(len(file), "bytes")`,
    json: `answer = ${call}\nprint(answer)`,
  });
  return `import os
from winnow import Winnow

winnow = Winnow(os.environ["WINNOW_URL"], os.environ["WINNOW_API_KEY"])
${use}`;
}

function writeTypeScript(operation: Operation, name: string): string {
  const call = `winnow.${name}(${listArguments(operation, writeTypeScriptValue)})`;
  const use = describeUse(operation, {
    lines: `for await (const line of ${call}) console.log(line);`,
    bytes: `const file = await ${call};\nconsole.log(file.length, 'bytes');`,
    json: `const answer = await ${call};\nconsole.log(answer);`,
  });
  return `import { WinnowClient } from '@winnow/${CLIENT}';

const winnow = new WinnowClient({ baseUrl: process.env.WINNOW_URL ?? '', apiKey: process.env.WINNOW_API_KEY ?? '' });
${use}`;
}

function describeUse(
  { response, responseLine }: Operation,
  uses: Readonly<Record<'lines' | 'bytes' | 'json', string>>,
): string {
  if (responseLine !== undefined) return uses.lines;
  return response === undefined ? uses.bytes : uses.json;
}

function listArguments({ path, example }: Operation, write: (value: unknown, indent: string) => string): string {
  const ids = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => IDS[name]);
  return [...ids, ...(example === undefined ? [] : [example])].map((value) => write(value, '')).join(', ');
}

/** Longer lists and objects have a line for each part. */
const MAX_LINE = 60;

interface Notation {
  readonly indent: string;
  readonly word: (value: unknown) => string;
  readonly key: (name: string) => string;
  /** Inside the braces of an object. */
  readonly space: string;
}

const PYTHON: Notation = {
  indent: '    ',
  word: (value) => (value === true ? 'True' : value === false ? 'False' : JSON.stringify(value)),
  key: (name) => JSON.stringify(name),
  space: '',
};

const TYPESCRIPT: Notation = {
  indent: '  ',
  word: (value) => (typeof value === 'string' ? `'${value.replaceAll("'", String.raw`\'`)}'` : JSON.stringify(value)),
  key: (name) => name,
  space: ' ',
};

function writePythonValue(value: unknown, indent: string): string {
  return writeValue(value, indent, PYTHON);
}

function writeTypeScriptValue(value: unknown, indent: string): string {
  return writeValue(value, indent, TYPESCRIPT);
}

function writeValue(value: unknown, indent: string, notation: Notation): string {
  if (typeof value !== 'object' || value === null) return notation.word(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const write = (within: string): string[] =>
    isList
      ? value.map((one) => writeValue(one, within, notation))
      : Object.entries(value).map(([name, one]) => `${notation.key(name)}: ${writeValue(one, within, notation)}`);
  const space = isList ? '' : notation.space;
  const line = `${open}${space}${write(indent).join(', ')}${space}${close}`;
  if (line.length <= MAX_LINE && !line.includes('\n')) return line;
  const within = indent + notation.indent;
  return `${open}\n${write(within)
    .map((part) => `${within}${part},\n`)
    .join('')}${indent}${close}`;
}
