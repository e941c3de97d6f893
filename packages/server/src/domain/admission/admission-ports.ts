export interface QuotaGrant {
  /** Granted requests, at most the requested count. */
  readonly granted: number;
  /** Requests left in the window. */
  readonly remaining: number;
  readonly resetMs: number;
}

export interface QuotaLedger {
  /** Takes requests from the key's current one-minute window, counted over all nodes. */
  take(keyId: string, limit: number, count: number): Promise<QuotaGrant>;
}

/** A concurrency slot of a host, held while its lease is renewed. */
export interface HostLease {
  readonly host: string;
  readonly slot: number;
  readonly id: string;
}

export interface HostClaim {
  readonly host: string;
  /** Asking node. */
  readonly node: string;
  /** Slots of the host. */
  readonly slots: number;
  readonly leaseMs: number;
  /** Time a queued node keeps its position without asking, in milliseconds. */
  readonly lineMs: number;
  /** The node was already queued. */
  readonly stoodInLine: boolean;
  /** More requests of the node wait: it moves to the end of the queue instead of leaving. */
  readonly moreWait: boolean;
}

export interface HostLeases {
  /** Claims a slot; if none is free for the node, queues it and returns undefined. */
  claim(claim: HostClaim): Promise<HostLease | undefined>;
  leave(host: string, node: string): Promise<void>;
  /** Releases a slot; ignores a lost lease. */
  release(lease: HostLease): Promise<void>;
  renew(leases: readonly HostLease[], leaseMs: number): Promise<void>;
  /**
   * Reserves the next start, `spacingMs` after the previous one, unless it is later than `maxWaitMs`. Returns the
   * milliseconds until then.
   */
  reserveStart(host: string, spacingMs: number, maxWaitMs: number): Promise<{ waitMs: number; reserved: boolean }>;
}
