/**
 * Piscina keeps a task's result reachable until the next full garbage collection; an emptied cell keeps almost nothing
 * alive.
 */
export interface TransferCell<T> {
  content: T | undefined;
}

export function toCell<T>(content: T): TransferCell<T> {
  return { content };
}

/** @throws {TypeError} for anything else */
export function takeContent<T>(cell: TransferCell<T>): T {
  if (typeof cell !== 'object' || !('content' in cell)) throw new TypeError('the task did not return a TransferCell');
  const { content } = cell;
  cell.content = undefined;
  return content as T;
}
