import { readdirSync, readFileSync } from 'node:fs';

/** Lists all descendants of a process whose command line contains a word, without zombies. */
export function listDescendants(pid: number, word = ''): number[] {
  const pids = selectDescendants(pid, readProcesses()).map((one) => one.pid);
  return word === '' ? pids : pids.filter((one) => read(`/proc/${one}/cmdline`).includes(word));
}

/**
 * Tracks all descendants of a process and their sessions. An orphan has another parent, and only the first
 * process of a browser names its owner on its command line.
 */
export class Lineage {
  readonly #root: number;
  readonly #ownSession: number | undefined;
  /** Start times distinguish reused process ids. */
  readonly #starts = new Map<number, string>();
  readonly #sessions = new Set<number>();

  constructor(root: number) {
    this.#root = root;
    this.#ownSession = readProcess(root)?.session;
  }

  /** Records the current descendants. */
  look(): void {
    for (const { pid, start, session } of selectDescendants(this.#root, readProcesses())) {
      this.#starts.set(pid, start);
      if (session !== this.#ownSession) this.#sessions.add(session);
    }
  }

  /** Lists the recorded processes that still run, under any parent, without zombies. */
  listLiving(): number[] {
    return readProcesses()
      .filter(({ pid, start, session }) => this.#starts.get(pid) === start || this.#sessions.has(session))
      .map(({ pid }) => pid);
  }
}

/** Returns the resident memory in MiB, or undefined when the process is gone. */
export function readResidentMiB(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/** The longest that strangers may hold the event loop, in milliseconds of processor time of an idle machine. */
const MAX_HELD_MS = 250;
/** Processor time of `work` on the machine on which that bound was set. */
const WORK_MS = 25;

/** The same bound in the processor time of this machine now: a machine that others use runs everything slower. */
export function readMaxHeldMs(): number {
  const records = Array.from({ length: 2000 }, (_, id) => ({ id, name: `harbour ${id}`, list: [id, String(id)] }));
  const work = (): void => {
    const text = JSON.stringify(records);
    for (let count = 0; count < 20; count += 1) JSON.parse(text);
  };
  const times = Array.from({ length: 7 }, () => {
    const start = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  });
  const median = times.toSorted((a, b) => a - b)[3] ?? WORK_MS;
  return MAX_HELD_MS * Math.max(1, median / WORK_MS);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Start time in ticks since boot. */
  readonly start: string;
}

function readProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
}

/** Parses after the last parenthesis, since the name may contain any character. */
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

/** Processor time of the main thread in milliseconds, in the clock ticks of Linux, of 10 ms. Not of the time it waits. */
export function readMainThreadMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
