/** Tables through which nodes on one PostgreSQL database keep common limits; conventions as in `schema.ts`. */
export interface SharedTables {
  key_quotas: KeyQuotaTable;
  host_slots: HostSlotTable;
  host_lines: HostLineTable;
  host_starts: HostStartTable;
  shared_tasks: SharedTaskTable;
}

/** What was taken of one shard of a key's quota. */
interface KeyQuotaTable {
  key_id: string;
  shard: number;
  /** Number of the window since 1970, in the key's own phase. */
  period: number;
  used: number;
  /** What the last statement was granted. */
  granted: number;
}

/** A place at a target host that is taken, until its lease ends. */
interface HostSlotTable {
  host: string;
  slot: number;
  lease: string;
  lease_until: number;
}

/** A node that waits for a place at a host. */
interface HostLineTable {
  host: string;
  node: string;
  since: number;
  /** It has given up, or is dead, when it has not asked again before this time. */
  until: number;
}

interface HostStartTable {
  host: string;
  /** When the next capture of the host may start. */
  next_at: number;
}

/** Work that one node at a time does, now and then. */
interface SharedTaskTable {
  name: string;
  owner: string | null;
  lease_until: number;
  due_at: number;
}
