import { closeSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Overwrites the root page of a table in the database file. */
export function damageTable(file: string, table: string): void {
  const database = new DatabaseSync(file);
  const { rootpage } = database.prepare('select rootpage from sqlite_schema where name = ?').get(table) as {
    rootpage: number;
  };
  const { page_size: pageSize } = database.prepare('PRAGMA page_size').get() as { page_size: number };
  // The write-ahead log must not hold a good copy of the page.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  overwrite(file, (rootpage - 1) * pageSize, pageSize);
}

export function overwrite(file: string, offset: number, length: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(length, 0x5a), 0, length, offset);
  closeSync(descriptor);
}
