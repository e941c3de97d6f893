/** Periodic tasks performed by one node at a time. */
export interface SharedTasks {
  /** Returns true with a lease if the task is due and free. */
  begin(name: string, owner: string, leaseMs: number): Promise<boolean>;
  /** Returns false if the lease was lost. */
  renew(name: string, owner: string, leaseMs: number): Promise<boolean>;
  /** Ends the task, which is due again after the given time. */
  end(name: string, owner: string, dueInMs: number): Promise<void>;
}
