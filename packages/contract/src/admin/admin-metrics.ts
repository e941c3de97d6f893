import { z } from 'zod';
import { named, namedStrict } from '../api/described.ts';
import { ERROR_CODES, STAGES } from '../shared/errors.ts';
import { DOUBT_CODES } from '../shared/warning-codes.ts';

export const METRIC_RANGES = ['1h', '24h', '7d', '30d'] as const;
export type MetricRange = (typeof METRIC_RANGES)[number];

export const metricsQuerySchema = namedStrict('MetricsQuery', {
  range: z.enum(METRIC_RANGES).optional().describe('Default 24h.'),
  project_id: z.string().max(64).optional().describe('Default: every visible project.'),
});
export type MetricsQuery = z.infer<typeof metricsQuerySchema>;

/** One value a step, in the order of `times`; null where nothing was measured. */
const series = z.array(z.number().nullable());

export const metricsResponseSchema = named('MetricsResponse', {
  request_id: z.string(),
  range: z.enum(METRIC_RANGES),
  step_seconds: z.int(),
  times: z.array(z.int()).describe('Start of each step, seconds since 1970.'),
  requests: series,
  errors: series,
  latency_ms: z.object({ p50: series, p90: series, p99: series }),
  engines: z.record(z.string(), series).describe('Successful captures by engine.'),
  errors_by_code: z.array(z.object({ code: z.enum(ERROR_CODES), stage: z.enum(STAGES), count: z.int() })),
  items: z
    .object({ done: series, failed: series })
    .describe('Finished items of batches and crawls; requests do not include them.'),
  confidence: series.describe('Mean confidence of the extracted pages, of requests and items.'),
  doubtful: series.describe('Share of the extracted pages with a warning, of requests and items.'),
  warnings_by_code: z.array(z.object({ code: z.enum(DOUBT_CODES), count: z.int() })),
  totals: z.object({
    requests: z.int(),
    errors: z.int(),
    items: z.int(),
    items_failed: z.int(),
    p50_ms: z.number().nullable(),
    p90_ms: z.number().nullable(),
    p99_ms: z.number().nullable(),
  }),
  storage: z.object({
    snapshots: z.int(),
    bytes: z.int(),
    stored_bytes: z.int(),
    stored_bytes_over_time: series,
    batches: z.int(),
    used_bytes: z.int().meta({
      description:
        'Bytes that count towards the quota: snapshots, batches and results; shared content once per project.',
    }),
    quota_bytes: z.int().nullable().describe('Bytes that one project may store; null: no limit.'),
  }),
  browsers: z
    .object({ running: series, busy: series, waiting: series })
    .nullable()
    .describe('The browser pool; for administrators.'),
});
export type MetricsResponse = z.infer<typeof metricsResponseSchema>;
