import { closeSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Overwrites the first page of a table in a database, in the file itself. */
export function damageTable(file: string, table: string): void {
  const database = new DatabaseSync(file);
  const { rootpage } = database.prepare('select rootpage from sqlite_schema where name = ?').get(table) as {
    rootpage: number;
  };
  const { page_size: pageSize } = database.prepare('PRAGMA page_size').get() as { page_size: number };
  // Nothing in the log covers it.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  overwrite(file, (rootpage - 1) * pageSize, pageSize);
}

/** Overwrites bytes of a file, from an offset on. */
export function overwrite(file: string, offset: number, length: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(length, 0x5a), 0, length, offset);
  closeSync(descriptor);
}
