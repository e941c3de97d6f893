import type { Kysely, Selectable } from 'kysely';
import type { Project, ProjectChanges, ProjectRepository } from '../../domain/keys/key-ports.ts';
import type { Database, ProjectTable } from '../schema/schema.ts';
import type { SettingRepository } from '../../domain/shared/ports.ts';

export class SqlProjectRepository implements ProjectRepository {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async insert(project: Omit<Project, 'learns'>): Promise<void> {
    await this.#db
      .insertInto('projects')
      .values({
        id: project.id,
        name: project.name,
        created_at: project.createdAt.getTime(),
        archived_at: project.archivedAt?.getTime() ?? null,
      })
      .execute();
  }

  async find(id: string): Promise<Project | undefined> {
    const row = await this.#db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? undefined : toProject(row);
  }

  async list(): Promise<Project[]> {
    const rows = await this.#db.selectFrom('projects').selectAll().orderBy('created_at').orderBy('id').execute();
    return rows.map(toProject);
  }

  async update(id: string, { name, archivedAt, learns }: ProjectChanges): Promise<boolean> {
    const result = await this.#db
      .updateTable('projects')
      .set({
        // Kysely needs at least one column to set.
        id,
        ...(name === undefined ? {} : { name }),
        ...(archivedAt === undefined ? {} : { archived_at: archivedAt?.getTime() ?? null }),
        ...(learns === undefined ? {} : { takes_no_notes: learns ? null : 1 }),
      })
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  }

  async archive(id: string, at: Date): Promise<boolean> {
    const result = await this.#db
      .updateTable('projects')
      .set((build) => ({ archived_at: build.fn.coalesce('archived_at', build.val(at.getTime())) }))
      .where('id', '=', id)
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  }
}

function toProject(row: Selectable<ProjectTable>): Project {
  return {
    id: row.id,
    name: row.name,
    createdAt: new Date(row.created_at),
    archivedAt: row.archived_at === null ? null : new Date(row.archived_at),
    learns: row.takes_no_notes !== 1,
  };
}

export class SqlSettingRepository implements SettingRepository {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  async get(name: string): Promise<string | undefined> {
    const row = await this.#db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
    return row?.value;
  }

  async set(name: string, value: string): Promise<void> {
    await this.#db
      .insertInto('settings')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
  }

  async claim(name: string): Promise<boolean> {
    const result = await this.#db
      .insertInto('settings')
      .values({ name: `claimed:${name}`, value: new Date().toISOString() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst();
    return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
  }
}
