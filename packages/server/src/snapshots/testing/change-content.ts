import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CONTENT_DATABASE } from '../open-content.ts';

function change(folder: string, statement: string, value: number | Uint8Array, hash: string): void {
  const database = new DatabaseSync(path.join(folder, CONTENT_DATABASE), { timeout: 5000 });
  try {
    const { changes } = database.prepare(statement).run(value, Buffer.from(hash, 'hex'));
    if (changes !== 1) throw new Error(`${hash} is not in ${folder}`);
  } finally {
    database.close();
  }
}

export function ageContent(folder: string, hash: string, time: Date): void {
  change(folder, 'UPDATE contents SET put_at = ? WHERE hash = ?', time.getTime(), hash);
}

/** Makes the closed database impossible to open. */
export function damageContentSchema(folder: string): void {
  const database = new DatabaseSync(path.join(folder, CONTENT_DATABASE));
  try {
    database.enableDefensive?.(false);
    database.exec("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE contents ('");
  } finally {
    database.close();
  }
}

export function damageContent(folder: string, hash: string, bytes: Uint8Array): void {
  change(folder, 'UPDATE contents SET packed = ? WHERE hash = ?', bytes, hash);
}
