import { ADMIN_OPERATIONS, API_OPERATIONS, MHTML_TYPE } from '@winnow/contract';
import type { DumpResponse, MhtmlBody, ScreenshotBody, SnapshotBody } from '@winnow/contract';
import type { FastifyReply } from 'fastify';
import type {
  PageAttachments,
  StoredAttachments,
  StoredContent,
  StoredScreenshot,
} from '../../domain/storage/attachments.ts';
import { readContent, type ReadContentDeps } from '../../domain/storage/read-content.ts';
import type { SnapshotRow } from '../../domain/storage/snapshot-ports.ts';
import { AppError } from '../../domain/shared/errors.ts';

type Name = keyof StoredAttachments;

export function presentAttachments(domId: string, { screenshot, mhtml }: PageAttachments): Pick<DumpResponse, Name> {
  const { readScreenshot, readMhtml } = API_OPERATIONS.pages;
  const toUrl = ({ path }: { readonly path: string }): string => path.replace(':dom_id', domId);
  return {
    ...(screenshot !== undefined && {
      screenshot: screenshot && describeScreenshot(screenshot, toUrl(readScreenshot)),
    }),
    ...(mhtml !== undefined && { mhtml: mhtml && describeMhtml(mhtml, toUrl(readMhtml)) }),
  };
}

export function presentStored({ projectId, domId, screenshot, mhtml }: SnapshotRow): Pick<SnapshotBody, Name> {
  const { readScreenshot, readMhtml } = ADMIN_OPERATIONS;
  const toUrl = ({ path }: { readonly path: string }): string =>
    path.replace(':project_id', projectId).replace(':dom_id', domId);
  return {
    screenshot: screenshot === undefined ? null : describeScreenshot(screenshot, toUrl(readScreenshot)),
    mhtml: mhtml === undefined ? null : describeMhtml(mhtml, toUrl(readMhtml)),
  };
}

function describeScreenshot({ mediaType, width, height, bytes, isCut }: StoredScreenshot, url: string): ScreenshotBody {
  return { url, media_type: mediaType, width, height, bytes, cut: isCut };
}

function describeMhtml({ bytes }: StoredContent, url: string): MhtmlBody {
  return { url, media_type: MHTML_TYPE, bytes };
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
