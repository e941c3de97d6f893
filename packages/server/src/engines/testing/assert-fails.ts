import assert from 'node:assert/strict';
import { AppError } from '../../domain/shared/errors.ts';

export async function failureOf(work: Promise<unknown>, about: string): Promise<AppError> {
  const error: unknown = await work.then(
    () => assert.fail(`${about}: captured`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError, `${about}: ${String(error)}`);
  return error;
}

export async function assertFails(work: Promise<unknown>, code: AppError['code'], about: string): Promise<AppError> {
  const error = await failureOf(work, about);
  assert.equal(error.code, code, `${about}: ${error.message}`);
  return error;
}
