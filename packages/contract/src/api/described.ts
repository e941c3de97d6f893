/** Schemas with a description and an example, for the OpenAPI document. */
import { z } from 'zod';

export function described<T extends z.ZodType>(schema: T, description: string, example: unknown): T {
  return schema.meta({ description, examples: [example] });
}

/** As {@link described}, for a field that may be absent. */
export function defaulted<T extends z.ZodType>(
  schema: T,
  description: string,
  { default: byDefault, example }: { readonly default: unknown; readonly example: unknown },
): T {
  return schema.meta({ description, default: byDefault, examples: [example] });
}

export const text = (description: string, example: string) => described(z.string(), description, example);

export const nullableText = (description: string, example: string | null) =>
  described(z.string().nullable(), description, example);

export const boolean = (description: string, example: boolean) => described(z.boolean(), description, example);

/** An optional boolean; the example is what differs from the default. */
export const toggle = (description: string, byDefault: boolean) =>
  defaulted(z.boolean(), description, { default: byDefault, example: !byDefault }).optional();

export const integer = (description: string, example: number) => described(z.int(), description, example);

export const nullableInteger = (description: string, example: number) =>
  described(z.int().nullable(), description, example);

/** An integer of 0 or more. */
export const count = (description: string, example: number) => described(z.int().min(0), description, example);

/** An object with a name in the OpenAPI document. */
export const named = <Shape extends z.ZodRawShape>(id: string, shape: Shape) => z.object(shape).meta({ id });

/** As {@link named}; unknown fields are refused. */
export const namedStrict = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });

/** As {@link named}, with a description. */
export const documented = <Shape extends z.ZodRawShape>(id: string, description: string, shape: Shape) =>
  z.object(shape).meta({ id, description });

/** An answer of the console's interface. */
export const answer = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  named(id, { request_id: z.string(), ...shape });
