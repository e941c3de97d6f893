/** Lines longer than this are broken where the source is shown, in characters. */
const MAX_LINE = 2000;

/** HTML as lines to read and to compare: a minified page is broken at its tags. */
export function splitLines(html: string): string[] {
  const lines = html.split(/\r\n?|\n/);
  const average = html.length / lines.length;
  const readable = average > 400 ? html.replaceAll(/>(?=<)/g, '>\n').split('\n') : lines;
  return readable.flatMap((line) => (line.length <= MAX_LINE ? line : (line.match(/.{1,2000}/gsu) ?? [])));
}
