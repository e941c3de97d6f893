/** Parts of a capture that a dump and a trace both show. */
import { z } from 'zod';
import { count, described, integer, nullableText, text, documented } from './described.ts';
import { ERROR_CODES } from '../shared/errors.ts';

export const redirectSchema = documented('Redirect', 'One redirect on the way to the page.', {
  url: text('URL that redirected.', 'http://example.com/news/1'),
  status_code: integer('HTTP status of the redirect.', 301),
});

export const engineAttemptSchema = documented('EngineAttempt', 'One attempt of an engine to capture the page.', {
  engine: text('Engine, by the name of this deployment.', 'http'),
  outcome: z.enum(['captured', 'rejected', 'failed']).meta({
    description: '`rejected`: the page was captured, but another engine was tried for a better one.',
    examples: ['captured'],
  }),
  reason: nullableText('Why the attempt ended as it did.', 'enough text'),
  error_code: described(z.enum(ERROR_CODES).nullable(), 'Code of the error of a failed attempt.', 'fetch_timeout'),
  elapsed_ms: count('How long the attempt took, in milliseconds.', 172),
});
export type EngineAttemptBody = z.infer<typeof engineAttemptSchema>;

export const blockedRequestsSchema = z
  .array(
    z.object({
      url: text('URL of the request.', 'http://10.0.0.1/pixel.gif'),
      reason: text('Why it was refused.', 'it is a private address'),
    }),
  )
  .describe('Requests of the page that the egress policy or a limit of the capture refused.');
