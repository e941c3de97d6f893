/** Tables for limits shared by nodes on one PostgreSQL database; conventions as in `schema.ts`. */
export interface SharedTables {
  key_quotas: KeyQuotaTable;
  host_slots: HostSlotTable;
  host_lines: HostLineTable;
  host_starts: HostStartTable;
  shared_tasks: SharedTaskTable;
}

/** Usage of a key's quota. */
interface KeyQuotaTable {
  key_id: string;
  shard: number;
  /** Number of the window since 1970, offset by the key's phase. */
  period: number;
  used: number;
  /** Requests granted by the last statement. */
  granted: number;
}

/** A used concurrency slot of a target host, until its lease expires. */
interface HostSlotTable {
  host: string;
  slot: number;
  lease: string;
  lease_until: number;
}

/** A node that waits for a slot of a host. */
interface HostLineTable {
  host: string;
  node: string;
  since: number;
  /** The row expires unless the node renews it before this time. */
  until: number;
}

interface HostStartTable {
  host: string;
  /** Earliest start of the next capture of the host. */
  next_at: number;
}

/** A periodic task that one node at a time performs. */
interface SharedTaskTable {
  name: string;
  owner: string | null;
  lease_until: number;
  due_at: number;
}
