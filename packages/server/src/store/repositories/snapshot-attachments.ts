import type { Selectable } from 'kysely';
import type { SnapshotRow, StoredScreenshot } from '../../domain/storage/snapshot-ports.ts';
import type { SnapshotTable } from '../schema/schema.ts';

type ScreenshotColumns = Pick<Selectable<SnapshotTable>, 'screenshot_hash' | 'screenshot_bytes' | 'screenshot'>;
type MhtmlColumns = Pick<Selectable<SnapshotTable>, 'mhtml_hash' | 'mhtml_stored_bytes' | 'mhtml_bytes'>;
type Attachments = Pick<SnapshotRow, 'screenshot' | 'mhtml'>;

export function toAttachmentColumns({ screenshot, mhtml }: Attachments): ScreenshotColumns & MhtmlColumns {
  return {
    ...toScreenshotColumns(screenshot),
    mhtml_hash: mhtml?.hash ?? null,
    mhtml_stored_bytes: mhtml?.storedBytes ?? null,
    mhtml_bytes: mhtml?.bytes ?? null,
  };
}

export function readAttachments(row: ScreenshotColumns & MhtmlColumns): Attachments {
  return { ...readScreenshot(row), ...readMhtml(row) };
}

function toScreenshotColumns(screenshot: StoredScreenshot | undefined): ScreenshotColumns {
  if (screenshot === undefined) return { screenshot_hash: null, screenshot_bytes: null, screenshot: null };
  const { hash, storedBytes, ...facts } = screenshot;
  return { screenshot_hash: hash, screenshot_bytes: storedBytes, screenshot: JSON.stringify(facts) };
}

function readScreenshot(row: ScreenshotColumns): Pick<Attachments, 'screenshot'> {
  if (row.screenshot_hash === null || row.screenshot === null) return {};
  const facts = JSON.parse(row.screenshot) as Omit<StoredScreenshot, 'hash' | 'storedBytes'>;
  return { screenshot: { ...facts, hash: row.screenshot_hash, storedBytes: row.screenshot_bytes ?? 0 } };
}

function readMhtml({ mhtml_hash: hash, mhtml_stored_bytes: storedBytes, mhtml_bytes: bytes }: MhtmlColumns) {
  return hash === null ? {} : { mhtml: { hash, storedBytes: storedBytes ?? 0, bytes: bytes ?? 0 } };
}
