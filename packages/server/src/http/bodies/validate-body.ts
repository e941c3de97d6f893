import { validate } from '@winnow/contract';
import type { z } from 'zod';
import { AppError } from '../../domain/shared/errors.ts';

/**
 * Returns a copy with the known fields only.
 * @throws {AppError} `invalid_request`
 */
export function validateBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  if (body === undefined) throw new AppError('invalid_request', 'body: is empty; a JSON object is required');
  return requireValid(schema, body, 'body');
}

export function validateQuery<T extends z.ZodType>(schema: T, query: unknown): z.output<T> {
  return requireValid(schema, query, 'query');
}

/** @param root name of the value in messages */
export function requireValid<T extends z.ZodType>(schema: T, value: unknown, root: string): z.output<T> {
  const checked = validate(schema, value, root);
  if (!checked.ok) throw new AppError('invalid_request', checked.message);
  return checked.value;
}
