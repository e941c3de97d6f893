import { readFileSync } from 'node:fs';

/** What the kernel tells of a process's memory, in bytes; all 0 when the process is gone or the system does not tell. */
export interface ProcessMemory {
  /** All that is resident. */
  readonly residentBytes: number;
  /** Without what is mapped from files: processes of one program share that. */
  readonly ownBytes: number;
}

/** The kernel makes the file up from memory, in less time than handing the reading to another thread takes. */
export function readProcessMemory(pid: number): ProcessMemory {
  try {
    // Not `statm`: that counts pages, whose size is not the same on all machines. Not `smaps_rollup`: that takes
    // milliseconds to make up.
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
