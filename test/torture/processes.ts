import { readdirSync, readFileSync } from 'node:fs';

/** All processes below one, however deep; zombies are left out. */
export function listDescendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = readParent(Number(name));
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const found = new Set([pid]);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const [child, parent] of parents) if (found.has(parent)) found.add(child);
  }
  found.delete(pid);
  return [...found];
}

/** Browser processes that a service left behind: their profiles carry its process id. */
export function listOrphans(servicePid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const command = read(`/proc/${pid}/cmdline`);
      return command.includes('winnow-chromium-') && command.includes(`-${servicePid}-`);
    });
}

/** Resident memory in MiB; undefined when the process is gone. */
export function readResidentMiB(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/** Ids of all threads of a process; a thread that is replaced gets a new one. */
export function listThreads(pid: number): Set<number> {
  try {
    return new Set(readdirSync(`/proc/${pid}/task`).map(Number));
  } catch {
    return new Set();
  }
}

/** The name in parentheses may hold anything, so the fields are counted from its end. */
function readParent(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === undefined || state === 'Z' || parent === undefined ? undefined : Number(parent);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
