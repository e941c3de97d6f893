import { greatestOf, leastOf, median, type Dot, type TextRun } from './page-content.ts';

/** Runs on one baseline, in reading order, and what holds for most of their text. */
export interface Line extends Omit<TextRun, 'hasSpaceBefore' | 'href'> {
  readonly runs: readonly TextRun[];
}

/** Gap that separates pieces, in font sizes. */
const PIECE_GAP = 1.25;
/** Gap that means a space, in font sizes. */
const SPACE_GAP = 0.16;
/** Tolerance of the baseline, for example for superscripts. */
const SAME_BASELINE = 0.3;
const RAISED = 0.65;

/** Joins successive runs on a line that have no column gap between them. */
export function joinPieces(runs: readonly TextRun[]): Line[] {
  const pieces: TextRun[][] = [];
  let current: TextRun[] = [];
  for (const run of runs) {
    if (current.length > 0 && !continues(current, run)) {
      pieces.push(current);
      current = [];
    }
    current.push(run);
  }
  if (current.length > 0) pieces.push(current);
  return pieces.map(toLine);
}

function continues(current: readonly TextRun[], run: TextRun): boolean {
  const last = current.at(-1) ?? run;
  const anchor = current.reduce((largest, one) => (one.size > largest.size ? one : largest), last);
  if (!isOnBaseline(anchor, run)) return false;
  const x0 = leastOf(current.slice(-200), (one) => one.x0);
  const gap = run.x0 >= last.x0 ? run.x0 - last.x1 : x0 - run.x1;
  return gap < PIECE_GAP * Math.max(run.size, last.size) && gap > -1.5 * anchor.size;
}

function isOnBaseline(one: TextRun, other: TextRun): boolean {
  const size = Math.max(one.size, other.size);
  const isScript = Math.min(one.size, other.size) < 0.85 * size;
  return Math.abs(one.y - other.y) <= (isScript ? RAISED : SAME_BASELINE) * size;
}

/** Joins pieces on one baseline, left to right. */
export function joinRows(pieces: readonly Line[]): Line[] {
  const rows: Line[][] = [];
  for (const piece of pieces.toSorted((one, other) => one.y - other.y)) {
    const row = rows
      .slice(-3)
      .find(
        ([first]) =>
          first !== undefined && Math.abs(first.y - piece.y) <= SAME_BASELINE * Math.max(first.size, piece.size),
      );
    if (row === undefined) rows.push([piece]);
    else row.push(piece);
  }
  return rows.map((row) =>
    row.length === 1 && row[0] !== undefined ? row[0] : toLine(row.flatMap(({ runs }) => runs)),
  );
}

/** @param runs of one line, in any order; not empty */
export function toLine(runs: readonly TextRun[]): Line {
  const isRtl = weigh(runs, (run) => run.isRtl) > 0.5;
  const ordered = orderRuns(runs, isRtl);
  const size = usualSize(ordered);
  const onBaseline = ordered.filter((run) => run.size > 0.85 * size);
  return {
    runs: ordered,
    x0: leastOf(ordered, ({ x0 }) => x0),
    x1: greatestOf(ordered, ({ x1 }) => x1),
    y: median((onBaseline.length > 0 ? onBaseline : ordered).map(({ y }) => y)),
    size,
    isBold: weigh(ordered, ({ isBold }) => isBold) > 0.9,
    isMono: weigh(ordered, ({ isMono }) => isMono) > 0.9,
    isRtl,
    text: textOf(ordered),
  };
}

function orderRuns(runs: readonly TextRun[], isRtl: boolean): TextRun[] {
  const byPlace = runs.toSorted((one, other) => one.x0 - other.x0);
  if (!isRtl) return byPlace;
  const ordered: TextRun[] = [];
  let leftward: TextRun[] = [];
  for (const run of byPlace.toReversed()) {
    if (run.isRtl) {
      for (const one of leftward.toReversed()) ordered.push(one);
      ordered.push(run);
      leftward = [];
    } else leftward.push(run);
  }
  return [...ordered, ...leftward.toReversed()];
}

/** Share of text for which `is` holds, 0 to 1. */
function weigh(runs: readonly TextRun[], is: (run: TextRun) => boolean): number {
  let all = 0;
  let some = 0;
  for (const run of runs) {
    all += run.text.length;
    if (is(run)) some += run.text.length;
  }
  return all === 0 ? 0 : some / all;
}

/** Font size of most text, to half a point. */
export function usualSize(runs: Iterable<Pick<TextRun, 'size' | 'text'>>): number {
  const counts = new Map<number, number>();
  for (const { size, text } of runs) {
    const rounded = Math.round(size * 2) / 2;
    counts.set(rounded, (counts.get(rounded) ?? 0) + text.length);
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0])[0];
}

export function isSpaced(before: TextRun, run: TextRun): boolean {
  if (before.text.endsWith(' ') || run.text.startsWith(' ')) return false;
  const gap = run.x0 >= before.x0 ? run.x0 - before.x1 : before.x0 - run.x1;
  const size = Math.max(before.size, run.size);
  return gap > SPACE_GAP * size || (run.hasSpaceBefore && gap > 0.03 * size);
}

function textOf(runs: readonly TextRun[]): string {
  let text = '';
  for (const [index, run] of runs.entries()) {
    const before = runs[index - 1];
    text += (before !== undefined && isSpaced(before, run) ? ' ' : '') + run.text;
  }
  return text.trim();
}

export function addBullets(lines: readonly Line[], dots: readonly Dot[]): Line[] {
  if (dots.length === 0) return [...lines];
  return lines.map((line) => {
    const middle = line.y - 0.3 * line.size;
    const dot = dots.find(({ x, y }) => {
      const gap = line.isRtl ? x - line.x1 : line.x0 - x;
      return gap > 0 && gap < 3 * line.size && Math.abs(y - middle) < 0.4 * line.size;
    });
    const [first] = line.runs;
    if (dot === undefined || first === undefined) return line;
    const bullet: TextRun = { ...first, text: '•', x0: dot.x, x1: dot.x, y: line.y };
    return {
      ...line,
      runs: [bullet, ...line.runs],
      text: `• ${line.text}`,
      x0: Math.min(line.x0, dot.x),
      x1: Math.max(line.x1, dot.x),
    };
  });
}
