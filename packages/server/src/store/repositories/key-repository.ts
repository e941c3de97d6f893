import type { CompiledQuery, Kysely, Selectable } from 'kysely';
import type { ApiKey, KeyRepository, StoredApiKey } from '../../domain/keys/key-ports.ts';
import { WriteBehind } from '../../domain/shared/write-behind.ts';
import { mapRows } from '../schema/rows.ts';
import type { ApiKeyTable, Database } from '../schema/schema.ts';
import { hasEffect, SqlRepository } from '../queries/sql-repository.ts';

/** Uses of keys are collected for this time before a write, in milliseconds. */
const USE_DELAY_MS = 5000;

type CheckedKeyRow = Selectable<ApiKeyTable> & { readonly project_archived_at: number | null };

const KEY = mapRows<ApiKey>()({
  plain: ['id', 'projectId', 'name', 'kind', 'prefix', 'quotaPerMinute', 'scope'],
  time: ['createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt'],
});

/**
 * API keys. Last uses are kept in memory and written together, so that authentication never waits for the disk; a crash
 * loses a few seconds of them.
 */
export class SqlKeyRepository extends SqlRepository implements KeyRepository {
  readonly #byHash: CompiledQuery<CheckedKeyRow>;
  #uses = new Map<string, number>();
  readonly #writes: WriteBehind;

  /** @param onError receives failures to write the last uses */
  constructor(db: Kysely<Database>, onError: (error: unknown) => void) {
    super(db);
    this.#writes = new WriteBehind(() => this.#writeUses(), { delayMs: USE_DELAY_MS, onError });
    // Compiled once: every request runs this query.
    this.#byHash = db
      .selectFrom('api_keys')
      .innerJoin('projects', 'projects.id', 'api_keys.project_id')
      .selectAll('api_keys')
      .select('projects.archived_at as project_archived_at')
      .where('api_keys.hash', '=', '')
      .compile();
  }

  async insert(key: ApiKey, hash: string): Promise<void> {
    await this.db
      .insertInto('api_keys')
      .values({ ...KEY.toRow(key), hash })
      .execute();
  }

  async findByHash(hash: string): Promise<StoredApiKey | undefined> {
    const { rows } = await this.db.executeQuery<CheckedKeyRow>({ ...this.#byHash, parameters: [hash] });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { project_archived_at: archivedAt } = row;
    return {
      ...this.#toApiKey(row),
      hash: row.hash,
      projectArchivedAt: archivedAt === null ? null : new Date(archivedAt),
    };
  }

  async list(projectId?: string): Promise<ApiKey[]> {
    let query = this.db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id');
    if (projectId !== undefined) query = query.where('project_id', '=', projectId);
    return (await query.execute()).map((row) => this.#toApiKey(row));
  }

  async revoke(id: string, at: Date): Promise<boolean> {
    return hasEffect(
      this.db
        .updateTable('api_keys')
        .set((build) => ({ revoked_at: build.fn.coalesce('revoked_at', build.val(at.getTime())) }))
        .where('id', '=', id),
    );
  }

  async recordUse(id: string, at: Date): Promise<void> {
    this.#uses.set(id, Math.max(at.getTime(), this.#uses.get(id) ?? 0));
    this.#writes.schedule();
  }

  /** Writes the uses still in memory. */
  flushUses(): Promise<void> {
    return this.#writes.flush();
  }

  async #writeUses(): Promise<void> {
    const uses = this.#uses;
    this.#uses = new Map();
    for (const [id, at] of uses) {
      await this.db
        .updateTable('api_keys')
        .set({ last_used_at: at })
        .where('id', '=', id)
        .where((where) => where.or([where('last_used_at', 'is', null), where('last_used_at', '<', at)]))
        .execute();
    }
  }

  #toApiKey(row: Selectable<ApiKeyTable>): ApiKey {
    return KEY.fromRow({ ...row, last_used_at: this.#uses.get(row.id) ?? row.last_used_at });
  }
}
