import { z } from 'zod';
import { answer, named, namedStrict } from '../api/described.ts';
import { storedAttachmentFields } from '../api/attachments.ts';

export const snapshotSchema = named('Snapshot', {
  dom_id: z.string(),
  url: z.string(),
  final_url: z.string(),
  status_code: z.int(),
  engine: z.string(),
  fetched_at: z.string(),
  content_type: z.string().nullable(),
  filtered: z.boolean(),
  title: z.string().nullable().describe('Title of the page; null when it states none or is not known.'),
  bytes: z.int(),
  stored_bytes: z.int(),
  ...storedAttachmentFields,
});
export type SnapshotBody = z.infer<typeof snapshotSchema>;

/** Longest part of a URL that is searched for, in characters. */
export const URL_PART_MAX_LENGTH = 500;

export const snapshotQuerySchema = namedStrict('SnapshotQuery', {
  url: z
    .string()
    .max(URL_PART_MAX_LENGTH, `must have at most ${URL_PART_MAX_LENGTH} characters`)
    .optional()
    .describe('Part of the URL or of the final URL.'),
  host: z.string().max(253).optional().describe('Host of the final URL, exactly; with a port only at this port.'),
  engine: z.string().max(40).optional(),
  status: z.coerce.number().int().min(100).max(599).optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional().describe('Default 50.'),
});
export type SnapshotQuery = z.infer<typeof snapshotQuerySchema>;

export const snapshotListSchema = answer('SnapshotList', {
  items: z.array(snapshotSchema),
  next_cursor: z.string().nullable(),
});
export type SnapshotList = z.infer<typeof snapshotListSchema>;

export const snapshotResponseSchema = answer('SnapshotResponse', { snapshot: snapshotSchema });
export type SnapshotResponse = z.infer<typeof snapshotResponseSchema>;

export const snapshotHtmlResponseSchema = answer('SnapshotHtmlResponse', { dom_id: z.string(), html: z.string() });
export type SnapshotHtmlResponse = z.infer<typeof snapshotHtmlResponseSchema>;
