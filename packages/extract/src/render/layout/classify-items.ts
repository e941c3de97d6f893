import type { ContentBlock } from '../../types/extraction.ts';
import { HEADING, markTags, TAG, TAG_FLAGS, TEXT } from '../../tree/tags.ts';
import type { Tree } from '../../tree/tree.ts';
import { CellText, CodeListing } from './code-listing.ts';

export const DATA_TABLE = 1;
export const SHORT_ITEM = 2;
export const LINE_NUMBERS = 3;

const NEITHER = 0;

const ITEM_PARTS = markTags('article', 'blockquote', 'pre', 'section', 'table');
const LAYOUT_PARTS = markTags('article', 'aside', 'form', 'footer', 'header', 'main', 'nav', 'section', 'table');
/** With this number of paragraphs an item or cell is a separate text. */
const MANY_PARAGRAPHS = 2;

/**
 * Separates data tables from layout tables and code listings, one-line list items from texts, and line numbers. A table
 * without a row of two cells with selected text is layout. Returns `DATA_TABLE`, `SHORT_ITEM`, `LINE_NUMBERS` or 0 by
 * node.
 *
 * @param from first node to classify
 * @param to end of these nodes
 */
export function classifyItems(
  tree: Tree,
  blocks: readonly ContentBlock[],
  from: number = 0,
  to: number = tree.size,
): Uint8Array {
  const kinds = new Uint8Array(tree.size);
  let block = 0;
  const open: Item[] = [];
  let codeEnd = 0;
  let preEnd = 0;
  for (let i = 0; i < tree.size; i++) {
    while (open.length > 0 && tree.end[open.at(-1)!.node] <= i) close(open.pop()!, open.at(-1), kinds);
    if (open.length === 0) {
      if (i >= to) break;
      if (tree.end[i] <= from) {
        i = tree.end[i] - 1;
        continue;
      }
    }
    const tag = tree.tag[i];
    const inner = open.at(-1);
    if (tag === TEXT) {
      while (block < blocks.length && blocks[block].end <= i) block++;
      if (inner !== undefined && block < blocks.length && blocks[block].first <= i) inner.isShown = true;
      inner?.text?.read(tree.value[i], i < codeEnd, i < preEnd);
      continue;
    }
    if (tag === TAG.pre) preEnd = Math.max(preEnd, tree.end[i]);
    if (tag === TAG.pre || tag === TAG.code) codeEnd = Math.max(codeEnd, tree.end[i]);
    if (inner !== undefined) count(inner, tag);
    if (tag === TAG.table || tag === TAG.li || tag === TAG.dd || tag === TAG.td || tag === TAG.th) {
      open.push(createItem(i, tag, i < codeEnd));
    }
  }
  while (open.length > 0) close(open.pop()!, open.at(-1), kinds);
  return kinds;
}

interface Item {
  readonly node: number;
  readonly tag: number;
  /** Of a table: its cells, rows and marks of data (`th`, `caption`, `thead`). */
  cells: number;
  rows: number;
  heads: number;
  shownCells: number;
  showsRow: boolean;
  isShown: boolean;
  /** Paragraphs and other multi-line parts in a cell or list item; in all cells for a table. */
  paragraphs: number;
  parts: number;
  readonly text: CellText | undefined;
  readonly listing: CodeListing | undefined;
}

function createItem(node: number, tag: number, isInCode: boolean): Item {
  const text = tag === TAG.td || tag === TAG.th ? new CellText() : undefined;
  const listing = tag === TAG.table ? new CodeListing(isInCode) : undefined;
  return {
    node,
    tag,
    cells: 0,
    rows: 0,
    heads: 0,
    shownCells: 0,
    showsRow: false,
    isShown: false,
    paragraphs: 0,
    parts: 0,
    text,
    listing,
  };
}

function count(item: Item, tag: number): void {
  if (item.tag === TAG.table) {
    if (tag === TAG.tr) {
      item.rows++;
      item.shownCells = 0;
      item.listing?.endRow();
    }
    if (tag === TAG.td) item.cells++;
    else if (tag === TAG.th || tag === TAG.caption || tag === TAG.thead) item.heads++;
  } else if (tag === TAG.p) item.paragraphs++;
  else if (item.tag === TAG.td || item.tag === TAG.th) {
    if (LAYOUT_PARTS[tag]) item.parts++;
    else if (TAG_FLAGS[tag] & HEADING) item.paragraphs++;
  } else if (ITEM_PARTS[tag] || TAG_FLAGS[tag] & HEADING) item.parts++;
}

function close(item: Item, outer: Item | undefined, kinds: Uint8Array): void {
  if (item.isShown && outer !== undefined) showIn(outer);
  if (item.listing !== undefined) {
    item.listing.endRow();
    kinds[item.node] = !item.listing.isListing && isDataTable(item) ? DATA_TABLE : NEITHER;
    for (const cell of item.listing.lineNumbers) kinds[cell] = LINE_NUMBERS;
  } else if (item.text !== undefined) {
    passOn(item, outer);
    outer?.listing?.addCell(item.node, item.text);
  } else {
    kinds[item.node] = item.parts === 0 && item.paragraphs < MANY_PARAGRAPHS ? SHORT_ITEM : NEITHER;
    if (kinds[item.node] === NEITHER && outer !== undefined) passOn(item, outer);
  }
}

/** Visibility propagates to ancestors. */
function showIn(outer: Item): void {
  outer.isShown = true;
  outer.shownCells++;
  if (outer.shownCells > 1) outer.showsRow = true;
}

/** Content of a cell counts for its table; a cell of many paragraphs fits no row. */
function passOn(item: Item, outer: Item | undefined): void {
  if (outer === undefined) return;
  outer.parts += item.parts + (item.paragraphs >= MANY_PARAGRAPHS ? 1 : 0);
}

function isDataTable(table: Item): boolean {
  const hasColumns = table.cells > table.rows;
  if (table.isShown && !table.showsRow && hasColumns) return false;
  if (table.parts > 0 && (table.heads === 0 || table.parts > table.rows / 2)) return false;
  return table.heads > 0 || hasColumns;
}
