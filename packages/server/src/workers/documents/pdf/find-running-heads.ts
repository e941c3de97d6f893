import { joinPieces, joinRows, usualSize, type Line } from './lines.ts';
import { median, type PdfPageContent, type TextRun } from './page-content.ts';

/** Share of the page's height searched at the top and bottom. */
const EDGE = 0.13;
/** Candidates at each edge. */
const MAX_LINES = 3;
/** Distance from the text, in font sizes. */
const STANDOFF = 1.6;
/** Share of pages that must have a line at this position if its text varies. */
const COMMON = 0.6;
/** Tolerance of positions between pages, in points. */
const SAME_PLACE = 4;

interface EdgeLine {
  readonly page: number;
  readonly line: Line;
  readonly isTop: boolean;
  /** True if a gap separates it from the text. */
  readonly standsOff: boolean;
}

export function dropRunningHeads(pages: readonly PdfPageContent[]): (readonly TextRun[])[] {
  const edges = pages.flatMap((page, index) => listEdges(page, index));
  const bodySize = usualSize(iterateRuns(pages));
  const heads = edges.filter((one) => isRunningHead(one, edges, pages.length, bodySize));
  const dropped = Map.groupBy(heads, ({ page }) => page);
  return pages.map(({ runs }, index) => {
    const gone = new Set((dropped.get(index) ?? []).flatMap(({ line }) => line.runs));
    return gone.size === 0 ? runs : runs.filter((run) => !gone.has(run));
  });
}

function* iterateRuns(pages: readonly PdfPageContent[]): Generator<TextRun> {
  for (const { runs } of pages) yield* runs;
}

function listEdges({ runs, height }: PdfPageContent, page: number): EdgeLine[] {
  const rows = joinRows(joinPieces(runs));
  const gapAfter = (index: number): number => {
    const [one, other] = [rows[index], rows[index + 1]];
    return one === undefined || other === undefined ? Infinity : other.y - one.y;
  };
  const edges: EdgeLine[] = [];
  let standsOff = false;
  const tops = rows.slice(0, MAX_LINES).filter(({ y }) => y < EDGE * height);
  for (const [offset, line] of tops.toReversed().entries()) {
    standsOff ||= gapAfter(tops.length - 1 - offset) > STANDOFF * line.size;
    edges.push({ page, line, isTop: true, standsOff });
  }
  standsOff = false;
  const firstBottom = Math.max(rows.length - MAX_LINES, tops.length);
  for (const [offset, line] of rows.slice(firstBottom).entries()) {
    if (line.y <= (1 - EDGE) * height) continue;
    standsOff ||= gapAfter(firstBottom + offset - 1) > STANDOFF * line.size;
    edges.push({ page, line, isTop: false, standsOff });
  }
  return edges;
}

function isRunningHead(one: EdgeLine, edges: readonly EdgeLine[], pages: number, bodySize: number): boolean {
  if (one.standsOff && isPageNumber(one.line.text, one.page)) return true;
  const placed = edges.filter(
    ({ isTop, line, page }) => isTop === one.isTop && page !== one.page && Math.abs(line.y - one.line.y) <= SAME_PLACE,
  );
  const shape = shapeOf(one.line.text);
  if (placed.some(({ line }) => shapeOf(line.text) === shape && Math.abs(line.size - one.line.size) <= 0.5))
    return true;
  const isCommon = pages >= 3 && new Set(placed.map(({ page }) => page)).size + 1 >= COMMON * pages;
  const isUsual = median(placed.map(({ standsOff }) => (standsOff ? 1 : 0))) === 1;
  return one.standsOff && isCommon && isUsual && one.line.size <= bodySize * 1.05;
}

/** Replaces numbers, which count pages. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/\d+/g, '#')
    .replaceAll(/\b[ivxlc]+\b/g, '#')
    .trim();
}

const PAGE_NUMBER = /^\W{0,3}(?:page |seite |p\. ?)?(\d{1,4})(?: ?(?:\/|of|von|de|sur) ?\d{1,4})?\W{0,3}$/i;

function isPageNumber(text: string, page: number): boolean {
  const number = PAGE_NUMBER.exec(text)?.[1];
  return number !== undefined && Number(number) === page + 1;
}
