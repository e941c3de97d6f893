import { decodeHTML } from 'entities';

/** Characters. */
const MAX_SEARCHED = 200_000;
const MAX_TITLE = 300;

/** Finds the title for lists in one pass without a parser. */
export function findTitle(html: string): string | null {
  const head = html.slice(0, MAX_SEARCHED);
  const lower = head.toLowerCase();
  const body = lower.indexOf('<body');
  const open = lower.indexOf('<title');
  if (open < 0 || (body >= 0 && open > body)) return null;
  const start = lower.indexOf('>', open);
  const end = start < 0 ? -1 : lower.indexOf('</title', start);
  if (end < 0) return null;
  const text = decodeHTML(head.slice(start + 1, Math.min(end, start + 1 + 4 * MAX_TITLE)));
  const title = text.replaceAll('\0', '').split(/\s+/).join(' ').trim();
  return title === '' ? null : title.slice(0, MAX_TITLE).toWellFormed();
}
