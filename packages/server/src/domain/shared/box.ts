/**
 * Result of a thread's task. Piscina keeps a task's result reachable until the next full garbage collection; an emptied
 * box keeps almost nothing alive.
 */
export interface Box<T> {
  content: T | undefined;
}

export function box<T>(content: T): Box<T> {
  return { content };
}

/**
 * Takes the content out of a box.
 * @throws {TypeError} for anything else
 */
export function unbox<T>(boxed: Box<T>): T {
  if (typeof boxed !== 'object' || !('content' in boxed)) throw new TypeError('the task did not return a box');
  const { content } = boxed;
  boxed.content = undefined;
  return content as T;
}
