/** Tasks performed by one node at a time. */
export interface SharedTasks {
  /** True with a lease if the task is due and free. */
  begin(name: string, owner: string, leaseMs: number): Promise<boolean>;
  /** False if the lease was lost. */
  renew(name: string, owner: string, leaseMs: number): Promise<boolean>;
  /** The task is due again after `dueInMs`. */
  end(name: string, owner: string, dueInMs: number): Promise<void>;
}

/** Two renewals may fail. */
const RENEWALS_PER_LEASE = 4;

/**
 * Renews a lease until the returned function is called.
 * @param renew resolves with false if the lease is lost
 * @param onLost gets the error of a renewal that failed
 */
export function keepLease(
  leaseMs: number,
  renew: () => Promise<unknown>,
  onLost: (error?: unknown) => void,
): () => void {
  const timer = setInterval(() => {
    renew().then((isHeld) => {
      if (isHeld === false) onLost();
    }, onLost);
  }, leaseMs / RENEWALS_PER_LEASE).unref();
  return () => clearInterval(timer);
}

/** With several nodes: who does a task at a time. */
export interface Sharing {
  readonly tasks: SharedTasks;
  readonly node: string;
}

/** Delay until another node takes over from a dead one. */
const TASK_LEASE_MS = 30_000;

/** Does a task that is due, unless another node does it. The signal is aborted when the lease is lost. */
export async function runAlone(
  { tasks, node }: Sharing,
  name: string,
  everyMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  if (!(await tasks.begin(name, node, TASK_LEASE_MS))) return;
  const lost = new AbortController();
  const stopRenewing = keepLease(
    TASK_LEASE_MS,
    () => tasks.renew(name, node, TASK_LEASE_MS),
    () => lost.abort(),
  );
  const own = AbortSignal.any([signal, lost.signal]);
  let done = false;
  try {
    await work(own);
    done = !own.aborted;
  } finally {
    stopRenewing();
    // Interrupted work is due immediately.
    await tasks.end(name, node, done ? everyMs : 0);
  }
}
