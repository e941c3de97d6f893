import assert from 'node:assert/strict';
import { ERRORS, errorResponseSchema } from '@winnow/contract';
import type { ErrorCode } from '@winnow/contract';
import type { Answer } from './running-service.ts';

/** Asserts a complete error answer: status, schema, code, stage, message, and request id in header and body. */
export function assertRefused(answer: Answer, code: ErrorCode, message: RegExp, stage = 'request'): void {
  assert.equal(answer.status, ERRORS[code].status, JSON.stringify(answer.body));
  errorResponseSchema.strict().parse(answer.body);
  assert.equal(answer.body.error.code, code);
  assert.equal(answer.body.error.stage, stage);
  assert.match(answer.body.error.message, message);
  assert.equal(answer.headers.get('X-Request-ID'), answer.body.request_id);
  assert.match(answer.headers.get('Content-Type') ?? '', /^application\/json/);
  assert.equal('result' in answer.body, false);
}
