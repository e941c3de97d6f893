/** Parts of a capture that a dump and a trace both show. */
import { z } from 'zod';
import { ERROR_CODES } from '../shared/errors.ts';

export const redirectSchema = z
  .object({
    url: z.string().meta({ description: 'URL that redirected.', examples: ['http://example.com/news/1'] }),
    status_code: z.int().meta({ description: 'HTTP status of the redirect.', examples: [301] }),
  })
  .meta({ id: 'Redirect', description: 'One redirect on the way to the page.' });

export const engineAttemptSchema = z
  .object({
    engine: z.string().meta({ description: 'Engine, by the name of this deployment.', examples: ['http'] }),
    outcome: z.enum(['captured', 'rejected', 'failed']).meta({
      description: '`rejected`: the page was captured, but another engine was tried for a better one.',
      examples: ['captured'],
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the attempt ended as it did.', examples: ['enough text'] }),
    error_code: z
      .enum(ERROR_CODES)
      .nullable()
      .meta({
        description: 'Code of the error of a failed attempt.',
        examples: ['fetch_timeout'],
      }),
    elapsed_ms: z
      .int()
      .min(0)
      .meta({ description: 'How long the attempt took, in milliseconds.', examples: [172] }),
  })
  .meta({ id: 'EngineAttempt', description: 'One attempt of an engine to capture the page.' });
export type EngineAttemptBody = z.infer<typeof engineAttemptSchema>;

export const blockedRequestsSchema = z
  .array(
    z.object({
      url: z.string().meta({ description: 'URL of the request.', examples: ['http://10.0.0.1/pixel.gif'] }),
      reason: z.string().meta({ description: 'Why it was refused.', examples: ['it is a private address'] }),
    }),
  )
  .meta({ description: 'Requests of the page that the egress policy or a limit of the capture refused.' });
