/** Tasks performed by one node at a time. */
export interface SharedTasks {
  /** True with a lease if the task is due and free. */
  begin(name: string, owner: string, leaseMs: number): Promise<boolean>;
  /** False if the lease was lost. */
  renew(name: string, owner: string, leaseMs: number): Promise<boolean>;
  /** The task is due again after `dueInMs`. */
  end(name: string, owner: string, dueInMs: number): Promise<void>;
}
