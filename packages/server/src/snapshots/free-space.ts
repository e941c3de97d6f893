import fs from 'node:fs';
import path from 'node:path';

/** A put is refused while the disk has less than this free: a full disk must not take the database with it. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
const FREE_SPACE_REUSE_MS = 500;

/** Reading of the clock until which there is known to be room on the disk. */
let hasSpaceUntil = Number.NEGATIVE_INFINITY;

/** @throws {Error} with the code `ENOSPC` when there is hardly any room where the folder is, or will be */
export function checkFreeSpace(folder: string): void {
  const { bavail, bsize } = fs.statfsSync(fs.existsSync(folder) ? folder : path.dirname(folder));
  if (bavail * bsize < MIN_FREE_BYTES) {
    const fault = `the disk of ${folder} is full: less than ${MIN_FREE_BYTES / 1024 / 1024} MiB are free`;
    throw Object.assign(new Error(fault), { code: 'ENOSPC' });
  }
}

/** The same, where the disk is asked once for all puts of a short time. */
export function requireFreeSpace(folder: string): void {
  if (performance.now() < hasSpaceUntil) return;
  checkFreeSpace(folder);
  hasSpaceUntil = performance.now() + FREE_SPACE_REUSE_MS;
}
