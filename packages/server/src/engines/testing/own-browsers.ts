import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Lineage, listDescendants } from '../../../../../test/torture/processes.ts';

/** A file of a process under /proc; empty when the process is gone. */
export function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

/** All processes that browsers of this process have had. */
const own = new Lineage(process.pid);

/** Processes of browsers that this process started, also of those that have ended; to be asked while they live, too. */
export function ownBrowsers(): number[] {
  own.look();
  return own.listLiving();
}

/** Waits until no process of any browser is left that this process started. */
export function untilNoneIsLeft(): Promise<void> {
  return until(() => ownBrowsers().length === 0, 'all processes of the browsers to end');
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
