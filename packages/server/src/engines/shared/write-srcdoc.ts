const AMPERSAND = 38;
const QUOTE = 34;

/**
 * Writes the document of a frame as its `srcdoc` attribute, with a space before it. Counts first: to escape a document of
 * 10 MB that consists of such characters would take a second of the event loop.
 * @param most characters
 * @returns undefined if the attribute is longer than that
 */
export function writeSrcdoc(html: string, most: number): string | undefined {
  let length = ' srcdoc=""'.length + html.length;
  for (let at = 0; at < html.length && length <= most; at++) {
    const code = html.charCodeAt(at);
    if (code === AMPERSAND) length += '&amp;'.length - 1;
    else if (code === QUOTE) length += '&quot;'.length - 1;
  }
  return length > most ? undefined : ` srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
}
