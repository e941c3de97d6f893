import { joinRows, type Line } from './lines.ts';
import type { Table } from './find-tables.ts';
import { greatestOf, leastOf, median } from './page-content.ts';

/** Consecutive content of one column. */
export type Flow = readonly (Line | Table)[];

export function isTable(part: Line | Table): part is Table {
  return 'rows' in part;
}

export function isLine(part: Line | Table): part is Line {
  return !isTable(part);
}

/** Of nested columns. */
const MAX_DEPTH = 4;
/** Minimum of a column: lines, share of the width, characters of its usual line. */
const MIN_LINES = 3;
const MIN_WIDTH = 0.16;
const MIN_TEXT = 12;
/** Share of a column's width filled by its usual line. */
const MIN_FILL = 0.5;
/** Share of lines that may cross a gap: titles, wide tables, captions. */
const MAX_CROSSING = 0.4;

interface Extent {
  readonly x0: number;
  readonly x1: number;
}

/** Orders a page's lines for reading: column by column if a vertical gap separates them. */
export function orderColumns(pieces: readonly (Line | Table)[], depth = 0): Flow[] {
  const gutter = findGutter(pieces, depth);
  if (gutter === undefined) return [toFlow(pieces)];
  const wide = pieces
    .filter((piece) => sideOf(piece, gutter) === 0)
    .toSorted((one, other) => topOf(one) - topOf(other));
  const flows: Flow[] = [];
  const aside = pieces.filter((piece) => sideOf(piece, gutter) !== 0);
  let from = -Infinity;
  for (const crossing of [...wide, undefined]) {
    const to = crossing === undefined ? Infinity : topOf(crossing);
    const band = aside.filter((piece) => topOf(piece) >= from && topOf(piece) < to);
    for (const side of [-1, 1]) {
      const column = band.filter((piece) => sideOf(piece, gutter) === side);
      for (const flow of column.length > 0 ? orderColumns(column, depth + 1) : []) flows.push(flow);
    }
    if (crossing !== undefined) flows.push([crossing]);
    from = to;
  }
  const isRtl = pieces.filter((piece) => !isTable(piece) && piece.isRtl).length > pieces.length / 2;
  return joinWide(isRtl ? swapSides(flows, gutter) : flows);
}

/** Joins consecutive flows that cross the gap. */
function joinWide(flows: readonly Flow[]): Flow[] {
  const joined: Flow[] = [];
  let wide: (Line | Table)[] = [];
  for (const flow of flows) {
    const [only] = flow;
    if (flow.length === 1 && only !== undefined) {
      wide.push(only);
      continue;
    }
    if (wide.length > 0) joined.push(toFlow(wide));
    wide = [];
    joined.push(flow);
  }
  return wide.length > 0 ? [...joined, toFlow(wide)] : joined;
}

/** Swaps adjacent columns for right-to-left text. */
function swapSides(flows: readonly Flow[], gutter: Extent): Flow[] {
  const sides = flows.map((flow) => (flow[0] === undefined ? 0 : sideOf(flow[0], gutter)));
  const swapped: Flow[] = [];
  for (let index = 0; index < flows.length;) {
    const lefts = takeSide(sides, index, -1);
    const rights = takeSide(sides, index + lefts, 1);
    const middle = index + lefts;
    // A flow across the gap stays where it is.
    const end = Math.max(middle + rights, index + 1);
    for (const flow of flows.slice(middle, end)) swapped.push(flow);
    for (const flow of flows.slice(index, middle)) swapped.push(flow);
    index = end;
  }
  return swapped;
}

function takeSide(sides: readonly number[], from: number, side: number): number {
  let count = 0;
  while (sides[from + count] === side) count += 1;
  return count;
}

function topOf(piece: Line | Table): number {
  return isTable(piece) ? piece.y0 : piece.y - piece.size;
}

/** -1: left of the gap, 1: right of it, 0: across. */
function sideOf({ x0, x1 }: Extent, gutter: Extent): -1 | 0 | 1 {
  const middle = (gutter.x0 + gutter.x1) / 2;
  if (x1 <= middle) return -1;
  return x0 >= middle ? 1 : 0;
}

function toFlow(pieces: readonly (Line | Table)[]): Flow {
  const lines = pieces.filter(isLine);
  const tables = pieces.filter(isTable);
  return [...joinRows(lines), ...tables].toSorted((one, other) => topOf(one) - topOf(other));
}

function findGutter(pieces: readonly (Line | Table)[], depth: number): Extent | undefined {
  if (depth >= MAX_DEPTH || pieces.length < 2 * MIN_LINES) return undefined;
  const [best] = listGaps(pieces)
    .filter((gap) => isGutter(pieces, gap, depth))
    .toSorted((one, other) => countCrossing(pieces, one) - countCrossing(pieces, other));
  return best;
}

/** Lists ranges of the width that few pieces cross. */
function listGaps(pieces: readonly (Line | Table)[]): Extent[] {
  const x0 = Math.floor(leastOf(pieces, (piece) => piece.x0));
  const x1 = Math.ceil(greatestOf(pieces, (piece) => piece.x1));
  if (!(x1 - x0 > 0 && x1 - x0 < 20_000)) return [];
  const counts = new Int32Array(x1 - x0 + 2);
  for (const piece of pieces) {
    counts[Math.floor(piece.x0) - x0] = (counts[Math.floor(piece.x0) - x0] ?? 0) + 1;
    counts[Math.ceil(piece.x1) - x0] = (counts[Math.ceil(piece.x1) - x0] ?? 0) - 1;
  }
  let covered = 0;
  const coverage = Array.from(counts, (change) => (covered += change));
  const gaps: Extent[] = [];
  const [first, last] = [Math.floor(0.12 * coverage.length), Math.ceil(0.88 * coverage.length)];
  for (let at = first; at < last; at += 1) {
    const level = coverage[at] ?? 0;
    if (level > MAX_CROSSING * pieces.length || level > (coverage[at - 1] ?? 0)) continue;
    let end = at;
    while (end + 1 < last && coverage[end + 1] === level) end += 1;
    const isValley = (coverage[end + 1] ?? 0) > level || end + 1 >= last;
    if (isValley && end - at >= 3) gaps.push({ x0: x0 + at, x1: x0 + end + 1 });
    at = end;
  }
  return gaps;
}

function countCrossing(pieces: readonly (Line | Table)[], gap: Extent): number {
  return pieces.filter((piece) => sideOf(piece, gap) === 0).length;
}

/** Tests whether text fills both sides of a gap like columns, not like table rows. */
function isGutter(pieces: readonly (Line | Table)[], gap: Extent, depth: number): boolean {
  const width = greatestOf(pieces, ({ x1 }) => x1) - leastOf(pieces, ({ x0 }) => x0);
  return [-1, 1].every((side) => {
    const beside = pieces.filter((piece) => sideOf(piece, gap) === side);
    const rows = joinRows(beside.filter(isLine));
    if (rows.length < MIN_LINES) return false;
    const column = greatestOf(rows, ({ x1 }) => x1) - leastOf(rows, ({ x0 }) => x0);
    const fill = median(rows.map(({ x0, x1 }) => x1 - x0)) / column;
    const text = median(rows.map((row) => row.text.length));
    if (column < MIN_WIDTH * width || text < MIN_TEXT) return false;
    // Lines of nested columns fill only a part each.
    return fill >= MIN_FILL || findGutter(beside, depth + 1) !== undefined;
  });
}
