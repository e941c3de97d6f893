import { createHash } from 'node:crypto';
import { AppError } from '../../domain/shared/errors.ts';
import type { Page, PageRequest } from '../../domain/shared/ports.ts';
import type {
  SnapshotContent,
  SnapshotFilter,
  SnapshotRepository,
  SnapshotRow,
} from '../../domain/storage/snapshot-ports.ts';

/** UTF-16 code units of HTML that a session keeps. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_SNAPSHOTS = 1000;
const DEFAULT_LIMIT = 50;

/** Keeps the newest snapshots of a session in memory, up to a size. */
export class SessionSnapshots
  implements Pick<SnapshotRepository, 'insert' | 'find' | 'list'>, Pick<SnapshotContent, 'put' | 'get'>
{
  readonly #rows: SnapshotRow[] = [];
  readonly #texts = new Map<string, string>();
  #characters = 0;

  async put(html: string): Promise<{ hash: string; bytes: number; storedBytes: number }> {
    const hash = createHash('sha256').update(html).digest('hex');
    if (!this.#texts.has(hash)) {
      this.#texts.set(hash, html);
      this.#characters += html.length;
    }
    const bytes = Buffer.byteLength(html);
    return { hash, bytes, storedBytes: bytes };
  }

  async get(hash: string): Promise<string | undefined> {
    return this.#texts.get(hash);
  }

  async insert(row: SnapshotRow): Promise<void> {
    this.#rows.unshift(row);
    while (this.#rows.length > 1 && (this.#rows.length > MAX_SNAPSHOTS || this.#characters > MAX_CHARACTERS))
      this.#dropOldest();
  }

  async find(_projectId: string, domId: string): Promise<SnapshotRow | undefined> {
    return this.#rows.find((row) => row.domId === domId);
  }

  async findReusable(_projectId: string, reuseKey: string, fetchedFrom: Date): Promise<SnapshotRow | undefined> {
    return this.#rows.find((row) => row.reuseKey === reuseKey && row.fetchedAt >= fetchedFrom);
  }

  /** Newest first; the cursor is the id of the previous page's last snapshot. */
  async list(_projectId: string, filter: SnapshotFilter = {}, page: PageRequest = {}): Promise<Page<SnapshotRow>> {
    const { limit = DEFAULT_LIMIT, cursor } = page;
    const after = cursor === undefined ? -1 : this.#rows.findIndex(({ domId }) => domId === cursor);
    if (cursor !== undefined && after === -1)
      throw new AppError('invalid_request', 'cursor: not a cursor of this list');
    const found = this.#rows.slice(after + 1).filter((row) => fits(row, filter));
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? (items.at(-1)?.domId ?? null) : null };
  }

  #dropOldest(): void {
    const dropped = this.#rows.pop();
    if (dropped === undefined || this.#rows.some(({ hash }) => hash === dropped.hash)) return;
    this.#characters -= this.#texts.get(dropped.hash)?.length ?? 0;
    this.#texts.delete(dropped.hash);
  }
}

function fits({ url, finalUrl }: SnapshotRow, { urlContains, host }: SnapshotFilter): boolean {
  const part = urlContains?.toLowerCase() ?? '';
  const hasPart = [url, finalUrl].some((text) => text.toLowerCase().includes(part));
  return hasPart && (host === undefined || URL.parse(finalUrl)?.hostname === host.toLowerCase());
}
