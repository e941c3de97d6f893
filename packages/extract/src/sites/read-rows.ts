/** Yields the rows of a stored table that have `width` finite numbers; nothing for another value. */
export function* readRows(table: unknown, width: number, most: number): Iterable<readonly number[]> {
  if (!Array.isArray(table)) return;
  for (const row of table.slice(0, most) as unknown[]) {
    if (Array.isArray(row) && row.length >= width && row.slice(0, width).every(Number.isFinite)) yield row as number[];
  }
}
