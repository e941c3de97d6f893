import type { StageDetails } from '@winnow/contract';
import type { CaptureOptions } from '../request-options/page-options.ts';

export interface StoredContent {
  /** Of the UTF-8 text, lower-case hex. */
  readonly hash: string;
  /** Of the UTF-8 text. */
  readonly bytes: number;
  /** After compression. */
  readonly storedBytes: number;
}

interface ContentWriter {
  put(text: string): Promise<StoredContent>;
}

export interface Screenshot {
  readonly base64: string;
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** True if the page extends beyond the image. */
  readonly isCut: boolean;
}

export function screenshotBytes({ base64 }: Pick<Screenshot, 'base64'>): number {
  return Buffer.byteLength(base64, 'base64');
}

/** Null: requested, but could not be made. */
export interface CapturedAttachments {
  readonly screenshot?: Screenshot | null;
  readonly mhtml?: string | null;
}

/** A screenshot whose Base64 text is stored as content. */
export interface StoredScreenshot extends Omit<Screenshot, 'base64'> {
  readonly hash: string;
  /** Of the image. */
  readonly bytes: number;
  /** Of the content, after compression. */
  readonly storedBytes: number;
}

export interface StoredAttachments {
  readonly screenshot?: StoredScreenshot | undefined;
  readonly mhtml?: StoredContent | undefined;
}

/** Null: requested, but could not be made; undefined: none. */
export type PageAttachments = { readonly [Name in keyof StoredAttachments]-?: StoredAttachments[Name] | null };

export async function storeAttachments(
  content: ContentWriter,
  { screenshot, mhtml }: CapturedAttachments,
): Promise<StoredAttachments> {
  const [picture, archive] = await Promise.all([
    screenshot ? storeScreenshot(content, screenshot) : undefined,
    mhtml ? content.put(mhtml) : undefined,
  ]);
  return { screenshot: picture, mhtml: archive };
}

async function storeScreenshot(content: ContentWriter, { base64, ...facts }: Screenshot): Promise<StoredScreenshot> {
  const { hash, storedBytes } = await content.put(base64);
  return { ...facts, hash, storedBytes, bytes: screenshotBytes({ base64 }) };
}

export function describeSizes({ screenshot, mhtml }: StoredAttachments): Partial<StageDetails['snapshot']> {
  return {
    ...(screenshot && { screenshot_bytes: screenshot.bytes }),
    ...(mhtml && { mhtml_bytes: mhtml.bytes }),
  };
}

/** Lists the content addresses of a snapshot, its page first. */
export function listContents({ hash, screenshot, mhtml }: StoredAttachments & { readonly hash: string }): string[] {
  return [hash, ...(screenshot === undefined ? [] : [screenshot.hash]), ...(mhtml === undefined ? [] : [mhtml.hash])];
}

/** @param wanted options of the capture; undefined for a stored page */
export function attachmentsOf(
  { screenshot, mhtml }: StoredAttachments,
  wanted: Pick<CaptureOptions, keyof StoredAttachments> = {},
): PageAttachments {
  return {
    screenshot: screenshot ?? (wanted.screenshot === undefined ? undefined : null),
    mhtml: mhtml ?? (wanted.mhtml === undefined ? undefined : null),
  };
}
