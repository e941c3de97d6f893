import type { CaptureOptions } from '../request-options/page-options.ts';
import type { SnapshotRow, StoredContent, StoredScreenshot } from './snapshot-ports.ts';

/** Null: requested, but could not be made; undefined: none. */
export interface PageAttachments {
  readonly screenshot: StoredScreenshot | null | undefined;
  readonly mhtml: StoredContent | null | undefined;
}

/** @param wanted options of the capture; undefined for a stored page */
export function attachmentsOf(
  { screenshot, mhtml }: Pick<SnapshotRow, 'screenshot' | 'mhtml'>,
  wanted: Pick<CaptureOptions, 'screenshot' | 'mhtml'> = {},
): PageAttachments {
  return {
    screenshot: screenshot ?? (wanted.screenshot === undefined ? undefined : null),
    mhtml: mhtml ?? (wanted.mhtml === undefined ? undefined : null),
  };
}
