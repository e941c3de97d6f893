/** Options of the content, the same for one page and for a batch. */
import { z } from 'zod';
import { defaulted, described, text, toggle, documented } from './described.ts';
import { CHUNK_LIMITS } from '../shared/limits.ts';
import { fieldsField } from './field-requests.ts';

/** Whether the main text should leave out doubtful parts or be complete; an extension to the interface. */
export const FAVORS = ['precision', 'balanced', 'recall'] as const;
export type Favor = (typeof FAVORS)[number];

/** Whether hidden text is left out or included; an extension to the interface. */
export const HIDDEN_TEXTS = ['drop', 'keep'] as const;
export type HiddenText = (typeof HIDDEN_TEXTS)[number];

export const MARKDOWN_LINKS = ['keep', 'text', 'references'] as const;
export const MARKDOWN_IMAGES = ['keep', 'alt', 'none'] as const;

const markdownSchema = z.strictObject({
  links: defaulted(
    z.enum(MARKDOWN_LINKS),
    'Links with their addresses (keep), as text only (text), or numbered with the addresses at the end (references).',
    { default: 'keep', example: 'references' },
  ).optional(),
  images: defaulted(
    z.enum(MARKDOWN_IMAGES),
    'Images with their addresses (keep), as their alternative text (alt), or left out (none).',
    { default: 'keep', example: 'none' },
  ).optional(),
  title: toggle("Begin with the page's title as a heading.", false),
});

const chunksSchema = z.strictObject({
  max_characters: defaulted(
    z.int().min(CHUNK_LIMITS.min).max(CHUNK_LIMITS.max),
    'Longest text of a chunk, in characters.',
    { default: CHUNK_LIMITS.default, example: CHUNK_LIMITS.default },
  ).optional(),
});

export const contentFields = {
  favor: defaulted(
    z.enum(FAVORS),
    'Whether the main text should leave out doubtful parts (precision) or be complete (recall).',
    { default: 'balanced', example: 'precision' },
  ).optional(),
  hidden_text: defaulted(
    z.enum(HIDDEN_TEXTS),
    'Whether hidden text is left out of the main text (drop) or included (keep).',
    { default: 'drop', example: 'keep' },
  ).optional(),
  markdown: described(markdownSchema, 'Style of result.markdown and result.chunks.', { links: 'text' }).optional(),
  fields: fieldsField,
  chunks: described(
    chunksSchema,
    'Adds result.chunks: the Markdown divided at its headings; long sections are divided further. An empty object uses the default length.',
    { max_characters: CHUNK_LIMITS.default },
  ).optional(),
} as const;

export type ContentFields = {
  readonly [Name in keyof typeof contentFields]?: z.infer<(typeof contentFields)[Name]> | undefined;
};

export const chunkSchema = documented('Chunk', 'A part of the Markdown.', {
  heading_path: z.array(z.string()).meta({
    description: 'The headings above the text, highest first; at most 120 characters each.',
    examples: [['The market', 'Opening hours']],
  }),
  text: text('Markdown.', '## Opening hours\n\nFrom six to noon.'),
});
