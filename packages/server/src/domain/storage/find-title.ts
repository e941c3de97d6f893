import { decodeHTML } from 'entities';

/** Characters of a document in which its title is looked for, and of the title that are kept. */
const MAX_SEARCHED = 200_000;
const MAX_TITLE = 300;

/**
 * Title of a document for lists of snapshots, found without a parser in one pass; null when its head states none.
 * Extraction has its own way to the title.
 */
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
