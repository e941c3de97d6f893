/** V8 copies slices of fewer characters anyway. */
const SHARED_LENGTH = 13;

/**
 * The same text in memory of its own. A text cut out of a page shares the page's buffer, so that one link that is
 * kept would keep the whole page: what leaves the library, or stays in a cache, is detached from it.
 */
export function detach(text: string): string {
  return text.length < SHARED_LENGTH ? text : ` ${text}`.slice(1);
}
