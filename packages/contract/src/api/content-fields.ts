/** Options of the content, the same for one page and for a batch. */
import { z } from 'zod';
import { text } from './described.ts';
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
  links: z
    .enum(MARKDOWN_LINKS)
    .optional()
    .meta({
      description:
        'Links with their addresses (keep), as text only (text), or numbered with the addresses at the end (references).',
      default: 'keep',
      examples: ['references'],
    }),
  images: z
    .enum(MARKDOWN_IMAGES)
    .optional()
    .meta({
      description: 'Images with their addresses (keep), as their alternative text (alt), or left out (none).',
      default: 'keep',
      examples: ['none'],
    }),
  title: z
    .boolean()
    .optional()
    .meta({ description: "Begin with the page's title as a heading.", default: false, examples: [true] }),
});

const chunksSchema = z.strictObject({
  max_characters: z
    .int()
    .min(CHUNK_LIMITS.min)
    .max(CHUNK_LIMITS.max)
    .optional()
    .meta({
      description: 'Longest text of a chunk, in characters.',
      default: CHUNK_LIMITS.default,
      examples: [CHUNK_LIMITS.default],
    }),
});

export const contentFields = {
  favor: z
    .enum(FAVORS)
    .optional()
    .meta({
      description: 'Whether the main text should leave out doubtful parts (precision) or be complete (recall).',
      default: 'balanced',
      examples: ['precision'],
    }),
  hidden_text: z
    .enum(HIDDEN_TEXTS)
    .optional()
    .meta({
      description: 'Whether hidden text is left out of the main text (drop) or included (keep).',
      default: 'drop',
      examples: ['keep'],
    }),
  markdown: markdownSchema
    .optional()
    .meta({ description: 'Style of result.markdown and result.chunks.', examples: [{ links: 'text' }] }),
  fields: fieldsField,
  chunks: chunksSchema.optional().meta({
    description:
      'Adds result.chunks: the Markdown divided at its headings; long sections are divided further. An empty object uses the default length.',
    examples: [{ max_characters: CHUNK_LIMITS.default }],
  }),
} as const;

export type ContentFields = {
  readonly [Name in keyof typeof contentFields]?: z.infer<(typeof contentFields)[Name]> | undefined;
};

export const chunkSchema = z
  .object({
    heading_path: z.array(z.string()).meta({
      description: 'The headings above the text, highest first; at most 120 characters each.',
      examples: [['The market', 'Opening hours']],
    }),
    text: text('Markdown.', '## Opening hours\n\nFrom six to noon.'),
  })
  .meta({ id: 'Chunk', description: 'A part of the Markdown.' });
