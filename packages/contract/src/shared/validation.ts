/** Checks values against schemas, and describes faults in our own wording. */
import { z } from 'zod';
import { formatPath } from './format-path.ts';
import { suggestName } from './suggest-name.ts';

/** A checked value, or a sentence about its faults. */
export type Validation<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

const MAX_FAULTS = 5;

/**
 * Checks a value against a schema. A refusal names the JSON path of each of the first few faults:
 * `options.timeout_ms: must be at least 1; extract.format: unknown field (did you mean extract.formats?)`.
 *
 * @param root name of the empty path
 */
export function validate<T extends z.ZodType>(schema: T, value: unknown, root = 'body'): Validation<z.output<T>> {
  const parsed = schema.safeParse(value, { error: describeIssue });
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, message: describeFaults(parsed.error, root, { schema, value }) };
}

/**
 * Returns a copy without the optional fields that are null or an empty string: clients write unset values so. A field
 * whose schema accepts such a value keeps it, and so does an unknown field, for the refusal to name it.
 */
export function withoutUnset(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return withoutUnset(schema.unwrap(), value);
  if (schema instanceof z.ZodPipe) return withoutUnset(schema.in, value);
  if (schema instanceof z.ZodUnion) {
    for (const option of schema.options) {
      const given = withoutUnset(option, value);
      if (accepts(option, given)) return given;
    }
    return value;
  }
  if (schema instanceof z.ZodArray) {
    const { element } = schema;
    // A batch has 100,000 addresses.
    return Array.isArray(value) && !(element instanceof z.ZodString)
      ? value.map((item) => withoutUnset(element, item))
      : value;
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  const { shape, def } = schema;
  const fields = Object.entries(value).flatMap(([name, field]) => {
    const isKnown = Object.hasOwn(shape, name);
    const own: z.core.$ZodType | undefined = isKnown ? shape[name] : def.catchall;
    if (own === undefined) return [[name, field] as const];
    const isOptional = isKnown ? accepts(own, undefined) : !(own instanceof z.ZodNever);
    if (isOptional && (field === null || field === '') && !accepts(own, field)) return [];
    return [[name, withoutUnset(own, field)] as const];
  });
  return Object.fromEntries(fields);
}

function accepts(schema: z.core.$ZodType, value: unknown): boolean {
  return z.core.safeParse(schema, value).success;
}

/** Names the time limits of a body that its schema reduced to the longest, by their path, for the trace. */
export function describeReduced(given: unknown, read: unknown): { readonly reduced?: Record<string, number> } {
  const reduced = listReduced(given, read, []);
  return reduced.length === 0 ? {} : { reduced: Object.fromEntries(reduced) };
}

function listReduced(given: unknown, read: unknown, path: readonly string[]): [string, number][] {
  if (typeof given === 'number' && typeof read === 'number')
    return read < given ? [[formatPath(path, 'body'), read]] : [];
  if (typeof given !== 'object' || typeof read !== 'object' || read === null || Array.isArray(read)) return [];
  return Object.entries(read).flatMap(([name, value]) =>
    listReduced((given as Record<string, unknown> | null)?.[name], value, [...path, name]),
  );
}

interface Checked {
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
}

/** Describes the first few faults, one per field. */
function describeFaults({ issues }: z.ZodError, root: string, checked: Checked): string {
  const fields = new Set<string>();
  const faults = issues.slice(0, MAX_FAULTS).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, MAX_FAULTS).map((key) => {
        const meant = findMeant(checked, issue.path, key);
        const hint = meant === undefined ? '' : ` (did you mean ${formatPath(meant, root)}?)`;
        return `${formatPath([...issue.path, key], root)}: unknown field${hint}`;
      });
    }
    const field = formatPath(issue.path, root);
    // A second fault of the same field follows from the first.
    if (fields.has(field)) return [];
    fields.add(field);
    return [`${field}: ${issue.message}`];
  });
  return faults.join('; ');
}

/** Finds the field that an unknown one probably stands for: in the same object, then anywhere in the body. */
function findMeant({ schema, value }: Checked, parents: readonly PropertyKey[], name: string) {
  const unset = listFields(schema).filter((path) => !isGiven(value, path));
  const isSibling = (path: readonly string[]) =>
    path.length === parents.length + 1 && parents.every((part, depth) => part === path[depth]);
  for (const paths of [unset.filter(isSibling), unset]) {
    const meant = suggestName(
      name,
      paths.map((path) => path.at(-1) ?? ''),
    );
    if (meant !== undefined) return paths.find((path) => path.at(-1) === meant);
  }
  return undefined;
}

/** Lists the paths of all fields that are not in lists, those of the outer objects first. */
function listFields(schema: z.core.$ZodType, parents: readonly string[] = []): string[][] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return listFields(schema.unwrap(), parents);
  if (schema instanceof z.ZodPipe) return listFields(schema.in, parents);
  if (!(schema instanceof z.ZodObject)) return [];
  const fields = Object.entries(schema.shape);
  return [
    ...fields.map(([name]) => [...parents, name]),
    ...fields.flatMap(([name, field]) => listFields(field, [...parents, name])),
  ];
}

function isGiven(value: unknown, path: readonly string[]): boolean {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return true;
}

/** JSON names of the types that schemas expect. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  null: 'null',
};

/** String formats in schemas without a message. */
const STRING_FORMATS: Readonly<Record<string, string>> = {
  datetime: 'an RFC 3339 time',
  date: 'a date',
  email: 'an e-mail address',
  url: 'a URL',
};

/** Replaces the validator's message of an issue whose schema has none. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type': {
      if (issue.input === undefined) return 'is required';
      const expected = `must be ${TYPES[issue.expected] ?? 'of another type'}`;
      // A fraction is a number, and so is NaN, which a text of a query becomes: naming its type says nothing.
      const isNumber = typeof issue.input === 'number' && (issue.expected === 'int' || Number.isNaN(issue.input));
      return isNumber ? expected : `${expected}, not ${nameType(issue.input)}`;
    }
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `must ${describeSize(issue.origin, 'at most', issue.maximum)}`;
    case 'too_small':
      return `must ${describeSize(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'invalid_format':
      return `must be ${STRING_FORMATS[issue.format] ?? 'of the documented form'}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return 'is not of the documented form';
  }
}

function describeSize(origin: string, comparison: string, limit: number | bigint): string {
  const one = limit === 1 || limit === 1n;
  if (origin === 'string') return `have ${comparison} ${limit} ${one ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set') return `have ${comparison} ${limit} ${one ? 'item' : 'items'}`;
  return `be ${comparison} ${limit}`;
}

function nameType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'boolean' ? String(value) : (TYPES[typeof value] ?? typeof value);
}
