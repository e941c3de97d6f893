/** The schemas of the files that are stored with a page: its picture, and its MHTML file. */
import { z } from 'zod';

export const screenshotSchema = z
  .object({
    url: z.string().meta({
      description: 'Path of the picture below the base address, for the key of the snapshot.',
      examples: ['/v1/snapshots/dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K/screenshot'],
    }),
    media_type: z.string().meta({ description: 'Media type of the picture.', examples: ['image/webp'] }),
    width: z.int().meta({ description: 'Pixels.', examples: [1280] }),
    height: z.int().meta({ description: 'Pixels.', examples: [4210] }),
    bytes: z.int().meta({ description: 'Size of the picture.', examples: [182_044] }),
    cut: z.boolean().meta({
      description: 'The page is higher or wider than the largest picture, and the rest is missing.',
      examples: [false],
    }),
  })
  .meta({ id: 'Screenshot', description: 'A picture of a captured page.' });
export type ScreenshotBody = z.infer<typeof screenshotSchema>;

export const MHTML_TYPE = 'multipart/related';

export const mhtmlSchema = z
  .object({
    url: z.string().meta({
      description: 'Path of the file below the base address, for the key of the snapshot.',
      examples: ['/v1/snapshots/dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K/mhtml'],
    }),
    media_type: z.string().meta({ description: 'Media type of the file.', examples: [MHTML_TYPE] }),
    bytes: z.int().meta({ description: 'Size of the file.', examples: [1_210_344] }),
  })
  .meta({ id: 'Mhtml', description: 'A captured page with its pictures, styles and frames in one file (RFC 2557).' });
export type MhtmlBody = z.infer<typeof mhtmlSchema>;
