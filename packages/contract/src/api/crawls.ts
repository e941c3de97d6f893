/** The schemas of `/v1/crawls`: a batch whose pages are found by following links. */
import { z } from 'zod';
import type { RequestSchemaOptions } from '../shared/operation.ts';
import { batchFields, MAX_BATCH_ITEMS } from './batches.ts';

/** Globs of one list, and characters of each. */
const MAX_GLOBS = 50;
const MAX_GLOB_LENGTH = 200;

/** Links from the start page. */
export const MAX_CRAWL_DEPTH = 100;

/** Seconds between two pages, also those of robots.txt. */
export const MAX_CRAWL_DELAY = 60;

export const CRAWL_DEFAULTS = {
  limit: 1000,
  max_depth: 10,
  scope: 'host',
  sitemap: 'include',
} as const;

export const CRAWL_SCOPES = ['site', 'host', 'path'] as const;
export const SITEMAP_USES = ['include', 'only', 'skip'] as const;

const globs = (description: string, example: string) =>
  z
    .array(
      z
        .string()
        .min(1, 'must not be empty')
        .max(MAX_GLOB_LENGTH, `must have at most ${MAX_GLOB_LENGTH} characters`)
        .regex(/^[/*]/, 'must start with / or *'),
    )
    .max(MAX_GLOBS, `must have at most ${MAX_GLOBS} globs`)
    .optional()
    .meta({ description, default: [], examples: [[example]] });

/** The body of `POST /v1/crawls`. */
export function crawlRequestSchema(options: RequestSchemaOptions = {}) {
  const fields = batchFields(options);
  return z
    .strictObject({
      url: fields.url.meta({ description: 'Where to start, http or https.', examples: ['https://example.com/'] }),
      limit: z
        .int()
        .min(1)
        .max(MAX_BATCH_ITEMS)
        .optional()
        .meta({ description: 'Most pages.', default: CRAWL_DEFAULTS.limit, examples: [100] }),
      max_depth: z
        .int()
        .min(0)
        .max(MAX_CRAWL_DEPTH)
        .optional()
        .meta({
          description: 'Most links from the start page to a page; pages of the sitemap have depth 1.',
          default: CRAWL_DEFAULTS.max_depth,
          examples: [3],
        }),
      include: globs(
        'Only pages whose path one of these matches, besides the start page; `*` stands for any characters.',
        '/blog/*',
      ),
      exclude: globs('No pages whose path one of these matches.', '*/print/*'),
      scope: z
        .enum(CRAWL_SCOPES)
        .optional()
        .meta({
          description:
            'Pages that belong to the crawl: those of the registered domain, of the host (with or without `www.`), or below the path of the start page.',
          default: CRAWL_DEFAULTS.scope,
          examples: ['host'],
        }),
      sitemap: z
        .enum(SITEMAP_USES)
        .optional()
        .meta({
          description: 'Whether the sitemaps of the site are read besides the links, instead of them, or not.',
          default: CRAWL_DEFAULTS.sitemap,
          examples: ['include'],
        }),
      delay: z
        .number()
        .min(0)
        .max(MAX_CRAWL_DELAY)
        .optional()
        .meta({
          description: `Least seconds from the end of a page to the start of the next one, which are then read one after the other. The \`Crawl-delay\` of robots.txt is followed up to ${MAX_CRAWL_DELAY} seconds, if it is longer.`,
          default: 0,
          examples: [2],
        }),
      since: fields.domId.optional().meta({
        description:
          'Id of an earlier crawl of the project that has ended. Its pages are read again, besides those that are found, and each result says what changed.',
        examples: ['bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K'],
      }),
      ...fields.options,
    })
    .meta({ id: 'CrawlRequest', description: 'Body of POST /v1/crawls.' });
}

export type CrawlRequest = z.infer<ReturnType<typeof crawlRequestSchema>>;
