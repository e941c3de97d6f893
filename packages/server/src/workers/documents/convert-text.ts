import { escapeText } from 'entities';
import MarkdownIt from 'markdown-it';
import type { DocumentFormat } from '../../domain/capture/capture-ports.ts';
import { DocumentRefusal } from './page/document-refusal.ts';
import { convertFeed } from './convert-feed.ts';
import { writeDocument } from './page/write-document.ts';

/** Converts text as browsers show it, and renders Markdown and feeds. */
export function convertText(
  format: Exclude<DocumentFormat, 'pdf'>,
  text: string,
  fileName: string,
  maxCharacters: number,
): string {
  const page =
    format === 'markdown'
      ? renderMarkdown(text, fileName)
      : ((format === 'xml' ? convertFeed(text, fileName) : undefined) ??
        writeDocument(format, { title: fileName, body: `<pre>\n${escapeText(text)}</pre>` }));
  if (page.length > maxCharacters)
    throw new DocumentRefusal(
      'response_too_large',
      `the page made of the text is longer than ${maxCharacters} characters (WINNOW_MAX_PAGE_BYTES)`,
    );
  return page;
}

/** Metadata before the text, between lines of three hyphens. */
const FRONT_MATTER = /^---[ \t]*\r?\n(?:(?!---[ \t]*\r?\n)[^\n]*\n){0,200}---[ \t]*(?:\r?\n|$)/;
const HEADING = /^#{1,2}[ \t]+(\S[^\n]*)$/m;

/** Shows HTML as text, and links to scripts as text. */
const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });

function renderMarkdown(text: string, fileName: string): string {
  const front = FRONT_MATTER.exec(text)?.[0] ?? '';
  const content = text.slice(front.length);
  const stated = /^title:[ \t]*["']?([^\n"']+)/m.exec(front)?.[1]?.trim();
  const title = stated ?? HEADING.exec(content)?.[1]?.replace(/(?<![ \t#])[ \t#]+$/, '') ?? fileName;
  return writeDocument('markdown', { title, body: `<article>\n${markdown.render(content)}</article>` });
}
