import { readFileSync } from 'node:fs';
import type { DevtoolsConnection } from './devtools-connection.ts';
import { poll } from './poll.ts';

export interface WatchdogOptions {
  readonly connection: DevtoolsConnection;
  /** Resident bytes above which a renderer is ended. */
  readonly maxBytes: number;
  readonly onKill: (pid: number, bytes: number) => void;
}

const POLL_MS = 100;
/** Renderers come and go with pages: the list is asked for at every third look. */
const LOOKS_PER_LIST = 3;

interface ProcessInfo {
  readonly processInfo: readonly { readonly type: string; readonly id: number }[];
}

/**
 * Ends renderers of a local browser that take too much memory; V8's own limits do not cover typed arrays.
 * The browser and its other pages go on.
 * @returns ends the watch
 */
export function watchMemory({ connection, maxBytes, onKill }: WatchdogOptions): () => void {
  let renderers: readonly number[] = [];
  let looks = 0;
  const look = async (): Promise<void> => {
    if (looks++ % LOOKS_PER_LIST === 0) renderers = await listRenderers(connection);
    for (const pid of renderers) {
      const bytes = residentBytes(pid);
      if (bytes > maxBytes && kill(pid)) onKill(pid, bytes);
    }
  };
  return poll(look, POLL_MS);
}

async function listRenderers(connection: DevtoolsConnection): Promise<number[]> {
  const { processInfo } = await connection.send<ProcessInfo>('SystemInfo.getProcessInfo');
  return processInfo.filter((process) => process.type === 'renderer').map((process) => process.id);
}

/**
 * Resident memory of a process; 0 when it is gone or the system does not tell. The kernel makes the file up from
 * memory, in less time than handing the reading to another thread takes.
 */
function residentBytes(pid: number): number {
  try {
    // Not `statm`: that counts pages, whose size is not the same on all machines.
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
