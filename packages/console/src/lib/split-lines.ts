const MAX_LINE = 2000;

/** Splits HTML into lines; a minified page at its tags. */
export function splitLines(html: string): string[] {
  const lines = html.split(/\r\n?|\n/);
  const average = html.length / lines.length;
  const readable = average > 400 ? html.replaceAll(/>(?=<)/g, '>\n').split('\n') : lines;
  return readable.flatMap((line) => (line.length <= MAX_LINE ? line : (line.match(/.{1,2000}/gsu) ?? [])));
}
