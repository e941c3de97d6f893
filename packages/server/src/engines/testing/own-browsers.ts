import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { listDescendants } from '../../../../../test/torture/processes.ts';

/** A file of a process under /proc; empty when the process is gone. */
export function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** Processes of browsers that a process (by default this one) started, found by the folder of their profile. */
export function ownBrowsers(pid: number = process.pid): number[] {
  return processesWith(`-${pid}-`).filter((one) => readProc(one, 'cmdline').includes('winnow-chromium-'));
}

/** Processes whose command line contains a text; zombies are left out. */
function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readProc(pid, 'cmdline').includes(text) && !/\) Z /.test(readProc(pid, 'stat')));
}

/** Processes below one (by default this one), by their command line; those that the zygote starts carry no profile. */
export function ownHelpers(isWanted: (command: string) => boolean, pid: number = process.pid): number[] {
  return listDescendants(pid).filter((one) => isWanted(readProc(one, 'cmdline')));
}

/** Waits for what is bound to come; fails after 20 s. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!condition()) {
    assert.ok(Date.now() < end, `still waiting: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
