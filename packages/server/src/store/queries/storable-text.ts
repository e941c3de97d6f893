/** Makes external text storable in both databases: PostgreSQL text has no U+0000, and UTF-8 has no lone surrogates. */
export function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
