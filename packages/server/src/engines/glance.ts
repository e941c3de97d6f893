/**
 * Cheap looks at HTML, without a parser and in one pass: good enough to tell a shell or a block page
 * from a page, never used to extract anything.
 */

/** Elements whose content nobody sees. */
const UNSEEN = /^(?:script|style|noscript|template|head|svg|iframe|textarea|select)$/i;

/** Characters of visible text (white space collapsed), counted up to `limit`. */
export function countVisibleText(html: string, limit: number): number {
  let count = 0;
  let position = 0;
  while (position < html.length && count < limit) {
    const open = html.indexOf('<', position);
    const end = open < 0 ? html.length : open;
    count += html
      .slice(position, Math.min(end, position + 4 * limit))
      .replace(/\s+/g, ' ')
      .trim().length;
    if (open < 0) break;
    position = skipTag(html, open);
  }
  return Math.min(count, limit);
}

/** The position behind the tag (or comment, or unseen element) that begins at `open`. */
function skipTag(html: string, open: number): number {
  if (html.startsWith('<!--', open)) return behind(html, '-->', open + 4);
  const name = /^[a-z][a-z0-9-]*/i.exec(html.slice(open + 1, open + 24))?.[0];
  const close = behind(html, '>', open);
  if (name === undefined || !UNSEEN.test(name)) return close;
  const end = new RegExp(`</${name}`, 'ig');
  end.lastIndex = close;
  return end.test(html) ? behind(html, '>', end.lastIndex) : close;
}

function behind(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

/** The text of the first title element, white space collapsed. */
export function findTitle(html: string): string {
  const title = /<title[^>]*>([^<]{0,500})/i.exec(html.slice(0, 200_000))?.[1] ?? '';
  return title.replace(/\s+/g, ' ').trim();
}
