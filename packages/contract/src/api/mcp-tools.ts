import { z } from 'zod';
import { publicEngineNames } from '../shared/engines.ts';
import type { Limits } from '../shared/limits.ts';
import { withScheme } from '../shared/with-scheme.ts';
import { MAX_BATCH_ITEMS } from './batches.ts';
import { crawlRequestSchema } from './crawls.ts';
import { FAVORS, MARKDOWN_IMAGES, MARKDOWN_LINKS } from './content-fields.ts';
import { pageOptionsSchema, timeLimit } from './request-options.ts';
import { urlField } from './requests.ts';

export interface McpToolOptions {
  readonly limits: Limits;
  readonly engineFamily: string;
}

/** Characters of a text that one answer carries. */
const MAX_CHARS = { least: 100, default: 10_000, most: 50_000 } as const;

/** Snapshots that one answer lists. */
const LIST_LIMIT = { default: 20, most: 50 } as const;

const MAX_ID_LENGTH = 128;
const MAX_HOST_LENGTH = 253;
const MAX_CURSOR_LENGTH = 500;

const domId = z.string().trim().min(1).max(MAX_ID_LENGTH).describe("Id of a stored snapshot, from a tool's answer.");
const offset = z
  .int()
  .min(0)
  .default(0)
  .describe('Where to begin: 0, or next_offset of the previous page. UTF-16 code units.');
const maxChars = z
  .int()
  .min(MAX_CHARS.least)
  .max(MAX_CHARS.most)
  .default(MAX_CHARS.default)
  .describe('Longest content of the answer, in UTF-16 code units.');

/** A year. */
const MAX_AGE_SECONDS = 366 * 24 * 60 * 60;

/** How a page is captured; the tool checks the combination of options. */
function captureInput(options: McpToolOptions) {
  const { limits, engineFamily } = options;
  const { device, wait_for: waitFor } = pageOptionsSchema(options, { description: 'Time limit.' }).shape;
  return {
    engine: z
      .enum(publicEngineNames(engineFamily))
      .default('auto')
      .describe('Fetch engine. auto uses plain HTTP where that is enough, else Chromium.'),
    timeout_ms: timeLimit(limits, 'Time limit. Default: the setting of the service.'),
    device,
    wait_for: waitFor,
    max_age: z.int().min(0).max(MAX_AGE_SECONDS).optional().meta({
      description:
        'Oldest stored snapshot of the page that replaces a fetch, in seconds. Default: the page is fetched. With device or wait_for the page is always fetched.',
    }),
  };
}

const markdownInput = {
  links: z.enum(MARKDOWN_LINKS).default('keep').meta({
    description:
      'Links of Markdown: with addresses (keep), as text only (text), or numbered with the addresses at the end (references).',
  }),
  images: z
    .enum(MARKDOWN_IMAGES)
    .default('keep')
    .describe('Images of Markdown: with addresses (keep), alternative text (alt), left out (none).'),
};

/** The tool checks `url` or `dom_id`: clients understand only plain object schemas. */
export const extractToolInput = (options: McpToolOptions) =>
  z.strictObject({
    url: urlField(options.limits)
      .overwrite(withScheme)
      .optional()
      .describe('Page to fetch, http or https. Either url or dom_id.'),
    dom_id: domId.optional().describe('Stored snapshot to extract in place of fetching.'),
    format: z.enum(['markdown', 'text', 'stated']).default('markdown').meta({
      description:
        'The main content as Markdown or text, or what the page states about itself (prices, availability, JSON-LD) as JSON.',
    }),
    favor: z.enum(FAVORS).default('balanced').meta({
      description: 'Whether the content should leave out doubtful parts (precision) or be complete (recall).',
    }),
    ...markdownInput,
    ...captureInput(options),
    offset,
    max_chars: maxChars,
  });

export const dumpToolInput = (options: McpToolOptions) =>
  z.strictObject({
    url: urlField(options.limits).overwrite(withScheme).describe('Page to capture, http or https.'),
    ...captureInput(options),
  });

/** Pages of a crawl without a limit of its own: few, because models pay for reading them. */
const CRAWL_PAGES = 50;

/** Characters of each page of a crawl that one answer carries. */
const PAGE_CHARS = { default: 500, most: 10_000 } as const;

/** Milliseconds that a call waits for a crawl. */
const CRAWL_WAIT = { default: 20_000, most: 300_000 } as const;

/** The tool checks `url` or `crawl_id`. */
export const crawlToolInput = (options: McpToolOptions) => {
  const { max_depth, include, exclude, scope, since } = crawlRequestSchema(options).shape;
  return z.strictObject({
    url: urlField(options.limits)
      .overwrite(withScheme)
      .optional()
      .describe('Page to start a crawl with. Either url or crawl_id.'),
    crawl_id: domId.optional().describe('A crawl to read on, from an answer.'),
    limit: z.int().min(1).max(MAX_BATCH_ITEMS).default(CRAWL_PAGES).describe('Most pages of the crawl.'),
    max_depth,
    include,
    exclude,
    scope,
    since,
    after: z.int().min(-1).default(-1).describe('Only pages after this index: next_after of the answer.'),
    page_chars: z
      .int()
      .min(0)
      .max(PAGE_CHARS.most)
      .default(PAGE_CHARS.default)
      .describe('Characters of the text of each page. read_snapshot returns the whole one.'),
    max_chars: maxChars,
    wait_ms: z
      .int()
      .min(0)
      .max(CRAWL_WAIT.most)
      .default(CRAWL_WAIT.default)
      .describe('Longest wait for the end of the crawl, or for pages after the given index.'),
    cancel: z.boolean().default(false).describe('With crawl_id: ends the crawl.'),
  });
};

export const readToolInput = () => z.strictObject({ dom_id: domId, ...markdownInput, offset, max_chars: maxChars });

export const searchToolInput = ({ limits }: McpToolOptions) =>
  z.strictObject({
    url_contains: urlField(limits).optional().describe('Part of the address; letter case does not count.'),
    host: z.string().min(1).max(MAX_HOST_LENGTH).optional().describe('Host of the address, exactly.'),
    limit: z.int().min(1).max(LIST_LIMIT.most).default(LIST_LIMIT.default).describe('Maximum number of snapshots.'),
    cursor: z
      .string()
      .max(MAX_CURSOR_LENGTH)
      .optional()
      .describe('next_cursor of the previous answer, for the next snapshots.'),
  });
