/** What nodes of one deployment agree on through the store, so that limits hold over all of them. */

/** What a ledger gave of a key's quota. */
export interface QuotaGrant {
  /** Requests that were granted, from none to as many as were asked for. */
  readonly granted: number;
  /** Requests that the window has left after this grant. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

export interface QuotaLedger {
  /** Takes requests off the key's present window of a minute: never more than it has left, over all nodes. */
  take(keyId: string, limit: number, count: number): Promise<QuotaGrant>;
}

/** One of a host's places, over all nodes, that a node holds for as long as it renews the lease. */
export interface HostLease {
  readonly host: string;
  readonly slot: number;
  /** Unlike that of any other lease. */
  readonly id: string;
}

export interface HostClaim {
  readonly host: string;
  /** Name of the asking node. */
  readonly node: string;
  /** Places that the host has. */
  readonly places: number;
  /** Milliseconds that the lease lasts unless it is renewed. */
  readonly leaseMs: number;
  /** Milliseconds for which the node keeps its place in the line after a refusal. */
  readonly lineMs: number;
  /** The node stood in the line before this claim. */
  readonly stoodInLine: boolean;
  /** More of the node wait behind this claim: after it the node goes to the end of the line, not out of it. */
  readonly moreWait: boolean;
}

export interface HostLeases {
  /**
   * A place at the host. Undefined when all are taken, or the free ones belong to nodes that have waited longer;
   * the node then stands in the line.
   */
  claim(claim: HostClaim): Promise<HostLease | undefined>;
  /** A node that waits no more leaves the line. */
  leave(host: string, node: string): Promise<void>;
  /** Gives a place back; nothing when the lease was lost. */
  release(lease: HostLease): Promise<void>;
  renew(leases: readonly HostLease[], leaseMs: number): Promise<void>;
  /**
   * Reserves the host's next start, `spacingMs` after the one before it. `waitMs`: milliseconds until then. Nothing is
   * reserved when that is more than `maxWaitMs`.
   */
  reserveStart(host: string, spacingMs: number, maxWaitMs: number): Promise<{ waitMs: number; reserved: boolean }>;
}
