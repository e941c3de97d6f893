import type { Element, ElementContent, Root } from 'hast';

const CELL_BLOCKS: ReadonlySet<string> = new Set(
  'blockquote dd details dl dt figcaption figure h1 h2 h3 h4 h5 h6 li ol p summary ul'.split(' '),
);

/** Our own element between lines of code and items of lists in a cell. */
export const LINE_END = 'line-end';

/**
 * Largest number of added cells and lines: spans become empty cells, short rows are filled up, code lines in cells are
 * separated. Beyond it, spans are ignored and the rest is joined.
 */
const MAX_ADDED_CELLS = 10_000;

/** Changes the tables of a page, in place, to what Markdown can write: one header, one line a row, no spans. */
export function fitTables(content: Root): void {
  liftCaptions(content);
  const budget = { cells: MAX_ADDED_CELLS };
  flattenCells(content, budget);
  nameColumns(content);
  limitColumns(content, budget);
}

/** Markdown has no captions: they become paragraphs. */
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

/** A row is one line of Markdown: blocks in a cell become text and formats. */
function flattenCells(parent: Root | Element, budget: { cells: number }): void {
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    if (node.tagName !== 'td' && node.tagName !== 'th') flattenCells(node, budget);
    else {
      node.children = listPhrasing(node.children, budget);
      budget.cells -= Number(node.properties['colSpan'] ?? 1) * Number(node.properties['rowSpan'] ?? 1) - 1;
      if (budget.cells < 0) node.properties = {};
    }
  }
}

function listPhrasing(nodes: readonly ElementContent[], budget: { cells: number }): ElementContent[] {
  return nodes.flatMap((node): ElementContent[] => {
    if (node.type !== 'element') return [node];
    if (node.tagName === 'br') return [{ type: 'text', value: ' ' }];
    if (node.tagName === 'pre') return listLines(node, budget);
    if (node.tagName === 'ul' || node.tagName === 'ol') return listItems(node, budget);
    if (!CELL_BLOCKS.has(node.tagName)) return [{ ...node, children: listPhrasing(node.children, budget) }];
    return [...listPhrasing(node.children, budget), { type: 'text', value: ' ' }];
  });
}

function listItems(list: Element, budget: { cells: number }): ElementContent[] {
  const items = listElements(list);
  budget.cells -= Math.max(0, items.length - 1);
  const end: ElementContent =
    budget.cells < 0
      ? { type: 'text', value: ' ' }
      : { type: 'element', tagName: LINE_END, properties: {}, children: [] };
  const parts = items.flatMap((item, index) => [...(index === 0 ? [] : [end]), ...listPhrasing(item.children, budget)]);
  return [{ type: 'text', value: ' ' }, ...parts, { type: 'text', value: ' ' }];
}

/** Separates code lines in a cell by `<br>`, which GitHub shows as a line end. */
function listLines(pre: Element, budget: { cells: number }): ElementContent[] {
  const [code] = pre.children;
  const [text] = code?.type === 'element' ? code.children : [];
  const lines = text?.type === 'text' ? text.value.split('\n').filter((line) => line.trim() !== '') : [];
  budget.cells -= lines.length - 1;
  const spans = (budget.cells < 0 ? [lines.join(' ')] : lines).flatMap((line, index): ElementContent[] => [
    index === 0 ? { type: 'text', value: ' ' } : { type: 'element', tagName: LINE_END, properties: {}, children: [] },
    { type: 'element', tagName: 'code', properties: {}, children: [{ type: 'text', value: line }] },
  ]);
  return [...spans, { type: 'text', value: ' ' }];
}

/** Makes the first row with text the header. GitHub's tables need one, and an empty one costs tokens. */
function nameColumns(parent: Root | Element): void {
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    if (node.tagName !== 'table') {
      nameColumns(node);
      continue;
    }
    const rows = listRows(node);
    const start = rows.findIndex((row) => row.children.some(hasContent));
    const empty = new Set<ElementContent>(rows.slice(0, start));
    if (start < 0 || rows.slice(0, start).some(hasRowSpan)) continue;
    for (const part of [node, ...listElements(node)]) part.children = part.children.filter((row) => !empty.has(row));
    for (const cell of listElements(rows[start])) cell.tagName = 'th';
  }
}

function hasRowSpan(row: Element): boolean {
  return listElements(row).some(({ properties }) => properties['rowSpan'] !== undefined);
}

function hasContent(node: ElementContent): boolean {
  if (node.type === 'text') return node.value.trim() !== '';
  return node.type === 'element' && (node.tagName === 'img' || node.children.some(hasContent));
}

function listRows(table: Element): Element[] {
  return listElements(table).flatMap((part) => (part.tagName === 'tr' ? [part] : listElements(part)));
}

function limitColumns(parent: Root | Element, budget: { cells: number }): void {
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    if (node.tagName !== 'table') limitColumns(node, budget);
    else limitTable(listRows(node), budget);
  }
}

function limitTable(rows: readonly Element[], budget: { cells: number }): void {
  let added = countAdded(measureRows(rows));
  if (added > budget.cells) {
    for (const row of rows) for (const cell of listElements(row)) cell.properties = {};
    const cells = rows.reduce((sum, row) => sum + row.children.length, 0);
    const limit = Math.max(1, Math.floor((cells + Math.max(0, budget.cells)) / rows.length));
    for (const row of rows) joinCellsFrom(row, limit);
    added = countAdded(rows.map((row) => row.children.length));
  }
  budget.cells -= added;
}

function measureRows(rows: readonly Element[]): number[] {
  const widths = rows.map(() => 0);
  for (const [index, row] of rows.entries()) {
    for (const { properties } of listElements(row)) {
      const end = Math.min(index + Number(properties['rowSpan'] ?? 1), rows.length);
      for (let k = index; k < end; k++) widths[k] += Number(properties['colSpan'] ?? 1);
    }
  }
  return widths;
}

function countAdded(widths: readonly number[]): number {
  let widest = 0;
  let cells = 0;
  for (const width of widths) {
    widest = Math.max(widest, width);
    cells += width;
  }
  return widest * widths.length - cells;
}

function joinCellsFrom(row: Element, limit: number): void {
  const cells = listElements(row);
  const last = cells[limit - 1];
  if (last === undefined) return;
  last.children = cells.slice(limit - 1).flatMap((cell) => [...cell.children, { type: 'text', value: ' ' }]);
  row.children = cells.slice(0, limit);
}

function listElements(parent: Element): Element[] {
  return parent.children.filter((node) => node.type === 'element');
}
