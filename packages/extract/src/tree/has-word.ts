const SPACE = 0x20;

/** Tests for a word of a list that spaces separate, such as `class`, without splitting it. */
export function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (endsWord(text, at - 1) && endsWord(text, at + word.length)) return word !== '';
  return false;
}

/** Whether there is a space or an end of the text. */
function endsWord(text: string, at: number): boolean {
  return at < 0 || at >= text.length || text.charCodeAt(at) <= SPACE;
}
