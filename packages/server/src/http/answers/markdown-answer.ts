import type { Extraction } from '@winnow/extract';

const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';

/**
 * Tells whether an Accept header asks for Markdown: it names `text/markdown`, and not `application/json` with a higher
 * quality. Wildcards mean JSON.
 */
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

/** Returns the title as a heading, then the main content. Needs an extraction with the format `markdown`. */
export function presentMarkdown({ title, markdown = '' }: Extraction): string {
  const heading = title === null || title.trim() === '' ? '' : `# ${escapeMarkdown(title)}\n\n`;
  return `${heading}${markdown.trimEnd()}\n`;
}

/** Escapes Markdown, HTML and line ends in a text of one line. */
function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*_{}[\]<>#|~$&]/g, String.raw`\$&`);
}
