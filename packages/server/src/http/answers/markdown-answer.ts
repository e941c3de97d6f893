import type { Extraction } from '@winnow/extract';

const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';

/** True if `text/markdown` is named, and `application/json` has no higher quality. Wildcards mean JSON. */
export function prefersMarkdown(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(MARKDOWN)) return false;
  const quality = new Map(accept.toLowerCase().split(',').map(readMediaRange));
  const markdown = quality.get(MARKDOWN) ?? 0;
  return markdown > 0 && markdown >= (quality.get(JSON_TYPE) ?? 0);
}

function readMediaRange(range: string): [type: string, quality: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
}

/** Title as a heading, then the main content. Requires the format `markdown`. */
export function presentMarkdown({ title, markdown = '' }: Extraction): string {
  const line = title === null || title.trim() === '' ? '' : `# ${escapeMarkdown(title)}`;
  // The main content may keep the heading with the title.
  const heading = line === '' || isSameLine(line, markdown.slice(0, markdown.indexOf('\n'))) ? '' : `${line}\n\n`;
  return `${heading}${markdown.trimEnd()}\n`;
}

/** Compares words: the same text may be marked up or escaped in another way. */
function isSameLine(a: string, b: string): boolean {
  const words = (line: string): string =>
    line
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
      .toLowerCase();
  return /^#{1,2} /.test(b) && words(a) === words(b);
}

/** Escapes Markdown, HTML and line ends. */
function escapeMarkdown(text: string): string {
  return (
    text
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replaceAll('&', '&amp;')
      // Some renderers know no `\<`.
      .replaceAll('<', '&lt;')
      .replaceAll(/[\\`*_{}[\]>#|~$]/g, String.raw`\$&`)
  );
}
