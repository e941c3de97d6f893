import { HEADING, TAG, TAG_FLAGS, type KnownTag } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';

/** A table of data: its rows are lines and its cells columns. */
export const DATA_TABLE = 1;
/** A list item or a definition that is one line of text, or a few. */
export const SHORT_ITEM = 2;

const NEITHER = 0;

/** What makes a list item more than a line, as a forum's post or a search result's card is. */
const ITEM_PARTS = codes('article', 'blockquote', 'pre', 'section', 'table');
/** What is not found in the cells of a table of data: such a table lays out the page. */
const LAYOUT_PARTS = codes('article', 'aside', 'form', 'footer', 'header', 'main', 'nav', 'section', 'table');
/** Paragraphs in one item, or in one cell, from which on it is a text of its own. */
const MANY_PARAGRAPHS = 2;

/**
 * Tells tables of data from those that lay out a page, and list items of a line from those that hold a text.
 * One pass over all nodes; the answer (`DATA_TABLE`, `SHORT_ITEM` or 0) stands at the node's index.
 */
export function classifyItems(tree: Tree): Uint8Array {
  const kinds = new Uint8Array(tree.size);
  const open: Item[] = [];
  for (let i = 0; i < tree.size; i++) {
    while (open.length > 0 && tree.end[open.at(-1)!.node]! <= i) close(open.pop()!, open.at(-1), kinds);
    const tag = tree.tag[i]!;
    const inner = open.at(-1);
    if (inner !== undefined) count(inner, tag);
    if (tag === TAG.table || tag === TAG.li || tag === TAG.dd || tag === TAG.td || tag === TAG.th) {
      open.push({ node: i, tag, cells: 0, rows: 0, heads: 0, paragraphs: 0, parts: 0 });
    }
  }
  while (open.length > 0) close(open.pop()!, open.at(-1), kinds);
  return kinds;
}

interface Item {
  readonly node: number;
  readonly tag: number;
  /** Of a table: its cells and rows, and what says that it holds data (`th`, `caption`, `thead`). */
  cells: number;
  rows: number;
  heads: number;
  /** Paragraphs, and other parts that a line cannot hold, in a cell or list item; in all cells for a table. */
  paragraphs: number;
  parts: number;
}

function count(item: Item, tag: number): void {
  if (item.tag === TAG.table) {
    if (tag === TAG.tr) item.rows++;
    else if (tag === TAG.td) item.cells++;
    else if (tag === TAG.th || tag === TAG.caption || tag === TAG.thead) item.heads++;
  } else if (tag === TAG.p) item.paragraphs++;
  else if (item.tag === TAG.td || item.tag === TAG.th) {
    if (LAYOUT_PARTS[tag]) item.parts++;
    else if (TAG_FLAGS[tag]! & HEADING) item.paragraphs++;
  } else if (ITEM_PARTS[tag] || TAG_FLAGS[tag]! & HEADING) item.parts++;
}

function close(item: Item, outer: Item | undefined, kinds: Uint8Array): void {
  if (item.tag === TAG.table) kinds[item.node] = isDataTable(item) ? DATA_TABLE : NEITHER;
  else if (item.tag === TAG.td || item.tag === TAG.th) passOn(item, outer);
  else {
    kinds[item.node] = item.parts === 0 && item.paragraphs < MANY_PARAGRAPHS ? SHORT_ITEM : NEITHER;
    // An item that holds a text makes the one around it hold it too.
    if (kinds[item.node] === NEITHER && outer !== undefined) passOn(item, outer);
  }
}

/** What a cell holds counts for its table; a cell of many paragraphs is a part that no row holds. */
function passOn(item: Item, outer: Item | undefined): void {
  if (outer === undefined) return;
  outer.parts += item.parts + (item.paragraphs >= MANY_PARAGRAPHS ? 1 : 0);
}

function isDataTable(table: Item): boolean {
  if (table.parts > 0 && (table.heads === 0 || table.parts > table.rows / 2)) return false;
  return table.heads > 0 || table.cells > table.rows;
}

function codes(...names: KnownTag[]): Uint8Array {
  const flags = new Uint8Array(256);
  for (const name of names) flags[TAG[name]] = 1;
  return flags;
}
