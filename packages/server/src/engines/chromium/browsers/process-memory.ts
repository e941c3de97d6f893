import { readFileSync } from 'node:fs';

/** Bytes of a process; 0 if unknown. */
export interface ProcessMemory {
  readonly residentBytes: number;
  /** Without file mappings, which processes share. */
  readonly ownBytes: number;
}

/** Synchronous: the kernel is faster than a thread hand-over. */
export function readProcessMemory(pid: number): ProcessMemory {
  try {
    // `statm` has pages of varying size; `smaps_rollup` is slow.
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const residentBytes = readField(status, /^VmRSS:\s+(\d+) kB$/m);
    return { residentBytes, ownBytes: residentBytes - readField(status, /^RssFile:\s+(\d+) kB$/m) };
  } catch {
    return { residentBytes: 0, ownBytes: 0 };
  }
}

function readField(status: string, pattern: RegExp): number {
  return Number(pattern.exec(status)?.[1] ?? 0) * 1024;
}
