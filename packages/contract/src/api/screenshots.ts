/** The pictures of stored pages. */
import { z } from 'zod';

export const screenshotSchema = z
  .object({
    url: z.string().meta({
      description: 'Path below the base address under which the picture is, for the key of the snapshot.',
      examples: ['/v1/snapshots/dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K/screenshot'],
    }),
    media_type: z.string().meta({ description: 'Media type of the picture.', examples: ['image/webp'] }),
    width: z.int().meta({ description: 'Pixels.', examples: [1280] }),
    height: z.int().meta({ description: 'Pixels.', examples: [4210] }),
    bytes: z.int().meta({ description: 'Size of the picture.', examples: [182_044] }),
    cut: z.boolean().meta({
      description: 'The page goes on beyond the picture: it is higher or wider than a picture may be.',
      examples: [false],
    }),
  })
  .meta({ id: 'Screenshot', description: 'A picture of a captured page.' });
export type ScreenshotBody = z.infer<typeof screenshotSchema>;
