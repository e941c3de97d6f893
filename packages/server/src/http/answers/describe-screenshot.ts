import { SNAPSHOT_PATHS } from '@winnow/contract';
import type { ScreenshotBody } from '@winnow/contract';
import type { FastifyReply } from 'fastify';
import type { SnapshotContent, StoredScreenshot } from '../../domain/storage/snapshot-ports.ts';
import { AppError } from '../../domain/shared/errors.ts';

/** @param url path under which the picture is */
export function describeScreenshot(screenshot: StoredScreenshot, url: string): ScreenshotBody {
  const { mediaType, width, height, bytes, isCut } = screenshot;
  return { url, media_type: mediaType, width, height, bytes, cut: isCut };
}

export function snapshotScreenshotPath(domId: string): string {
  return SNAPSHOT_PATHS.screenshot.replace(':dom_id', domId);
}

/**
 * Sends the picture of a snapshot.
 * @throws {AppError} `not_found` when it has none
 */
export async function sendScreenshot(
  reply: FastifyReply,
  content: Pick<SnapshotContent, 'get'>,
  screenshot: StoredScreenshot | undefined,
): Promise<FastifyReply> {
  const base64 = screenshot && (await content.get(screenshot.hash));
  if (screenshot === undefined || base64 === undefined)
    throw new AppError('not_found', 'the snapshot has no screenshot: it was captured without options.screenshot');
  return reply
    .header('Cache-Control', 'no-store')
    .header('Content-Security-Policy', "default-src 'none'; sandbox")
    .header('Cross-Origin-Resource-Policy', 'same-origin')
    .header('X-Content-Type-Options', 'nosniff')
    .type(screenshot.mediaType)
    .send(Buffer.from(base64, 'base64'));
}
