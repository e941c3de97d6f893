/** Writes `docs/api.md` from the OpenAPI document, so that the reference states what the service checks. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildOpenApi } from '../../packages/contract/src/index.ts';
import type { CodeSample } from '../../packages/contract/src/index.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  /** Of a line of JSON Lines. */
  readonly contentSchema?: Schema;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, { schema: Schema }>> }>
  >;
  readonly 'x-codeSamples'?: readonly CodeSample[];
}

const FENCES: Readonly<Record<CodeSample['lang'], string>> = { Shell: 'sh', Python: 'python', TypeScript: 'ts' };

const document = buildOpenApi({ version: '0' }) as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const sections = Object.entries(document.paths).flatMap(([url, methods]) =>
  Object.entries(methods)
    .filter(([, { tags }]) => tags?.includes('console') !== true)
    .map(([method, operation]) => describeOperation(method, url, operation)),
);
writeFileSync(
  path.join(import.meta.dirname, '../api.md'),
  `# API\n\nThe running service has this reference at \`/docs\`, and the OpenAPI document at \`/openapi.json\`. In the samples, \`WINNOW_URL\` is\nthe address of the service and \`WINNOW_API_KEY\` a standalone key; the [Python client](../clients/python/README.md) and the\n[TypeScript client](../packages/client/README.md) say how they are installed.\n\n${sections.join('\n')}`,
);

function describeOperation(method: string, url: string, operation: Operation): string {
  const { summary, description = '', parameters = [], requestBody, responses } = operation;
  const inputs = parameters.map(
    ({ name, in: place, required = false, description: text = '', schema }) =>
      `| \`${name}\` (${place}) | ${nameType(schema)} | ${required ? 'required. ' : ''}${escapeCell(text)} |`,
  );
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const answer = Object.entries(responses).find(([status]) => status.startsWith('2'));
  const content = Object.values(answer?.[1].content ?? {})[0]?.schema;
  const answered = content?.contentSchema ?? content;
  return [
    `## \`${method.toUpperCase()} ${url}\`\n`,
    `${summary}.\n`,
    description === '' ? '' : `${description}\n`,
    groupSamples(operation['x-codeSamples'] ?? []),
    inputs.length === 0 ? '' : `| parameter | type | meaning |\n| --- | --- | --- |\n${inputs.join('\n')}\n`,
    body === undefined ? '' : `### Request\n\n${tabulate(body)}`,
    answered === undefined ? '' : `### Answer ${answer?.[0]}\n\n${tabulate(answered)}`,
  ].join('\n');
}

/** A tab for each language. */
function groupSamples(samples: readonly CodeSample[]): string {
  if (samples.length === 0) return '';
  const blocks = samples.map(({ lang, label, source }) => `\`\`\`${FENCES[lang]} [${label}]\n${source}\n\`\`\``);
  return `::: code-group\n\n${blocks.join('\n\n')}\n\n:::\n`;
}

function tabulate(schema: Schema): string {
  const rows = listFields(schema, '', new Set());
  return rows.length === 0
    ? `${nameType(schema)}\n`
    : `| field | type | meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

/** A row for each field, with the fields of objects below it; a schema that contains itself is named once. */
function listFields(schema: Schema, prefix: string, above: ReadonlySet<Schema>): string[] {
  const target = resolve(schema);
  if (above.has(target)) return [];
  const within = new Set([...above, target]);
  const alternatives = [...(target.anyOf ?? []), ...(target.oneOf ?? [])];
  if (target.items) return listFields(target.items, `${prefix}[]`, within);
  if (!target.properties) return alternatives.flatMap((one) => listFields(one, prefix, within));
  return Object.entries(target.properties).flatMap(([name, field]) => {
    const full = prefix === '' ? name : `${prefix}.${name}`;
    const { description = '', default: preset } = { ...resolve(field), ...field };
    const notes = [
      target.required?.includes(name) === true ? 'Required.' : '',
      preset === undefined ? '' : `Default: \`${JSON.stringify(preset)}\`.`,
    ];
    const meaning = [escapeCell(description), ...notes].filter(Boolean).join(' ');
    return [`| \`${full}\` | ${nameType(field)} | ${meaning} |`, ...listFields(field, full, within)];
  });
}

function resolve(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

function nameType(schema: Schema): string {
  const target = resolve(schema);
  if (target.const !== undefined) return `\`${JSON.stringify(target.const)}\``;
  if (target.enum) return target.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const alternatives = [...(target.anyOf ?? []), ...(target.oneOf ?? [])];
  if (alternatives.length > 0) return [...new Set(alternatives.map(nameType))].join(' or ');
  if (target.items) return `list of ${nameType(target.items)}`;
  return typeof target.type === 'string' ? target.type : (target.type ?? ['object']).join(' or ');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;').replaceAll('{{', '{ {');
}
