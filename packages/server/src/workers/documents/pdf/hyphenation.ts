const DIVIDED = /(?<!\p{L})(\p{L}+)[-\u2010\u00AD]$/u;
/** Bounded: each part takes memory of the matcher, which ends with a stack overflow. */
const WORD = /[\p{L}\p{M}]{1,200}(?:-[\p{L}\p{M}]{1,200}){0,20}/gu;
/** Scripts without spaces between words. */
const UNSPACED_END = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}、。，]$/u;
const UNSPACED_START = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}、。，]/u;

/**
 * Joins a line's end with the next line. Divided words are joined; they keep the hyphen if the document spells them so
 * elsewhere.
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

/** Collects lower-case words, without possible word parts at line ends. */
export function collectWords(lines: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const line of lines) {
    for (const [word] of line.replace(DIVIDED, '').matchAll(WORD)) words.add(word.toLowerCase());
  }
  return words;
}
