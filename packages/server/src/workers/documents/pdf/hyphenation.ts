const DIVIDED = /(?<!\p{L})(\p{L}+)[-\u2010\u00AD]$/u;
const WORD = /[\p{L}\p{M}]+(?:-[\p{L}\p{M}]+)*/gu;
/** Scripts that are written without spaces between words. */
const UNSPACED_END = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}、。，]$/u;
const UNSPACED_START = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}、。，]/u;

/**
 * How the text of a line goes on in the next: what is left of it, and what stands between the two. A word that is divided
 * at the end is put together; it keeps its hyphen where the document writes it so elsewhere.
 * @param words of the document, in lower case
 */
export function joinHyphenated(
  line: string,
  next: string,
  words: ReadonlySet<string>,
): [line: string, separator: string] {
  if (line.endsWith('\u00AD')) return [line.slice(0, -1), ''];
  const before = DIVIDED.exec(line)?.[1];
  const after = /^\p{L}+/u.exec(next)?.[0];
  if (before !== undefined && after !== undefined) {
    if (!/^\p{Ll}/u.test(after)) return [line, ''];
    const whole = `${before}${after}`.toLowerCase();
    const isHyphenated = !words.has(whole) && words.has(`${before}-${after}`.toLowerCase());
    return [isHyphenated ? line : line.slice(0, -1), ''];
  }
  if (UNSPACED_END.test(line) && UNSPACED_START.test(next)) return [line, ''];
  return [line, line === '' || line.endsWith(' ') || next.startsWith(' ') ? '' : ' '];
}

/** The words of lines, in lower case, but for what may be parts of words at the ends of lines. */
export function collectWords(lines: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const line of lines) {
    for (const [word] of line.replace(DIVIDED, '').matchAll(WORD)) words.add(word.toLowerCase());
  }
  return words;
}
