import type { Element, ElementContent, Properties, Root as HtmlRoot, RootContent } from 'hast';
import { defaultHandlers, toMdast, type Handle } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import type { Link, List, Literal, ListItem, Nodes, Root } from 'mdast';
import { defaultHandlers as writers, toMarkdown, type Handle as Writer, type State } from 'mdast-util-to-markdown';
import type { ContentBlock } from '../../types/extraction.ts';
import type { UrlResolver } from '../../tree/url-resolver.ts';
import type { Tree } from '../../tree/tree.ts';
import { buildContentTree } from '../content-tree/build-content-tree.ts';
import { attachCalls, findFootnotes, FOOTNOTE, isFootnote, pairFootnotes } from '../content-tree/footnotes.ts';
import { readPosts } from '../content-tree/read-posts.ts';
import { isBracketable, writeRoot } from './escape-markup.ts';
import { fitTables, LINE_END } from './fit-tables.ts';
import { loosenFormats } from './loosen-formats.ts';
import { writeMarkdownText } from './write-text.ts';

/** A formula in TeX, as in https://github.com/syntax-tree/mdast-util-math. */
interface InlineMath extends Literal {
  type: 'inlineMath';
  isDisplayed: boolean;
}

declare module 'mdast' {
  interface PhrasingContentMap {
    inlineMath: InlineMath;
  }
  interface RootContentMap {
    inlineMath: InlineMath;
  }
}

/**
 * The selected blocks as GitHub Markdown with absolute addresses; '' without a selection. Posts of a discussion start
 * with author and date, and are separated by `---`.
 */
export function renderMarkdown(tree: Tree, blocks: readonly ContentBlock[], urls: UrlResolver): string {
  return writeMarkdown(buildMarkdown(tree, blocks, urls));
}

/** Like `renderMarkdown`, as an mdast tree. */
export function buildMarkdown(tree: Tree, blocks: readonly ContentBlock[], urls: UrlResolver): Root {
  const marks = { footnotes: findFootnotes(tree), posts: readPosts(tree, blocks) };
  const content = buildContentTree(tree, blocks, urls, marks);
  fitTables(content);
  pairFootnotes(content);
  unwrapUnmarked(content);
  attachCalls(content);
  unlinkHeadings(content, urls.page);
  loosenFormats(content);
  const handlers = {
    a: readLink,
    li: readItem,
    ol: readList,
    ul: readList,
    code: readCode,
    h1: readHeading,
    h2: readHeading,
    [LINE_END]: () => ({ type: 'html', value: '<br>' }) as const,
  };
  const document = toMdast(content, { handlers });
  tightenLists(document);
  joinCode(document);
  return document.type === 'root' ? document : { type: 'root', children: [] };
}

export function writeMarkdown(document: Root): string {
  const markdown = toMarkdown(document, {
    bullet: '-',
    emphasis: '*',
    rule: '-',
    tightDefinitions: true,
    handlers: { inlineMath: writeMath, listItem: writeItem, link: writeLink, root: writeRoot, text: writeMarkdownText },
    // No padding: one long cell would make a long table enormous.
    extensions: [GITHUB],
  });
  return markdown.trimEnd().toWellFormed();
}

const readLink: Handle = (state, node: Element) => {
  if (!isFootnote(node)) return defaultHandlers.a(state, node);
  return { type: 'footnoteReference', identifier: String(node.properties[FOOTNOTE]) };
};

const readList: Handle = (state, node: Element) => {
  const items = node.children.filter((child) => child.type === 'element');
  const footnotes = items.filter(isFootnote);
  if (footnotes.length === 0) return numberItems(defaultHandlers.ul(state, node), node.properties);
  const others = items.filter((item) => !isFootnote(item));
  const list = others.length > 0 ? [defaultHandlers.ul(state, { ...node, children: others })] : [];
  const definitions = footnotes.map((item) => ({
    type: 'footnoteDefinition' as const,
    identifier: String(item.properties[FOOTNOTE]),
    children: state.toFlow(state.all(item)),
  }));
  return [...list, ...definitions];
};

/** The number that a page gives an item, see `writeItem`. */
const NUMBER = 'number';

const readItem: Handle = (state, node: Element) => {
  const item = defaultHandlers.li(state, node);
  const { value } = node.properties;
  return typeof value === 'number' ? { ...item, data: { [NUMBER]: value } } : item;
};

/** Numbers the items of a list that does not count upwards by one. */
function numberItems(list: List, { start, reversed }: Properties): List {
  if (list.ordered !== true) return list;
  const isReversed = reversed === true;
  if (!isReversed && !list.children.some(({ data }) => data !== undefined)) return list;
  let number = typeof start === 'number' ? start : isReversed ? list.children.length : 1;
  for (const item of list.children) {
    number = readNumber(item) ?? number;
    item.data = { [NUMBER]: number };
    number = Math.max(0, number + (isReversed ? -1 : 1));
  }
  return list;
}

function readNumber({ data = {} }: ListItem): number | undefined {
  const number: unknown = Object.entries(data).find(([name]) => name === NUMBER)?.[1];
  return typeof number === 'number' ? number : undefined;
}

const GITHUB = gfmToMarkdown({ tablePipeAlign: false });
/** Writes the box of a task. */
const writeTask: Writer =
  (GITHUB.extensions ?? []).flatMap(({ handlers }) => handlers?.listItem ?? [])[0] ?? writers.listItem;

/** The first number counts for readers of Markdown; the others are for readers of its source. */
const writeItem: Writer = (item: ListItem, parent, state, info) => {
  const number = readNumber(item);
  const isNumbered = number !== undefined && parent?.type === 'list';
  const list = isNumbered ? { ...parent, start: number, children: [item] } : parent;
  return writeTask(item, list, state, info);
};

/** A formula with `$` stays code, because `$` would end it. */
const readCode: Handle = (state, node: Element) => {
  const code = defaultHandlers.code(state, node);
  const [language, display] = String(node.properties['className']).split(',');
  const isFormula = language === 'language-math' && !code.value.includes('$');
  return isFormula ? { type: 'inlineMath', value: code.value, isDisplayed: display === 'math-display' } : code;
};

/** An address that is its own text is written in angle brackets, except an active one. */
const writeLink: Writer & { peek?: Writer } = (node: Link, parent, state, info) => {
  chooseBrackets(node, state);
  return writers.link(node, parent, state, info);
};
writeLink.peek = (node: Link, parent, state) => {
  chooseBrackets(node, state);
  return writers.link.peek(node, parent, state);
};

function chooseBrackets({ url }: Link, { options }: State): void {
  options.resourceLink = !isBracketable(url);
}

/** A line break would give an underlined heading of two lines. */
const readHeading: Handle = (state, node: Element) => {
  const heading = defaultHandlers.h1(state, node);
  heading.children = heading.children.flatMap((child, index, children) => {
    if (child.type !== 'break') return [child];
    return children[index + 1]?.type === 'break' ? [] : [{ type: 'text', value: ' ' }];
  });
  return heading;
};

/**
 * Escapes characters in TeX, or separates them: a Markdown reader without formulas would read them as markup. In a
 * table a bar would end the cell.
 */
function writeMath({ value, isDisplayed }: InlineMath, _parent: unknown, state: State): string {
  const isCell = state.stack.includes('tableCell');
  const spaced = value.replace(/\s+/g, ' ');
  // Python-Markdown reads braces after emphasis as attributes.
  const line = spaced.includes('=') ? spaced.replace(/([*_)\]])\{(?=[^{}=]*=)/g, '$1 {') : spaced;
  const bare = line
    .replaceAll('<', '\\lt ')
    .replaceAll('`', '\\lq ')
    .replace(/\](?= ?\()/g, ']{}');
  // A bracket that no bracket closes could start a link.
  const closed = isClosed(bare) ? bare : bare.replaceAll('[', '\\lbrack ');
  // An address would become a link, and include the backslash of an escape after the formula.
  const safe = closed.replaceAll('://', ': //').replace(/www\./gi, 'www .');
  const sign = isDisplayed && !isCell ? '$$' : '$';
  return `${sign}${isCell ? safe.replaceAll('\\|', '\\Vert ').replaceAll('|', '\\vert ') : safe}${sign}`;
}

/** Whether every opening bracket is closed in the text. */
function isClosed(text: string): boolean {
  let open = 0;
  for (const bracket of text.match(/[[\]]/g) ?? []) open = bracket === '[' ? open + 1 : Math.max(0, open - 1);
  return open === 0;
}

/**
 * Joins neighbouring code spans, whose backticks would merge. In a table, code with a backslash before a bar becomes
 * text, because that bar cannot be escaped.
 */
function joinCode(node: Nodes, isInTable = false): void {
  if (!('children' in node)) return;
  const children: Nodes[] = [];
  for (const child of node.children) {
    const last = children.at(-1);
    if (child.type === 'inlineCode' && last?.type === 'inlineCode') last.value += child.value;
    else children.push(child);
    joinCode(child, isInTable || child.type === 'table');
  }
  const isText = (child: Nodes): boolean => isInTable && child.type === 'inlineCode' && /\\\||\\$/.test(child.value);
  Object.assign(node, {
    children: children.map((child) => (isText(child) ? { type: 'text', value: (child as Literal).value } : child)),
  });
}

/** One-line items, also of nested lists, have no blank lines between them. */
function tightenLists(node: Nodes): void {
  if (!('children' in node)) return;
  for (const child of node.children) tightenLists(child);
  if (node.type === 'listItem') node.spread = !isOneLine(node);
  else if (node.type === 'list') node.spread = node.children.some((item) => item.spread === true);
}

function isOneLine(item: ListItem): boolean {
  const others = item.children.filter((child) => child.type !== 'list');
  return others.length <= 1 && others.every((child) => child.type === 'paragraph');
}

const UNMARKED: ReadonlySet<string> = new Set(['abbr', 'cite', 'dfn', 'ins', 'rp', 'rt', 'ruby', 'sub', 'sup', 'time']);

/** Replaces elements without Markdown by their content; `toMdast` would do so in quadratic time. */
function unwrapUnmarked(parent: HtmlRoot | Element): void {
  parent.children = parent.children.flatMap(unwrap) as ElementContent[];
}

function unwrap(node: RootContent): RootContent[] {
  if (node.type !== 'element') return [node];
  unwrapUnmarked(node);
  return UNMARKED.has(node.tagName) ? node.children : [node];
}

const HEADING = /^h[1-6]$/;

/**
 * Replaces a link that is a whole heading and leads to its own page by its text.
 *
 * @param page the page's address without its fragment, or null
 */
function unlinkHeadings(parent: HtmlRoot | Element, page: string | null): void {
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    if (!HEADING.test(node.tagName)) {
      unlinkHeadings(node, page);
      continue;
    }
    const [link] = node.children;
    if (node.children.length !== 1 || link?.type !== 'element' || link.tagName !== 'a') continue;
    const address = String(link.properties['href']).split('#', 1)[0];
    if (address === page) node.children = link.children;
  }
}
