/** One page of a list, as the service answers. */
export interface ListPage<T> {
  items: T[];
  next_cursor: string | null;
}

/**
 * Yields every item of a list; loads a page when it is needed:
 * `for await (const one of paginate((cursor) => admin.snapshots(projectId, { cursor })))`.
 */
export async function* paginate<T>(
  load: (cursor: string | undefined) => Promise<ListPage<T>>,
): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const page = await load(cursor);
    yield* page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/** Returns the first items of a list, at most `limit`. */
export async function collect<T>(items: AsyncIterable<T>, limit: number): Promise<T[]> {
  const found: T[] = [];
  if (limit <= 0) return found;
  for await (const item of items) {
    found.push(item);
    if (found.length >= limit) break;
  }
  return found;
}
