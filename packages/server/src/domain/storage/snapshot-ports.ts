import type { EngineName } from '@winnow/contract';
import type { Page, PageRequest } from '../shared/ports.ts';

/** Texts of snapshots by content address. */
export interface SnapshotContent {
  /** Stores a text durably; equal texts have the same address. */
  put(html: string): Promise<StoredContent>;
  /** Returns undefined for an unknown address. Throws for damaged content. */
  get(hash: string): Promise<string | undefined>;
  /** Removes content unless it was put after `putBefore`, since its row may follow. Ignores unknown addresses. */
  delete(hash: string, putBefore?: Date): Promise<void>;
  /** Lists content last put before the time, in batches without order. */
  listPutBefore(time: Date): AsyncIterable<readonly string[]>;
  /** Rejects when content cannot be stored. */
  check(): Promise<void>;
}

export interface StoredContent {
  /** SHA-256 of the UTF-8 text, lower-case hex. */
  readonly hash: string;
  /** Of the UTF-8 text. */
  readonly bytes: number;
  /** After compression. */
  readonly storedBytes: number;
}

export interface SnapshotRow {
  readonly domId: string;
  readonly projectId: string;
  readonly hash: string;
  readonly bytes: number;
  readonly storedBytes: number;
  readonly url: string;
  readonly finalUrl: string;
  readonly statusCode: number;
  readonly engine: EngineName;
  readonly fetchedAt: Date;
  readonly contentType: string | null;
  readonly contentLanguage: string | null;
  /** Script and style elements were removed. */
  readonly filtered: boolean;
  /** For lists; null if absent or stored by earlier versions. */
  readonly title: string | null;
}

/** Every read is limited to one project. */
export interface SnapshotRepository {
  insert(row: SnapshotRow): Promise<void>;
  find(projectId: string, domId: string): Promise<SnapshotRow | undefined>;
  /** Newest first. */
  list(projectId: string, filter?: SnapshotFilter, page?: PageRequest): Promise<Page<SnapshotRow>>;
  /** Returns false for an unknown snapshot. The next sweep removes the content. */
  delete(projectId: string, domId: string): Promise<boolean>;
  /** Removes up to `limit` of the oldest rows, optionally of one project or before a time. */
  removeOldest(
    limit: number,
    among?: { readonly fetchedBefore?: Date; readonly projectId?: string },
  ): Promise<RemovedSnapshot[]>;
  /** Project with the most bytes; undefined if nothing is stored. */
  findLargestProject(): Promise<string | undefined>;
  findUnreferenced(hashes: readonly string[]): Promise<string[]>;
  /** Bytes of rows and stored content; shared content counts once. */
  totalStoredBytes(): Promise<number>;
}

export interface RemovedSnapshot {
  readonly domId: string;
  readonly hash: string;
  readonly storedBytes: number;
  readonly rowBytes: number;
}

export interface SnapshotFilter {
  /** Part of the requested or final URL, ignoring case. */
  readonly urlContains?: string;
  /** Of the final URL. */
  readonly host?: string;
  readonly engine?: EngineName;
  readonly statusCode?: number;
  readonly fetchedFrom?: Date;
  /** Exclusive. */
  readonly fetchedTo?: Date;
}
