/**
 * Turns the schemas of the OpenAPI document into the typed dictionaries of the Python client.
 * Used by `scripts/write-docs.mjs`, which writes the file, and by the test that refuses an outdated one.
 */
import { buildOpenApi } from '../../packages/contract/src/index.ts';

/** A JSON Schema, as far as the contract uses it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

/** The schemas that the client's methods take and return; the schemas they refer to follow. */
const ROOTS = [
  'ExtractRequest',
  'ExtractResponse',
  'DumpRequest',
  'DumpResponse',
  'SnapshotRequest',
  'CreateSnapshotResponse',
  'BatchRequest',
  'CrawlRequest',
  'Batch',
  'BatchLine',
  'DeletedResponse',
  'ErrorResponse',
  'HealthResponse',
  'ReadyResponse',
];

const HEADER = `"""Types of the requests and responses, generated from the OpenAPI document. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
`;

/** Returns the text of `winnow/types.py`. Throws Error for a schema that names an unknown one. */
export function generatePythonTypes(): string {
  const document = buildOpenApi({ version: '1' }) as unknown as { components: { schemas: Record<string, Schema> } };
  const writer = new TypeWriter(document.components.schemas);
  for (const name of ROOTS) writer.addNamed(name);
  return `${HEADER}\n\n${writer.classes.join('\n\n')}`;
}

class TypeWriter {
  readonly classes: string[] = [];
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #done = new Set<string>();

  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.#schemas = schemas;
  }

  addNamed(name: string): void {
    const schema = this.#schemas[name];
    if (schema === undefined) throw new Error(`the OpenAPI document has no schema ${name}`);
    if (this.#done.has(name)) return;
    this.#done.add(name);
    if (schema.properties !== undefined) this.#addClass(name, schema);
    else this.classes.push(`${name} = ${this.#typeOf(schema, name)}\n`);
  }

  #addClass(name: string, schema: Schema): void {
    const required = new Set(schema.required);
    const fields = Object.entries(schema.properties ?? {}).map(([key, value]) => {
      const type = this.#typeOf(value, `${name}${pascalCase(key)}`);
      return `    ${key}: ${required.has(key) ? type : `NotRequired[${type}]`}\n`;
    });
    const summary = schema.description?.replaceAll(/\s+/g, ' ');
    const doc = summary === undefined ? '' : `    """${summary}"""\n\n`;
    this.classes.push(`class ${name}(TypedDict):\n${doc}${fields.join('') || '    pass\n'}`);
  }

  /** `name` is the class name for an object that has none of its own. */
  #typeOf(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) {
      const target = schema.$ref.replace('#/components/schemas/', '');
      this.addNamed(target);
      return target;
    }
    if ('const' in schema) return `Literal[${literal(schema.const)}]`;
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    const choices = schema.anyOf?.filter(({ type, $ref, properties }) => type ?? $ref ?? properties) ?? schema.oneOf;
    if (choices !== undefined && choices.length > 0 && schema.properties === undefined) {
      return [...new Set(choices.map((choice) => this.#typeOf(choice, name)))].join(' | ');
    }
    if (Array.isArray(schema.type)) {
      return schema.type.map((type: string) => this.#typeOf({ ...schema, type }, name)).join(' | ');
    }
    return this.#plainType(schema, name);
  }

  #plainType(schema: Schema, name: string): string {
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return `list[${schema.items === undefined ? 'Any' : this.#typeOf(schema.items, `${name}Item`)}]`;
      case 'object':
        return this.#objectType(schema, name);
      default:
        return 'Any';
    }
  }

  #objectType(schema: Schema, name: string): string {
    if (schema.properties !== undefined) {
      this.#addClass(name, schema);
      return name;
    }
    const values = schema.additionalProperties;
    return `dict[str, ${typeof values === 'object' ? this.#typeOf(values, `${name}Value`) : 'Any'}]`;
  }
}

function literal(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

function pascalCase(key: string): string {
  return key
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}
