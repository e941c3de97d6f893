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

/** What a sample needs of an operation; only the presence of the schemas of its answer counts. */
type SampledCall = Pick<Operation, 'method' | 'path' | 'client' | 'example'> & {
  readonly response?: unknown;
  readonly responseLine?: unknown;
};

/** Written into the samples; without it they read the environment. */
export interface SampleTarget {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** With a project key. */
  readonly projectId?: string | undefined;
  readonly cacheControl?: string | undefined;
}

/** In the place of ids, as the schemas have them. */
const IDS: Readonly<Record<string, string>> = {
  dom_id: 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K',
  id: 'bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K',
};

/** @returns an empty list for an operation without a method of the clients */
export function writeSamples(operation: SampledCall, target?: SampleTarget): CodeSample[] {
  if (operation.client === undefined) return [];
  return [
    { lang: 'Shell', label: 'curl', source: writeCurl(operation, target) },
    { lang: 'Python', label: 'Python', source: writePython(operation, operation.client, target) },
    { lang: 'TypeScript', label: 'TypeScript', source: writeTypeScript(operation, operation.client, target) },
  ];
}

function writeCurl({ method, path, example, response, responseLine }: SampledCall, target?: SampleTarget): string {
  const address = path.replaceAll(/:(\w+)/g, (_, name: string) => IDS[name] ?? '');
  const url = target === undefined ? `"$WINNOW_URL${address}"` : quoteForShell(target.baseUrl + address);
  const key = target === undefined ? '"X-API-Key: $WINNOW_API_KEY"' : quoteForShell(`X-API-Key: ${target.apiKey}`);
  const headers = [
    ...(target?.projectId === undefined ? [] : [`X-Project-Id: ${target.projectId}`]),
    ...(target?.cacheControl === undefined ? [] : [`Cache-Control: ${target.cacheControl}`]),
    ...(example === undefined ? [] : ['Content-Type: application/json']),
  ];
  return [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${url}`,
    `-H ${key}`,
    ...(response === undefined && responseLine === undefined ? [`--output ${path.split('/').at(-1)}`] : []),
    ...headers.map((header) => `-H ${quoteForShell(header)}`),
    ...(example === undefined ? [] : [`-d ${quoteForShell(writeJson(example))}`]),
  ].join(' \\\n  ');
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function writeJson(value: unknown): string {
  return JSON.stringify(value).length <= MAX_LINE ? JSON.stringify(value) : writeValue(value, '', JSON_TEXT);
}

function writePython(operation: SampledCall, name: string, target?: SampleTarget): string {
  const method = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const { cacheControl, projectId } = target ?? {};
  const options = cacheControl === undefined ? '' : `, cache_control=${writePythonValue(cacheControl, '')}`;
  const call = `winnow.${method}(${listArguments(operation, writePythonValue)}${options})`;
  const use = describeUse(operation, {
    lines: `for line in ${call}:\n    print(line)`,
    bytes: `file = ${call}\nprint(len(file), "bytes")`,
    json: `answer = ${call}\nprint(answer)`,
  });
  if (target === undefined) {
    return `import os
from winnow import Winnow

winnow = Winnow(os.environ["WINNOW_URL"], os.environ["WINNOW_API_KEY"])
${use}`;
  }
  const project = projectId === undefined ? '' : `, project_id=${writePythonValue(projectId, '')}`;
  return `from winnow import Winnow

winnow = Winnow(${writePythonValue(target.baseUrl, '')}, ${writePythonValue(target.apiKey, '')}${project})
${use}`;
}

function writeTypeScript(operation: SampledCall, name: string, target?: SampleTarget): string {
  const { cacheControl } = target ?? {};
  const options = cacheControl === undefined ? '' : `, ${writeTypeScriptValue({ cacheControl }, '')}`;
  const call = `winnow.${name}(${listArguments(operation, writeTypeScriptValue)}${options})`;
  const use = describeUse(operation, {
    lines: `for await (const line of ${call}) console.log(line);`,
    bytes: `const file = await ${call};\nconsole.log(file.length, 'bytes');`,
    json: `const answer = await ${call};\nconsole.log(answer);`,
  });
  return `import { WinnowClient } from '@winnow/${CLIENT}';

const winnow = new WinnowClient(${target === undefined ? ENVIRONMENT : writeClientOptions(target)});
${use}`;
}

const ENVIRONMENT = "{ baseUrl: process.env.WINNOW_URL ?? '', apiKey: process.env.WINNOW_API_KEY ?? '' }";

function writeClientOptions({ baseUrl, apiKey, projectId }: SampleTarget): string {
  return writeTypeScriptValue({ baseUrl, apiKey, ...(projectId === undefined ? {} : { projectId }) }, '');
}

function describeUse(
  { response, responseLine }: SampledCall,
  uses: Readonly<Record<'lines' | 'bytes' | 'json', string>>,
): string {
  if (responseLine !== undefined) return uses.lines;
  return response === undefined ? uses.bytes : uses.json;
}

function listArguments({ path, example }: SampledCall, write: (value: unknown, indent: string) => string): string {
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
  /** After the last part of several lines. */
  readonly end: string;
}

const JSON_TEXT: Notation = {
  indent: '  ',
  word: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  space: '',
  end: '',
};

const PYTHON: Notation = {
  indent: '    ',
  word: (value) =>
    value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  space: '',
  end: ',',
};

const TYPESCRIPT: Notation = {
  indent: '  ',
  word: (value) => (typeof value === 'string' ? quoteForScript(value) : JSON.stringify(value)),
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : quoteForScript(name)),
  space: ' ',
  end: ',',
};

function quoteForScript(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1);
  return `'${inner.replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`;
}

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
  const parts = write(within)
    .map((part) => within + part)
    .join(',\n');
  return `${open}\n${parts}${notation.end}\n${indent}${close}`;
}
