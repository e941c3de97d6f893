import { joinPieces, joinRows, toLine, type Line } from './lines.ts';
import { median, type Box, type Rule, type TextRun } from './page-content.ts';
import { splitRun } from './split-run.ts';

export interface Table extends Box {
  readonly rows: readonly (readonly Cell[])[];
}

export interface Cell {
  readonly lines: readonly Line[];
  readonly colSpan: number;
  readonly rowSpan: number;
  readonly isHeader: boolean;
}

export interface FoundTables {
  readonly tables: readonly Table[];
  /** Outside of tables. */
  readonly rest: readonly TextRun[];
}

/** Maximum distance of touching or equal lines, in points. */
const TOUCH = 3;
const SAME_LINE = 4.5;
const MAX_CELLS = 20_000;

/** Finds tables: grids, and rows between horizontal rules of one width. */
export function findTables(runs: readonly TextRun[], rules: readonly Rule[]): FoundTables {
  let rest = runs;
  const tables: Table[] = [];
  for (const group of groupTouching(rules)) {
    const found = readGrid(group, rest);
    if (found === undefined) continue;
    tables.push(found.table);
    rest = found.rest;
  }
  for (const group of groupByExtent(rules)) {
    const found = readRuled(group, rest);
    if (found === undefined) continue;
    tables.push(found.table);
    rest = found.rest;
  }
  return { tables, rest };
}

interface FoundTable {
  readonly table: Table;
  readonly rest: readonly TextRun[];
}

function boxOf({ isVertical, at, from, to }: Rule): Box {
  return isVertical ? { x0: at, x1: at, y0: from, y1: to } : { x0: from, x1: to, y0: at, y1: at };
}

function groupTouching(rules: readonly Rule[]): Rule[][] {
  const sorted = rules.map((rule) => ({ rule, box: boxOf(rule) })).toSorted((one, other) => one.box.y0 - other.box.y0);
  const parents = sorted.map((_, index) => index);
  const rootOf = (index: number): number => {
    let at = index;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at] ?? at] ?? at;
      at = parents[at] ?? at;
    }
    return at;
  };
  let open: number[] = [];
  for (const [index, { box }] of sorted.entries()) {
    open = open.filter((other) => (sorted[other]?.box.y1 ?? -Infinity) >= box.y0 - TOUCH);
    for (const other of open) {
      const beside = sorted[other]?.box;
      if (beside && beside.x0 <= box.x1 + TOUCH && beside.x1 >= box.x0 - TOUCH) parents[rootOf(other)] = rootOf(index);
    }
    open.push(index);
  }
  const groups = Map.groupBy(sorted.keys(), rootOf);
  return [...groups.values()].map((indexes) => indexes.flatMap((index) => sorted[index]?.rule ?? []));
}

function cluster(places: readonly number[]): number[] {
  const clusters: number[][] = [];
  for (const place of places.toSorted((one, other) => one - other)) {
    const last = clusters.at(-1);
    if (last?.[0] !== undefined && place - last[0] <= SAME_LINE) last.push(place);
    else clusters.push([place]);
  }
  return clusters.map((one) => one.reduce((sum, place) => sum + place, 0) / one.length);
}

function readGrid(group: readonly Rule[], runs: readonly TextRun[]): FoundTable | undefined {
  const xs = cluster(group.filter(({ isVertical }) => isVertical).map(({ at }) => at));
  const ys = cluster(group.filter(({ isVertical }) => !isVertical).map(({ at }) => at));
  const columns = xs.length - 1;
  const rows = ys.length - 1;
  if (columns < 2 || rows < 1 || columns * rows > MAX_CELLS) return undefined;
  const box = { x0: xs[0] ?? 0, x1: xs.at(-1) ?? 0, y0: ys[0] ?? 0, y1: ys.at(-1) ?? 0 };
  const isCut = createSeparators(group, xs, ys);
  const cells = mergeCells(rows, columns, isCut);
  const { inside, outside } = divide(runs, box);
  const texts = new Map<number, TextRun[]>();
  for (const run of inside.flatMap((one) =>
    splitRun(
      one,
      xs.filter((x) => x > one.x0 + 1 && x < one.x1 - 1),
    ),
  )) {
    const column = indexIn(xs, (run.x0 + run.x1) / 2);
    const row = indexIn(ys, run.y - 0.3 * run.size);
    const cell = cells.ownerOf(row, column);
    texts.set(cell, [...(texts.get(cell) ?? []), run]);
  }
  if (texts.size < 2) return undefined;
  const table = { ...box, rows: writeRows(rows, columns, cells, texts) };
  return table.rows.some((row) => row.filter(({ lines }) => lines.length > 0).length >= 2)
    ? { table, rest: outside }
    : undefined;
}

function divide(runs: readonly TextRun[], { x0, x1, y0, y1 }: Box): { inside: TextRun[]; outside: TextRun[] } {
  const inside: TextRun[] = [];
  const outside: TextRun[] = [];
  for (const run of runs) {
    const x = (run.x0 + run.x1) / 2;
    const y = run.y - 0.3 * run.size;
    (x > x0 && x < x1 && y > y0 && y < y1 ? inside : outside).push(run);
  }
  return { inside, outside };
}

function indexIn(places: readonly number[], place: number): number {
  const index = places.findIndex((one) => one > place);
  return Math.max(0, (index === -1 ? places.length - 1 : index) - 1);
}

interface Separators {
  /** True if a line separates a cell from the one on its right. */
  right(row: number, column: number): boolean;
  /** True if a line separates a cell from the one below. */
  below(row: number, column: number): boolean;
}

function createSeparators(group: readonly Rule[], xs: readonly number[], ys: readonly number[]): Separators {
  const crosses = (isVertical: boolean, at: number, place: number): boolean =>
    group.some(
      (rule) =>
        rule.isVertical === isVertical && Math.abs(rule.at - at) <= SAME_LINE && rule.from <= place && rule.to >= place,
    );
  const middle = (places: readonly number[], index: number): number =>
    ((places[index] ?? 0) + (places[index + 1] ?? 0)) / 2;
  return {
    right: (row, column) => crosses(true, xs[column + 1] ?? 0, middle(ys, row)),
    below: (row, column) => crosses(false, ys[row + 1] ?? 0, middle(xs, column)),
  };
}

interface MergedCells {
  /** Number of the merged cell: that of its first position. */
  ownerOf(row: number, column: number): number;
  spanOf(cell: number): { readonly colSpan: number; readonly rowSpan: number };
}

/** Merges positions without a line between them, if they form a rectangle. */
function mergeCells(rows: number, columns: number, isCut: Separators): MergedCells {
  const owners = new Map<number, number>();
  const spans = new Map<number, { colSpan: number; rowSpan: number }>();
  const at = (row: number, column: number): number => row * columns + column;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (owners.has(at(row, column))) continue;
      let colSpan = 1;
      while (
        column + colSpan < columns &&
        !isCut.right(row, column + colSpan - 1) &&
        !owners.has(at(row, column + colSpan))
      )
        colSpan += 1;
      let rowSpan = 1;
      const isOpen = (below: number): boolean =>
        Array.from({ length: colSpan }, (_, index) => column + index).every((one) => !isCut.below(below, one));
      while (row + rowSpan < rows && isOpen(row + rowSpan - 1)) rowSpan += 1;
      for (let down = 0; down < rowSpan; down += 1) {
        for (let right = 0; right < colSpan; right += 1) owners.set(at(row + down, column + right), at(row, column));
      }
      spans.set(at(row, column), { colSpan, rowSpan });
    }
  }
  return {
    ownerOf: (row, column) => owners.get(at(row, column)) ?? at(row, column),
    spanOf: (cell) => spans.get(cell) ?? { colSpan: 1, rowSpan: 1 },
  };
}

function writeRows(
  rows: number,
  columns: number,
  cells: MergedCells,
  texts: ReadonlyMap<number, readonly TextRun[]>,
): Cell[][] {
  const written = Array.from({ length: rows }, (_, row) => {
    const places = Array.from({ length: columns }, (_none, column) => row * columns + column);
    return places
      .filter((place) => cells.ownerOf(row, place - row * columns) === place)
      .map((place) => ({ lines: joinRows(joinPieces(texts.get(place) ?? [])), ...cells.spanOf(place) }));
  });
  return written.map((row, index) => {
    const filled = row.filter(({ lines }) => lines.length > 0);
    const isHeader =
      index === 0 && filled.length > 0 && filled.every(({ lines }) => lines.every(({ isBold }) => isBold));
    return row.map((cell) => ({ ...cell, isHeader }));
  });
}

function groupByExtent(rules: readonly Rule[]): Rule[][] {
  const groups: Rule[][] = [];
  for (const rule of rules.filter(({ isVertical }) => !isVertical).toSorted((one, other) => one.at - other.at)) {
    const group = groups.find(([first]) => first && near(first.from, rule.from) && near(first.to, rule.to));
    if (group === undefined) groups.push([rule]);
    else group.push(rule);
  }
  return groups.filter((group) => group.length >= 2);
}

function near(one: number, other: number): boolean {
  return Math.abs(one - other) <= TOUCH;
}

/** Longer text between rules is prose. */
const MAX_CELL_TEXT = 40;
/** In font sizes. */
const COLUMN_GAP = 0.7;

function readRuled(group: readonly Rule[], runs: readonly TextRun[]): FoundTable | undefined {
  const [top] = group;
  const bottom = group.at(-1);
  if (top === undefined || bottom === undefined || bottom.at - top.at < 8) return undefined;
  const box = { x0: top.from - TOUCH, x1: top.to + TOUCH, y0: top.at, y1: bottom.at };
  const { inside, outside } = divide(runs, box);
  const rows = joinRows(joinPieces(inside));
  const edges = findColumns(rows);
  if (rows.length < 2 || edges.length === 0) return undefined;
  const cells = rows.map((row) => toCells(row, edges));
  const filled = cells.flat().filter((cell) => cell.length > 0);
  const lengths = filled.map((cell) => toLine(cell).text.length);
  const isTabular = cells.filter((row) => row.filter((cell) => cell.length > 0).length >= 2).length >= rows.length / 2;
  if (!isTabular || median(lengths) > MAX_CELL_TEXT) return undefined;
  const second = group.find(({ at }) => at > top.at + TOUCH);
  const written = cells.map((row, index) => {
    const isHeader = second !== undefined && second !== bottom && (rows[index]?.y ?? Infinity) < second.at;
    return row.map((cell) => ({ lines: cell.length === 0 ? [] : [toLine(cell)], colSpan: 1, rowSpan: 1, isHeader }));
  });
  return { table: { ...box, rows: written }, rest: outside };
}

/** Returns the middles of gaps common to all rows. */
function findColumns(rows: readonly Line[]): number[] {
  const spans = rows.flatMap(({ runs }) => runs).toSorted((one, other) => one.x0 - other.x0);
  const edges: number[] = [];
  let end = spans[0]?.x1 ?? 0;
  for (const span of spans) {
    if (span.x0 - end > COLUMN_GAP * span.size) edges.push((span.x0 + end) / 2);
    end = Math.max(end, span.x1);
  }
  return edges;
}

function toCells({ runs }: Line, edges: readonly number[]): TextRun[][] {
  const cells: TextRun[][] = Array.from({ length: edges.length + 1 }, () => []);
  for (const run of runs) {
    const column = edges.filter((edge) => edge < (run.x0 + run.x1) / 2).length;
    cells[column]?.push(run);
  }
  return cells;
}
