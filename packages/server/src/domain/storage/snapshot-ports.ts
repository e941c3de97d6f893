import type { SnapshotOrigin } from '@winnow/contract';
import type { Page, PageRequest } from '../shared/ports.ts';
import type { StoredAttachments, StoredContent } from './attachments.ts';

export interface SnapshotContent {
  /** Stores a text durably; equal texts have the same address. */
  put(html: string): Promise<StoredContent>;
  /** Throws for damaged content. */
  get(hash: string): Promise<string | undefined>;
  /** Keeps content put after `putBefore`, since its row may follow. */
  delete(hash: string, putBefore?: Date): Promise<void>;
  /** Lists old content, without order. */
  listPutBefore(time: Date): AsyncIterable<readonly string[]>;
  /** Rejects when content cannot be stored. */
  check(): Promise<void>;
}

export interface SnapshotRow extends StoredAttachments, StoredContent {
  readonly domId: string;
  readonly projectId: string;
  readonly url: string;
  readonly finalUrl: string;
  readonly statusCode: number;
  readonly engine: SnapshotOrigin;
  readonly fetchedAt: Date;
  readonly contentType: string | null;
  readonly contentLanguage: string | null;
  readonly filtered: boolean;
  /** Null if absent. */
  readonly title: string | null;
  /** Lets other requests of the project find it; null or absent: no reuse. */
  readonly reuseKey?: string | null;
}

/** Every read is limited to one project. */
export interface SnapshotRepository {
  insert(row: SnapshotRow): Promise<void>;
  find(projectId: string, domId: string): Promise<SnapshotRow | undefined>;
  /** Finds the newest snapshot with the key, fetched at or after the time. */
  findReusable(projectId: string, reuseKey: string, fetchedFrom: Date): Promise<SnapshotRow | undefined>;
  /** Newest first. */
  list(projectId: string, filter?: SnapshotFilter, page?: PageRequest): Promise<Page<SnapshotRow>>;
  /** Deletes only the row. */
  delete(projectId: string, domId: string): Promise<boolean>;
  /** Removes the oldest rows, of one project or all, optionally before a time. */
  removeOldest(
    limit: number,
    among?: { readonly fetchedBefore?: Date; readonly projectId?: string },
  ): Promise<RemovedSnapshot[]>;
  /** Returns the project with the most bytes; undefined if nothing is stored. */
  findLargestProject(): Promise<string | undefined>;
  findUnreferenced(hashes: readonly string[]): Promise<string[]>;
  /** Sums content and rows; shared content counts once. */
  totalStoredBytes(): Promise<number>;
}

export interface RemovedSnapshot extends Pick<SnapshotRow, 'domId' | 'hash' | 'storedBytes'> {
  /** Of the row with its attachments. */
  readonly rowBytes: number;
  /** Of its files. */
  readonly attachmentHashes: readonly string[];
}

export interface SnapshotFilter {
  /** Requested or final URL, ignoring case. */
  readonly urlContains?: string | undefined;
  /** Of the final URL, perhaps with its port. */
  readonly host?: string | undefined;
  readonly engine?: SnapshotOrigin | undefined;
  readonly statusCode?: number | undefined;
  readonly fetchedFrom?: Date | undefined;
  /** Exclusive. */
  readonly fetchedTo?: Date | undefined;
}

/** Converts a host, perhaps with a port, to Punycode: `müller.example` is `xn--mller-kva.example`. */
export function toStoredHost(host: string): string {
  const trimmed = host.trim();
  const url = URL.parse(`http://${trimmed}`);
  return url !== null && url.href === `http://${url.host}/` ? url.host : trimmed;
}
