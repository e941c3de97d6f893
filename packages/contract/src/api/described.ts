/** Schemas with a description and an example, for the OpenAPI document. */
import { z } from 'zod';

export const text = (description: string, example: string) => z.string().meta({ description, examples: [example] });

export const nullableText = (description: string, example: string | null) =>
  z
    .string()
    .nullable()
    .meta({ description, examples: [example] });

export const boolean = (description: string, example: boolean) =>
  z.boolean().meta({ description, examples: [example] });

export const integer = (description: string, example: number) => z.int().meta({ description, examples: [example] });

export const nullableInteger = (description: string, example: number) =>
  z
    .int()
    .nullable()
    .meta({ description, examples: [example] });

/** An integer of 0 or more. */
export const count = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [example] });
