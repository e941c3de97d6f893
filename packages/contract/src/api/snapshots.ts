/** The schemas of `/v1/snapshots`: HTML that the caller supplies. */
import { z } from 'zod';
import { described, integer, text, documented } from './described.ts';
import { DEFAULT_LIMITS } from '../shared/limits.ts';
import { urlField } from './requests.ts';
import type { RequestSchemaOptions } from '../shared/operation.ts';

const MAX_LANGUAGE_LENGTH = 256;

export function snapshotRequestSchema({ limits = DEFAULT_LIMITS }: RequestSchemaOptions = {}) {
  return z
    .strictObject({
      url: described(
        urlField(limits),
        'Address of the page, http or https, to which its links are relative. The egress policy applies to it, and it is not fetched.',
        'https://example.com/news/1',
      ),
      html: described(
        z.string().min(1, 'must not be empty'),
        'HTML of the page. At most `WINNOW_MAX_PAGE_BYTES` in UTF-8.',
        '<!doctype html><html>…',
      ),
      content_language: z
        .string()
        .max(MAX_LANGUAGE_LENGTH)
        .regex(/^[!-~](?:[\t -~]*[!-~])?$/, 'must be printable ASCII characters on one line')
        .optional()
        .meta({ description: 'Value of the Content-Language header that the page came with.', examples: ['de'] }),
    })
    .meta({ id: 'SnapshotRequest', description: 'Body of POST /v1/snapshots.' });
}

export type SnapshotRequest = z.infer<ReturnType<typeof snapshotRequestSchema>>;

export const createSnapshotResponseSchema = documented('CreateSnapshotResponse', 'Answer of POST /v1/snapshots.', {
  request_id: text('Request correlation id, also in the X-Request-ID header.', 'req_01J9ZC8X6M4Q7W2E5R8T1Y3V6J'),
  dom_id: text('Id of the stored snapshot.', 'dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K'),
  url: text('Address of the page, as given.', 'https://example.com/news/1'),
  fetched_at: z
    .string()
    .meta({ description: 'When the page was stored.', format: 'date-time', examples: ['2026-11-24T17:41:06.000Z'] }),
  html_bytes: integer('Bytes of the HTML.', 74_100),
  stored_bytes: integer('Bytes of the stored snapshot, compressed.', 15_872),
});
export type CreateSnapshotResponse = z.infer<typeof createSnapshotResponseSchema>;
