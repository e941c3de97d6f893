export interface QuotaGrant {
  /** At most the requested count. */
  readonly granted: number;
  readonly remaining: number;
  readonly resetMs: number;
}

export interface QuotaLedger {
  /** Takes requests from the current one-minute window of all nodes. */
  take(keyId: string, limit: number, count: number): Promise<QuotaGrant>;
}

export interface HostLease {
  readonly host: string;
  readonly slot: number;
  readonly id: string;
}

export interface HostClaim {
  readonly host: string;
  readonly node: string;
  readonly slots: number;
  readonly leaseMs: number;
  /** A queued node keeps its position for this time. */
  readonly lineMs: number;
  readonly stoodInLine: boolean;
  /** The node has more captures: it moves to the end of the queue instead of leaving. */
  readonly moreWait: boolean;
}

export interface HostLeases {
  /** If no slot is free for the node, queues it and returns undefined. */
  claim(claim: HostClaim): Promise<HostLease | undefined>;
  leave(host: string, node: string): Promise<void>;
  /** Ignores a lost lease. */
  release(lease: HostLease): Promise<void>;
  renew(leases: readonly HostLease[], leaseMs: number): Promise<void>;
  /** Reserves the next start unless it is later than `maxWaitMs`; returns the milliseconds until then. */
  reserveStart(host: string, spacingMs: number, maxWaitMs: number): Promise<{ waitMs: number; reserved: boolean }>;
}
