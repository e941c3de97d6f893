/** The schemas of `/v1/crawls`: a batch whose pages are found by following links. */
import { z } from 'zod';
import { defaulted, described } from './described.ts';
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

export function crawlRequestSchema(options: RequestSchemaOptions = {}) {
  const fields = batchFields(options);
  return z
    .strictObject({
      url: described(fields.url, 'Where to start, http or https.', 'https://example.com/'),
      limit: defaulted(z.int().min(1).max(MAX_BATCH_ITEMS), 'Most pages.', {
        default: CRAWL_DEFAULTS.limit,
        example: 100,
      }).optional(),
      max_depth: defaulted(
        z.int().min(0).max(MAX_CRAWL_DEPTH),
        'Most links from the start page to a page; pages of the sitemap have depth 1.',
        { default: CRAWL_DEFAULTS.max_depth, example: 3 },
      ).optional(),
      include: globs(
        'Only pages whose path one of these matches, besides the start page; `*` stands for any characters.',
        '/blog/*',
      ),
      exclude: globs('No pages whose path one of these matches.', '*/print/*'),
      scope: defaulted(
        z.enum(CRAWL_SCOPES),
        'Pages that belong to the crawl: those of the registered domain, of the host (with or without `www.`), or below the path of the start page.',
        { default: CRAWL_DEFAULTS.scope, example: 'host' },
      ).optional(),
      sitemap: defaulted(
        z.enum(SITEMAP_USES),
        'Whether the sitemaps of the site are read besides the links, instead of them, or not.',
        { default: CRAWL_DEFAULTS.sitemap, example: 'include' },
      ).optional(),
      delay: defaulted(
        z.number().min(0).max(MAX_CRAWL_DELAY),
        `Least seconds from the end of a page to the start of the next one, which are then read one after the other. The \`Crawl-delay\` of robots.txt is followed up to ${MAX_CRAWL_DELAY} seconds, if it is longer.`,
        { default: 0, example: 2 },
      ).optional(),
      since: described(
        fields.domId,
        'Id of an earlier crawl of the project that has ended. Its pages are read again, besides those that are found, and each result says what changed.',
        'bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K',
      ).optional(),
      ...fields.options,
    })
    .meta({ id: 'CrawlRequest', description: 'Body of POST /v1/crawls.' });
}

export type CrawlRequest = z.infer<ReturnType<typeof crawlRequestSchema>>;
