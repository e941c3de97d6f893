import fs from 'node:fs';
import path from 'node:path';

/** Below this puts are refused, which leaves room for the database. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
const FREE_SPACE_REUSE_MS = 500;

let hasSpaceUntil = Number.NEGATIVE_INFINITY;

/** @throws {Error} `ENOSPC` when the disk is nearly full */
export function checkFreeSpace(folder: string): void {
  const { bavail, bsize } = fs.statfsSync(fs.existsSync(folder) ? folder : path.dirname(folder));
  if (bavail * bsize < MIN_FREE_BYTES) {
    const fault = `the disk of ${folder} is full: less than ${MIN_FREE_BYTES / 1024 / 1024} MiB are free`;
    throw Object.assign(new Error(fault), { code: 'ENOSPC' });
  }
}

/** Caches {@link checkFreeSpace}. */
export function requireFreeSpace(folder: string): void {
  if (performance.now() < hasSpaceUntil) return;
  checkFreeSpace(folder);
  hasSpaceUntil = performance.now() + FREE_SPACE_REUSE_MS;
}
