/** A JSON path as messages write it: `extract.formats[0]`. Apart from the schemas, which threads do not load. */
export function formatPath(path: readonly PropertyKey[], root: string): string {
  let text = '';
  for (const part of path) {
    text += typeof part === 'number' ? `[${part}]` : `${text === '' ? '' : '.'}${clip(String(part))}`;
  }
  return text === '' ? root : text;
}

function clip(name: string): string {
  if (name === '') return '""';
  return name.length > 64 ? `${name.slice(0, 64).toWellFormed()}…` : name.toWellFormed();
}
