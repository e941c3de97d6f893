import { escapeText, escapeAttribute } from 'entities';
import MarkdownIt from 'markdown-it';
import { DomUtils, parseDocument } from 'htmlparser2';
import type { ConvertedDocument, DocumentSource, DocumentFormat } from '../../domain/capture/capture-ports.ts';
import type { PdfLimits } from './pdf/convert-pdf.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { writeDocument } from './page/write-document.ts';

export interface ConversionTask extends PdfLimits {
  readonly source: DocumentSource;
}

/** @throws {AppError} `unsupported_content` or `response_too_large` */
export async function convertDocument({ source, ...limits }: ConversionTask): Promise<ConvertedDocument> {
  const document = await convert(source, limits);
  if (document.html.length <= limits.maxCharacters) return document;
  const made = source.format === 'pdf' ? 'PDF' : 'text';
  throw new AppError(
    'response_too_large',
    `the page made of the ${made} is longer than ${limits.maxCharacters} characters (WINNOW_MAX_PAGE_BYTES)`,
  );
}

async function convert({ format, content, fileName }: DocumentSource, limits: PdfLimits): Promise<ConvertedDocument> {
  if (typeof content === 'string') {
    if (format === 'pdf') throw new TypeError('a PDF is read from bytes');
    return { html: convertText(format, content, fileName) };
  }
  // Loaded on demand: the library is large.
  const { convertPdf } = await import('./pdf/convert-pdf.ts');
  // A copy, because the library refuses buffers of Node, as which bytes arrive from another process.
  return convertPdf(new Uint8Array(content), fileName, limits);
}

/** Converts text as browsers show it, and renders Markdown and feeds. */
function convertText(format: Exclude<DocumentFormat, 'pdf'>, text: string, fileName: string): string {
  if (format === 'markdown') return renderMarkdown(text, fileName);
  const feed = format === 'xml' ? convertFeed(text, fileName) : undefined;
  return feed ?? writeDocument(format, { title: fileName, body: `<pre>\n${escapeText(text)}</pre>` });
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

const { findAll, findOne, getInnerHTML, textContent } = DomUtils;

type Element = ReturnType<typeof findAll>[number];

const FEED = /<(?:rss|feed|rdf:RDF)[\s>]/;
/** A feed's root stands after declarations and comments. */
const OPENING_CHARACTERS = 4096;

/** The whole text of an entry comes before its summary. */
const TEXTS = ['content:encoded', 'content', 'description', 'summary'];
const DAYS = ['published', 'pubDate', 'dc:date', 'updated'];

/**
 * Writes a feed (RSS 0.9 to 2.0, Atom) as a page: each entry an article with its title, day and text.
 * @returns undefined for other XML, and for feeds without entries or of many levels
 */
function convertFeed(xml: string, fileName: string): string | undefined {
  if (!FEED.test(xml.slice(0, OPENING_CHARACTERS))) return undefined;
  const { children } = parseDocument(xml, { xmlMode: true });
  if (isDeep(children)) return undefined;
  const root = findOne(({ name }) => name === 'channel' || name === 'feed', children);
  const entries = findAll(({ name }) => name === 'item' || name === 'entry', children);
  if (root === null || entries.length === 0) return undefined;
  const language = textOf(root, ['language']) ?? root.attribs['xml:lang'];
  const heading = textOf(root, ['title']) ?? fileName;
  const body = `<main>\n<h1>${escapeText(heading)}</h1>\n${entries.map(writeEntry).join('\n')}\n</main>`;
  return writeDocument('xml', {
    title: heading,
    language,
    body,
    description: textOf(root, ['description', 'subtitle']),
  });
}

/** The library's functions are recursive, and real feeds have a few levels. */
const MAX_DEPTH = 200;

function isDeep(nodes: Element['children']): boolean {
  let level = nodes;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1)
    level = level.flatMap((node) => ('children' in node ? node.children : []));
  return level.length > 0;
}

function writeEntry(entry: Element): string {
  const title = escapeText(textOf(entry, ['title']) ?? '');
  const link = linkOf(entry);
  const heading = link === undefined ? title : `<a href="${escapeAttribute(link)}">${title || escapeText(link)}</a>`;
  const day = textOf(entry, DAYS);
  const time = day === undefined ? '' : `<p><time>${escapeText(day)}</time></p>\n`;
  const source = childOf(entry, TEXTS);
  return `<article>\n<h2>${heading}</h2>\n${time}<div>${source === undefined ? '' : htmlOf(source)}</div>\n</article>`;
}

/** Text of a feed is escaped HTML, or the elements themselves. */
function htmlOf(source: Element): string {
  return elementsOf(source).length > 0 ? getInnerHTML(source, { xmlMode: false }) : textContent(source);
}

function linkOf(entry: Element): string | undefined {
  const links = elementsOf(entry).filter(({ name }) => name === 'link');
  const chosen = links.find(({ attribs }) => (attribs['rel'] ?? 'alternate') === 'alternate');
  const link = chosen?.attribs['href'] ?? (chosen && textContent(chosen).trim());
  return link === undefined || link === '' ? undefined : link;
}

function childOf(parent: Element, names: readonly string[]): Element | undefined {
  const children = elementsOf(parent);
  for (const name of names) {
    const found = children.find((child) => child.name === name && textContent(child).trim() !== '');
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(parent: Element, names: readonly string[]): string | undefined {
  const found = childOf(parent, names);
  return found && textContent(found).replaceAll(/\s+/g, ' ').trim();
}

function elementsOf({ children }: Element): Element[] {
  return children.filter((child): child is Element => child.type === 'tag');
}
