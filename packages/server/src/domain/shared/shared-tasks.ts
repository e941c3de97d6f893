/** Work that one node of a deployment does at a time, now and then. */
export interface SharedTasks {
  /** True, and a lease for so long, when the task is due and no other node is at it. */
  begin(name: string, owner: string, leaseMs: number): Promise<boolean>;
  /** Prolongs the lease; false when it was lost. */
  renew(name: string, owner: string, leaseMs: number): Promise<boolean>;
  /** Gives the task back, done; it is due again after so long. */
  end(name: string, owner: string, dueInMs: number): Promise<void>;
}
