/** The rows of domain types: one table of columns a type maps both ways. */
import { toSnakeCase, type SnakeCase } from '../../domain/shared/snake-case.ts';

/** Columns in snake case. Times are milliseconds, flags 0 or 1, lists and objects JSON. */
export type RowOf<T> = { [Field in keyof T & string as SnakeCase<Field>]-?: ColumnOf<T[Field]> };

type ColumnOf<Value> = Value extends Date | boolean
  ? number
  : Value extends string | number | null
    ? Value
    : Value extends undefined
      ? null
      : string;

/** How a field is stored; `foreign`: text of strangers, made storable. */
type Kind = 'plain' | 'foreign' | 'time' | 'flag' | 'json';

type KindOf<Value> = Value extends Date
  ? 'time'
  : Value extends boolean
    ? 'flag'
    : Value extends string | number
      ? 'plain' | (string extends Value ? 'foreign' : never)
      : Value extends null | undefined
        ? never
        : 'json';

const STORED: Readonly<Record<Kind, (value: never) => unknown>> = {
  plain: (value) => value,
  foreign: toStorable,
  time: (value: Date) => value.getTime(),
  flag: Number,
  json: (value) => JSON.stringify(value),
};

const READ: Readonly<Record<Kind, (value: never) => unknown>> = {
  plain: (value) => value,
  foreign: (value) => value,
  time: (value: number) => new Date(value),
  flag: Boolean,
  json: (value: string) => JSON.parse(value),
};

/** Makes external text storable in both databases: PostgreSQL text has no U+0000, and UTF-8 has no lone surrogates. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export interface RowMapping<T> {
  readonly toRow: (item: T) => RowOf<T>;
  /** The columns of the given fields only. */
  readonly toChanges: (changes: Partial<T>) => Partial<RowOf<T>>;
  readonly fromRow: (row: RowOf<T>) => T;
}

/** The fields that can be stored in the way. */
type FieldOf<T, K extends Kind> = { [Field in keyof T]-?: K extends KindOf<T[Field]> ? Field : never }[keyof T];

type Listed<Kinds> = Extract<Kinds[keyof Kinds], readonly unknown[]>[number];

/** The second call names each field once, by how it is stored. */
export const mapRows =
  <T>() =>
  <const Kinds extends { readonly [K in Kind]?: readonly FieldOf<T, K>[] }>(
    kinds: Kinds & (keyof T extends Listed<Kinds> ? unknown : { readonly missing: Exclude<keyof T, Listed<Kinds>> }),
  ): RowMapping<T> =>
    mapFields(kinds);

function mapFields<T>(kinds: { readonly [K in Kind]?: readonly (keyof T)[] }): RowMapping<T> {
  const columns = Object.entries(kinds).flatMap(([kind, fields]) =>
    (fields as readonly string[]).map((field) => ({ field, column: toSnakeCase(field), kind: kind as Kind })),
  );
  const convert = (by: typeof STORED, kind: Kind, value: unknown): unknown =>
    value === null || value === undefined ? null : by[kind](value as never);
  const store = (item: object, isWanted: (field: string) => boolean = () => true): object => {
    const wanted = columns.filter(({ field }) => isWanted(field));
    const values = item as Readonly<Record<string, unknown>>;
    return Object.fromEntries(wanted.map(({ field, column, kind }) => [column, convert(STORED, kind, values[field])]));
  };
  return {
    toRow: (item) => store(item as object) as RowOf<T>,
    toChanges: (changes) => store(changes, (field) => changes[field as keyof T] !== undefined),
    fromRow: (row) => {
      const values = row as Readonly<Record<string, unknown>>;
      return Object.fromEntries(
        columns.map(({ field, column, kind }) => [field, convert(READ, kind, values[column])]),
      ) as T;
    },
  };
}
