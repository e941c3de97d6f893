import { z } from 'zod';
import { answer, namedStrict } from '../api/described.ts';
import { WEBHOOK_SECRET_PATTERN } from '../api/batches.ts';
import { urlField } from '../api/requests.ts';

export const alertRequestSchema = namedStrict('AlertRequest', {
  url: urlField({ maxUrlLength: 2048 }).describe('Receives the calls; http or https.'),
  secret: z
    .string()
    .regex(WEBHOOK_SECRET_PATTERN, 'must be whsec_ and the base64 of 24 to 64 bytes')
    .optional()
    .describe('Signs the calls as standardwebhooks.com specifies. Absent: the one before.'),
  error_rate: z.number().gt(0).max(1).nullable().optional().meta({
    description: 'Share of failed requests and items of 15 minutes, from 20 on, 0 to 1; null: not watched.',
  }),
  fill_rates: z
    .boolean()
    .optional()
    .describe('Whether to tell of templates whose last pages fail or lack what others have.'),
});
export type AlertRequest = z.infer<typeof alertRequestSchema>;

export const alertResponseSchema = answer('AlertResponse', {
  alert: z
    .object({
      url: z.string(),
      error_rate: z.number().nullable(),
      fill_rates: z.boolean(),
      active: z
        .array(z.string())
        .describe('What the receiver was told of and still holds: `error_rate`, or versions of templates.'),
      changed_at: z.string(),
      last_error: z.string().nullable().describe('Why the last call was not accepted.'),
    })
    .nullable(),
});
export type AlertResponse = z.infer<typeof alertResponseSchema>;

export const alertTestResponseSchema = answer('AlertTestResponse', {
  refused: z.string().nullable().describe('Why the receiver did not accept the call; null: it did.'),
});
export type AlertTestResponse = z.infer<typeof alertTestResponseSchema>;
