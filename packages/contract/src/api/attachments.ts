/** The files that are stored with a page, its picture and its MHTML file: schemas and operations. */
import { z } from 'zod';
import { boolean, integer, text, documented } from './described.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { get } from '../shared/operation-rows.ts';

export const screenshotSchema = documented('Screenshot', 'A picture of a captured page.', {
  url: text(
    'Path of the picture below the base address, for the key of the snapshot.',
    '/v1/snapshots/dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K/screenshot',
  ),
  media_type: text('Media type of the picture.', 'image/webp'),
  width: integer('Pixels.', 1280),
  height: integer('Pixels.', 4210),
  bytes: integer('Size of the picture.', 182_044),
  cut: boolean('The page is higher or wider than the largest picture, and the rest is missing.', false),
});
export type ScreenshotBody = z.infer<typeof screenshotSchema>;

export const MHTML_TYPE = 'multipart/related';

export const mhtmlSchema = z
  .object({
    url: text(
      'Path of the file below the base address, for the key of the snapshot.',
      '/v1/snapshots/dom_01J9ZC8X9A4Q7W2E5R8T1Y3V6K/mhtml',
    ),
    media_type: text('Media type of the file.', MHTML_TYPE),
    bytes: integer('Size of the file.', 1_210_344),
  })
  .meta({ id: 'Mhtml', description: 'A captured page with its pictures, styles and frames in one file (RFC 2557).' });
export type MhtmlBody = z.infer<typeof mhtmlSchema>;

/** Of an answer about a page: null if requested, but not made. */
export const attachmentFields = {
  screenshot: screenshotSchema.nullable().optional().meta({
    description:
      'The picture of the page, for a request with `options.screenshot` or a snapshot that has one; null when it could not be taken: the page left no time for it, or the target is a document.',
  }),
  mhtml: mhtmlSchema.nullable().optional().meta({
    description:
      'The page as one MHTML file, for a request with `options.mhtml` or a snapshot that has one; null when it could not be made: it is larger than 32 MiB, the page left no time for it, or the target is a document.',
  }),
};

/** Of a stored snapshot: null if it has none. */
export const storedAttachmentFields = { screenshot: screenshotSchema.nullable(), mhtml: mhtmlSchema.nullable() };

/** Of the trace. */
export const attachmentSizes = {
  screenshot_bytes: integer('Bytes of the screenshot.', 48_120).optional(),
  mhtml_bytes: integer('Bytes of the MHTML file.', 1_210_344).optional(),
};

/** The operations that read the files of the snapshot at a path. */
export function attachmentOperations<const Path extends string, const Access extends 'key' | 'member'>(
  access: Access,
  snapshot: Path,
  errors: readonly ErrorCode[],
) {
  return {
    readScreenshot: get(access, `${snapshot}/screenshot`, 'Read the picture of a snapshot', {
      client: 'screenshot',
      description: 'The picture that was taken with `options.screenshot`. It is deleted with its snapshot.',
      media: { 'image/webp': null, 'image/png': null },
      errors,
    }),
    readMhtml: get(access, `${snapshot}/mhtml`, 'Read the MHTML file of a snapshot', {
      client: 'mhtml',
      description: 'The file that was made with `options.mhtml`. It is deleted with its snapshot.',
      media: { [MHTML_TYPE]: null },
      errors,
    }),
  };
}
