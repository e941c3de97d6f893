import { z } from 'zod';
import { named } from '../api/described.ts';

const bytes = (description: string) => z.number().describe(description);

export const serviceHealthSchema = named('ServiceHealth', {
  request_id: z.string(),
  checks: z
    .record(z.string(), z.object({ ok: z.boolean(), detail: z.string(), elapsed_ms: z.int() }))
    .describe('As in GET /readyz.'),
  started_at: z.string(),
  queue: z.object({
    running: z.int().describe('Requests and items that run.'),
    waiting: z.int().describe('Requests and items that wait for a slot.'),
    waiting_for_sites: z.int().describe('Pages that wait for their target site.'),
    expected_wait_ms: z.number().describe('Of a new request.'),
  }),
  browsers: z.object({
    running: z.int(),
    started: z.int().describe('Since the start of the service.'),
    busy: z.int().describe('Captures that run in browsers.'),
    waiting: z.int().describe('Captures that wait for a browser.'),
    killed_renderers: z.int().describe('Ended for their memory or processor time.'),
  }),
  workers: z.object({
    running: z.int().describe('Processes that extract.'),
    waiting: z.int().describe('Pages that wait for one.'),
  }),
  memory: z.object({
    process_bytes: bytes('Of the process of the service, without browsers and workers.'),
    available_bytes: bytes('Of the machine or container.'),
    total_bytes: bytes('Of the machine or container.'),
  }),
  disk: z
    .object({ available_bytes: bytes('Of the data folder.'), total_bytes: bytes('Of the data folder.') })
    .nullable()
    .describe('Null where it cannot be read.'),
});
export type ServiceHealth = z.infer<typeof serviceHealthSchema>;
