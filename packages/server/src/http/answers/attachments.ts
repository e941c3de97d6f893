import { API_OPERATIONS, MHTML_TYPE } from '@winnow/contract';
import type { DumpResponse, MhtmlBody, ScreenshotBody } from '@winnow/contract';
import type { FastifyReply } from 'fastify';
import { readContent } from '../../domain/storage/read-content.ts';
import type { ReadContentDeps } from '../../domain/storage/read-content.ts';
import type {
  PageAttachments,
  SnapshotRow,
  StoredContent,
  StoredScreenshot,
} from '../../domain/storage/snapshot-ports.ts';
import { AppError } from '../../domain/shared/errors.ts';

/** @param url path of the picture */
export function describeScreenshot(screenshot: StoredScreenshot, url: string): ScreenshotBody {
  const { mediaType, width, height, bytes, isCut } = screenshot;
  return { url, media_type: mediaType, width, height, bytes, cut: isCut };
}

/** @param url path of the file */
export function describeMhtml({ bytes }: StoredContent, url: string): MhtmlBody {
  return { url, media_type: MHTML_TYPE, bytes };
}

/** Returns the attachment fields of a response. */
export function presentAttachments(
  domId: string,
  { screenshot, mhtml }: PageAttachments,
): Pick<DumpResponse, 'screenshot' | 'mhtml'> {
  const { readScreenshot, readMhtml } = API_OPERATIONS.pages;
  return {
    ...(screenshot === undefined
      ? {}
      : { screenshot: screenshot && describeScreenshot(screenshot, readScreenshot.path.replace(':dom_id', domId)) }),
    ...(mhtml === undefined ? {} : { mhtml: mhtml && describeMhtml(mhtml, readMhtml.path.replace(':dom_id', domId)) }),
  };
}

/**
 * Sends the screenshot of a snapshot.
 * @throws {AppError} `not_found` when it has none
 */
export async function sendScreenshot(
  reply: FastifyReply,
  deps: ReadContentDeps,
  row: SnapshotRow,
): Promise<FastifyReply> {
  const { screenshot } = row;
  if (screenshot === undefined)
    throw new AppError('not_found', 'the snapshot has no screenshot: it was captured without options.screenshot');
  const base64 = await readContent(deps, row, screenshot.hash);
  return guard(reply).type(screenshot.mediaType).send(Buffer.from(base64, 'base64'));
}

/**
 * Sends the MHTML file of a snapshot as a download, so that its scripts and forms do not run in the service's origin.
 * @throws {AppError} `not_found` when it has none
 */
export async function sendMhtml(reply: FastifyReply, deps: ReadContentDeps, row: SnapshotRow): Promise<FastifyReply> {
  if (row.mhtml === undefined)
    throw new AppError('not_found', 'the snapshot has no MHTML file: it was captured without options.mhtml');
  const text = await readContent(deps, row, row.mhtml.hash);
  const disposition = `attachment; filename="${row.domId}.mhtml"`;
  return guard(reply).header('Content-Disposition', disposition).type(MHTML_TYPE).send(Buffer.from(text));
}

function guard(reply: FastifyReply): FastifyReply {
  return reply
    .header('Content-Security-Policy', "default-src 'none'; sandbox")
    .header('Cross-Origin-Resource-Policy', 'same-origin')
    .header('X-Content-Type-Options', 'nosniff');
}
