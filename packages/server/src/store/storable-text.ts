/**
 * The text as both databases hold it: PostgreSQL has no U+0000 in texts, and UTF-8 has no half characters. What strangers
 * wrote (addresses, headers, texts of pages) may have either.
 */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
