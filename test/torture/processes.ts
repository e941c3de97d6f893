import { readdirSync, readFileSync } from 'node:fs';

/** All processes below one, however deep; zombies are left out. */
export function listDescendants(pid: number): number[] {
  return selectDescendants(pid, readProcesses()).map((one) => one.pid);
}

/**
 * Everything that was ever seen below a process, and all of the sessions that were begun there: what outlives the
 * process has another parent then, and of a browser's processes only the first says on its command line whose it is.
 */
export class Lineage {
  readonly #root: number;
  readonly #ownSession: number | undefined;
  /** Process ids may come again, but not with the same start. */
  readonly #starts = new Map<number, string>();
  readonly #sessions = new Set<number>();

  constructor(root: number) {
    this.#root = root;
    this.#ownSession = readProcess(root)?.session;
  }

  /** Takes note of what runs there now. */
  look(): void {
    for (const { pid, start, session } of selectDescendants(this.#root, readProcesses())) {
      this.#starts.set(pid, start);
      if (session !== this.#ownSession) this.#sessions.add(session);
    }
  }

  /** Those that run still, wherever they hang now; zombies are left out. */
  listLiving(): number[] {
    return readProcesses()
      .filter(({ pid, start, session }) => this.#starts.get(pid) === start || this.#sessions.has(session))
      .map(({ pid }) => pid);
  }
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

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Ticks from the machine's start to its own. */
  readonly start: string;
}

function readProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

/** The name in parentheses may hold anything, so the fields are counted from its end. */
function readProcess(pid: number): Process | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, , session] = fields;
  const start = fields[19];
  if (state === 'Z' || start === undefined) return undefined;
  return { pid, parent: Number(parent), session: Number(session), start };
}

function selectDescendants(root: number, processes: readonly Process[]): Process[] {
  const found = new Set([root]);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid);
  }
  found.delete(root);
  return processes.filter(({ pid }) => found.has(pid));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
