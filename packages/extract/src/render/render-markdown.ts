import type { Element, ElementContent, Root } from 'hast';
import { defaultHandlers, toMdast, type Handle } from 'hast-util-to-mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import type { Literal, ListItem, Nodes } from 'mdast';
import { toMarkdown, type State } from 'mdast-util-to-markdown';
import type { ContentBlock } from '../extraction.ts';
import type { UrlResolver } from '../fields/url-resolver.ts';
import type { Tree } from '../tree/tree.ts';
import { buildContentTree } from './build-content-tree.ts';

/** A formula in TeX, named as in https://github.com/syntax-tree/mdast-util-math. */
interface InlineMath extends Literal {
  type: 'inlineMath';
}

declare module 'mdast' {
  interface PhrasingContentMap {
    inlineMath: InlineMath;
  }
  interface RootContentMap {
    inlineMath: InlineMath;
  }
}

const CELL_BLOCKS: ReadonlySet<string> = new Set(
  'blockquote dd details dl dt figcaption figure h1 h2 h3 h4 h5 h6 li ol p summary ul'.split(' '),
);

/** A span becomes as many empty cells; past so many, spanning cells are taken as single ones. */
const MAX_ADDED_CELLS = 10_000;

/**
 * The selected blocks as Markdown in GitHub's flavour: tables, strikethrough, fenced code; addresses absolute.
 * '' when nothing is selected.
 */
export function renderMarkdown(tree: Tree, blocks: readonly ContentBlock[], urls: UrlResolver): string {
  const content = buildContentTree(tree, blocks, urls);
  liftCaptions(content);
  flattenCells(content, { cells: MAX_ADDED_CELLS });
  const document = toMdast(content, { handlers: { code: readCode } });
  tightenLists(document);
  const markdown = toMarkdown(document, {
    bullet: '-',
    emphasis: '_',
    rule: '-',
    handlers: { inlineMath: writeMath },
    // Cells as wide as their text: padding would make a long table with one long cell enormous.
    extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  });
  return markdown.trimEnd().toWellFormed();
}

/** A formula may not hold the sign that ends it. */
const readCode: Handle = (state, node: Element) => {
  const code = defaultHandlers.code(state, node);
  const isFormula = String(node.properties['className']) === 'language-math' && !code.value.includes('$');
  return isFormula ? { type: 'inlineMath', value: code.value } : code;
};

/** In a table a bar would end the cell. */
function writeMath({ value }: InlineMath, _parent: unknown, state: State): string {
  const isCell = state.stack.includes('tableCell');
  return `$${isCell ? value.replaceAll('\\|', '\\Vert ').replaceAll('|', '\\vert ') : value}$`;
}

/** Markdown has no captions: they are paragraphs before their tables. */
function liftCaptions(parent: Root | Element): void {
  parent.children = parent.children.flatMap((node): ElementContent[] => {
    if (node.type !== 'element') return node.type === 'doctype' ? [] : [node];
    liftCaptions(node);
    const captions = node.tagName === 'table' ? node.children.filter(isCaption) : [];
    if (captions.length === 0) return [node];
    const children = node.children.filter((part) => !isCaption(part));
    const paragraphs = captions.map((caption): Element => ({ ...caption, tagName: 'p' }));
    return children.length === 0 ? paragraphs : [...paragraphs, { ...node, children }];
  });
}

function isCaption(node: ElementContent): node is Element {
  return node.type === 'element' && node.tagName === 'caption';
}

/** A row is one line of Markdown: of the blocks in a cell only their text and formats stay. */
function flattenCells(parent: Root | Element, budget: { cells: number }): void {
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    if (node.tagName !== 'td' && node.tagName !== 'th') flattenCells(node, budget);
    else {
      node.children = listPhrasing(node.children);
      budget.cells -= Number(node.properties['colSpan'] ?? 1) * Number(node.properties['rowSpan'] ?? 1) - 1;
      if (budget.cells < 0) node.properties = {};
    }
  }
}

function listPhrasing(nodes: readonly ElementContent[]): ElementContent[] {
  return nodes.flatMap((node): ElementContent[] => {
    if (node.type !== 'element') return [node];
    if (node.tagName === 'br') return [{ type: 'text', value: ' ' }];
    if (!CELL_BLOCKS.has(node.tagName)) return [{ ...node, children: listPhrasing(node.children) }];
    return [...listPhrasing(node.children), { type: 'text', value: ' ' }];
  });
}

/** Items of a line each, nested lists included, follow each other without blank lines. */
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
