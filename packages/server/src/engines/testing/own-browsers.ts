import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Lineage, listDescendants } from '../../../../../test/torture/processes.ts';

/** Reads a /proc file; empty if the process is gone. */
export function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

const own = new Lineage(process.pid);

/** Lists the processes of own browsers, including orphans that an earlier call has seen with their parents. */
export function ownBrowsers(): number[] {
  own.look();
  return own.listLiving();
}

export function untilNoneIsLeft(): Promise<void> {
  return until(() => ownBrowsers().length === 0, 'all processes of the browsers to end');
}

/** Lists descendants; zygote children have no profile argument. */
export function ownHelpers(isWanted: (command: string) => boolean, pid: number = process.pid): number[] {
  return listDescendants(pid).filter((one) => isWanted(readProc(one, 'cmdline')));
}

/** Tests a command line for the main process of a browser. */
export const isBrowser = (command: string): boolean =>
  command.includes('winnow-chromium-') && !command.includes('--type=');

export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 120_000;
  while (!condition()) {
    assert.ok(Date.now() < end, `still waiting: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
