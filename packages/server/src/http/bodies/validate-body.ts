import { validate } from '@winnow/contract';
import type { z } from 'zod';
import { AppError } from '../../domain/shared/errors.ts';

/**
 * Checks a body against a schema of the contract. Zod copies what it accepts, so nothing unknown gets in.
 * @throws {AppError} `invalid_request`
 */
export function validateBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  if (body === undefined) throw new AppError('invalid_request', 'body: is empty; a JSON object is required');
  return requireValid(schema, body, 'body');
}

/** The same for the parameters of a query. */
export function validateQuery<T extends z.ZodType>(schema: T, query: unknown): z.output<T> {
  return requireValid(schema, query, 'query');
}

/**
 * The same for any value.
 * @param root what the value is, for the message
 */
export function requireValid<T extends z.ZodType>(schema: T, value: unknown, root: string): z.output<T> {
  const checked = validate(schema, value, root);
  if (!checked.ok) throw new AppError('invalid_request', checked.message);
  return checked.value;
}
