/**
 * What a thread answers a task with. Piscina's record of a task holds a function that V8 allocates among the old objects
 * at once, as it does with every function that is written straight into a property, and through it the task's answer:
 * until the next full collection, with every young one on the way copying it. A box that was emptied keeps next to
 * nothing alive.
 */
export interface Box<T> {
  content: T | undefined;
}

export function box<T>(content: T): Box<T> {
  return { content };
}

/**
 * Takes out what is in the box; there is nothing left in it.
 * @throws {TypeError} for what is no box: a task that answers without one
 */
export function unbox<T>(boxed: Box<T>): T {
  if (typeof boxed !== 'object' || !('content' in boxed)) throw new TypeError('a task has answered without a box');
  const { content } = boxed;
  boxed.content = undefined;
  return content as T;
}
