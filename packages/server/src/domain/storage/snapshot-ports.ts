/** Stored pages: their bytes (`snapshots/`) and their rows (`store/`). */
import type { EngineName } from '@winnow/contract';
import type { Page, PageRequest } from '../shared/ports.ts';

/** Where the bytes of snapshots lie, by content address. */
export interface SnapshotContent {
  /** Stores the text durably and returns its address; the same text has the same address. */
  put(html: string): Promise<StoredContent>;
  /** The text at an address; undefined when nothing lies there. Throws when the bytes do not fit the address. */
  get(hash: string): Promise<string | undefined>;
  /**
   * Removes the content unless it was put again since `putBefore`: who just put it may be about to write
   * its row. Without the time it goes in any case. Nothing at the address is no error.
   */
  delete(hash: string, putBefore?: Date): Promise<void>;
  /** Addresses of all content that was last put before the time, in batches; the order means nothing. */
  listPutBefore(time: Date): AsyncIterable<readonly string[]>;
  /** Rejects when content cannot be stored now (folder gone, not writable, disk full). */
  check(): Promise<void>;
}

export interface StoredContent {
  /** SHA-256 of the UTF-8 text, lower-case hex. */
  readonly hash: string;
  /** Bytes of the UTF-8 text. */
  readonly bytes: number;
  /** Bytes as stored (compressed). */
  readonly storedBytes: number;
}

/** A stored snapshot without its text. */
export interface SnapshotRow {
  readonly domId: string;
  readonly projectId: string;
  readonly hash: string;
  readonly bytes: number;
  readonly storedBytes: number;
  /** URL as the caller gave it. */
  readonly url: string;
  readonly finalUrl: string;
  readonly statusCode: number;
  readonly engine: EngineName;
  readonly fetchedAt: Date;
  readonly contentType: string | null;
  readonly contentLanguage: string | null;
  /** Script and style elements were removed before storing. */
  readonly filtered: boolean;
  /** For lists; null when the page states none, and for snapshots of earlier versions. */
  readonly title: string | null;
}

/** Rows of snapshots. Every read names the project: a foreign `dom_id` is as if absent. */
export interface SnapshotRepository {
  insert(row: SnapshotRow): Promise<void>;
  find(projectId: string, domId: string): Promise<SnapshotRow | undefined>;
  /** The newest first. */
  list(projectId: string, filter?: SnapshotFilter, page?: PageRequest): Promise<Page<SnapshotRow>>;
  /** False when the project has no such snapshot. The content goes with the next sweep. */
  delete(projectId: string, domId: string): Promise<boolean>;
  /** Removes up to `limit` rows, the oldest first: of one project or of all, and those fetched before a time or all. */
  removeOldest(
    limit: number,
    among?: { readonly fetchedBefore?: Date; readonly projectId?: string },
  ): Promise<RemovedSnapshot[]>;
  /** The project whose snapshots take the most bytes; undefined when nothing is stored. */
  findLargestProject(): Promise<string | undefined>;
  /** Which of the addresses no row refers to. */
  findUnreferenced(hashes: readonly string[]): Promise<string[]>;
  /** Bytes as stored of all snapshots together, with their rows; content that several rows share counts once. */
  totalStoredBytes(): Promise<number>;
}

export interface RemovedSnapshot {
  readonly domId: string;
  readonly hash: string;
  readonly storedBytes: number;
  /** Bytes that the row itself took. */
  readonly rowBytes: number;
}

/** Every field narrows; none: everything. */
export interface SnapshotFilter {
  /** Part of the URL as given or of the final URL; letter case does not count. */
  readonly urlContains?: string;
  /** Host of the final URL. */
  readonly host?: string;
  readonly engine?: EngineName;
  readonly statusCode?: number;
  readonly fetchedFrom?: Date;
  /** Exclusive. */
  readonly fetchedTo?: Date;
}
