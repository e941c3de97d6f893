import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../domain/shared/errors.ts';
import { logStorageErrors } from './open-storage.ts';

test('a storage error that fails many requests is logged once a minute, without a stack', () => {
  const lines: string[] = [];
  const logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`),
  };
  let now = 0;
  const onStorageError = logStorageErrors(logger, () => now);
  const full = new AppError('overloaded', 'full', { cause: new Error('no room') });
  for (let count = 0; count < 50; count += 1) onStorageError(full);
  onStorageError(new AppError('overloaded', 'locked'));
  now = 60_000;
  onStorageError(full);
  assert.deepEqual(lines, [
    'full {"reason":"no room","failures":1}',
    'locked {"failures":1}',
    'full {"reason":"no room","failures":50}',
  ]);
});
