import { describeIssues } from '@winnow/contract';
import type { z } from 'zod';
import { AppError } from '../domain/errors.ts';

/** Checks a body against a schema of the contract. Zod copies what it accepts, so nothing unknown gets in. */
export function validateBody<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  if (body === undefined) throw new AppError('invalid_request', 'body: is empty; a JSON object is required');
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new AppError('invalid_request', describeIssues(parsed.error));
  return parsed.data;
}
