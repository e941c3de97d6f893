import type { Kysely, Selectable } from 'kysely';
import type { AuditEntry, AuditRepository } from '../../../domain/accounts/ports.ts';
import type { Page, PageRequest } from '../../../domain/shared/ports.ts';
import type { AuditEntryTable } from '../../schema/account-schema.ts';
import { readPage } from '../../queries/read-page.ts';
import type { Database } from '../../schema/schema.ts';

export class SqlAuditRepository implements AuditRepository {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async insert(entry: AuditEntry): Promise<void> {
    await this.#db
      .insertInto('audit_entries')
      .values({
        id: entry.id,
        at: entry.at.getTime(),
        actor: entry.actor,
        action: entry.action,
        project_id: entry.projectId,
        target: entry.target,
        detail: JSON.stringify(entry.detail),
      })
      .execute();
  }

  async list(page: PageRequest): Promise<Page<AuditEntry>> {
    const entries = this.#db.selectFrom('audit_entries').selectAll();
    return readPage(entries, { time: 'at', id: 'id' }, page, toEntry);
  }
}

function toEntry(row: Selectable<AuditEntryTable>): AuditEntry {
  return {
    id: row.id,
    at: new Date(row.at),
    actor: row.actor,
    action: row.action,
    projectId: row.project_id,
    target: row.target,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
  };
}
