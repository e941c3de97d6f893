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
