/** Tests a whole text against a glob, in which `*` stands for any characters; in linear time for each part of the glob. */
export function matchesGlob(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.split('*');
  const last = rest.pop();
  if (last === undefined) return glob === text;
  if (!text.startsWith(first)) return false;
  // The first occurrence of each part leaves the longest rest.
  let from = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return text.length - from >= last.length && text.endsWith(last);
}
