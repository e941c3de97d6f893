import { decodeHTML } from 'entities';

/** Characters. */
const MAX_SEARCHED = 200_000;
const MAX_TITLE = 300;

/** Finds the title for lists in one pass without a parser. */
export function findTitle(html: string): string | null {
  const head = html.slice(0, MAX_SEARCHED);
  const open = head.search(/<title/i);
  if (open < 0 || /<body/i.test(head.slice(0, open))) return null;
  const start = head.indexOf('>', open);
  const length = start < 0 ? -1 : head.slice(start).search(/<\/title/i);
  if (length < 0) return null;
  const end = start + length;
  const text = decodeHTML(head.slice(start + 1, Math.min(end, start + 1 + 4 * MAX_TITLE)));
  const title = text.replaceAll('\0', '').split(/\s+/).join(' ').trim();
  return title === '' ? null : title.slice(0, MAX_TITLE).toWellFormed();
}
