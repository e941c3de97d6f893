import { escapeAttribute, escapeText } from 'entities';
import { DomUtils, parseDocument } from 'htmlparser2';
import { writeDocument } from './page/write-document.ts';

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
 * @returns undefined for other XML, and for feeds without entries
 */
export function convertFeed(xml: string, fileName: string): string | undefined {
  if (!FEED.test(xml.slice(0, OPENING_CHARACTERS))) return undefined;
  const { children } = parseDocument(xml, { xmlMode: true });
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
