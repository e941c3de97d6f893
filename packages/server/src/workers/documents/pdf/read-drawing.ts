import { OPS } from 'unpdf/pdfjs';
import { multiply, transformBox, type Box, type Dot, type Matrix, type Rule } from './page-content.ts';

const { constructPath, paintFormXObjectBegin, paintFormXObjectEnd, restore, save, transform } = OPS;

export interface OperatorList {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}

export interface Drawing {
  readonly rules: readonly Rule[];
  readonly dots: readonly Dot[];
}

/** More lines indicate a map or drawing without tables. */
const MAX_RULES = 5000;
const MAX_DOTS = 2000;
/** Limits of a line's thickness and length, in points. */
const MAX_THICKNESS = 3;
const MIN_LENGTH = 6;
/** Size of a bullet, in points. */
const MIN_DOT = 1.5;
const MAX_DOT = 9;

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

const STROKES: ReadonlySet<number> = new Set([
  OPS.stroke,
  OPS.closeStroke,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
]);
export const FILLS: ReadonlySet<number> = new Set([
  OPS.fill,
  OPS.eoFill,
  OPS.fillStroke,
  OPS.eoFillStroke,
  OPS.closeFillStroke,
  OPS.closeEOFillStroke,
]);

/** Codes of pdf.js' path data, with their numbers of coordinates. */
const MOVE = 0;
const LINE = 1;
const CLOSE = 4;
const COORDINATES: Readonly<Record<number, number>> = { 0: 2, 1: 2, 2: 6, 3: 4, 4: 0 };

export function readDrawing({ fnArray, argsArray }: OperatorList, base: Matrix): Drawing {
  const rules: Rule[] = [];
  const dots: Dot[] = [];
  const stack: Matrix[] = [];
  let matrix = base;
  for (let index = 0; index < fnArray.length; index += 1) {
    const operator = fnArray[index];
    const args = argsArray[index] as readonly unknown[] | null;
    if (operator === save) stack.push(matrix);
    else if (operator === restore || operator === paintFormXObjectEnd) matrix = stack.pop() ?? matrix;
    else if (operator === transform) matrix = multiply(matrix, args as unknown as Matrix);
    else if (operator === paintFormXObjectBegin) {
      stack.push(matrix);
      matrix = multiply(matrix, (args?.[0] as Matrix | null) ?? IDENTITY);
    } else if (operator === constructPath) {
      const [paint, data] = args as readonly [number, readonly [ArrayLike<number> | null]];
      if (data[0] !== null) readPath(data[0], paint, matrix, { rules, dots });
      if (rules.length > MAX_RULES) return { rules: [], dots: [] };
    }
  }
  return { rules, dots: dots.slice(0, MAX_DOTS) };
}

function readPath(
  data: ArrayLike<number>,
  paint: number,
  matrix: Matrix,
  { rules, dots }: { rules: Rule[]; dots: Dot[] },
): void {
  for (const subpath of splitPath(data)) {
    if (STROKES.has(paint)) {
      for (const segment of subpath.segments) addRule(transformBox(matrix, segment), rules);
    }
    if (!FILLS.has(paint)) continue;
    const box = transformBox(matrix, subpath.box);
    const width = box.x1 - box.x0;
    const height = box.y1 - box.y0;
    const isDot = Math.min(width, height) >= MIN_DOT && Math.max(width, height) <= MAX_DOT;
    if (isDot && Math.max(width, height) < 1.5 * Math.min(width, height))
      dots.push({ x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2 });
    else addRule(box, rules);
  }
}

function addRule({ x0, y0, x1, y1 }: Box, rules: Rule[]): void {
  const width = x1 - x0;
  const height = y1 - y0;
  if (height <= MAX_THICKNESS && width >= MIN_LENGTH)
    rules.push({ isVertical: false, at: (y0 + y1) / 2, from: x0, to: x1 });
  else if (width <= MAX_THICKNESS && height >= MIN_LENGTH)
    rules.push({ isVertical: true, at: (x0 + x1) / 2, from: y0, to: y1 });
}

interface Subpath {
  readonly box: Box;
  /** Straight lines as bounding boxes. */
  readonly segments: readonly Box[];
}

function* splitPath(data: ArrayLike<number>): Generator<Subpath> {
  let points: number[] = [];
  let segments: Box[] = [];
  for (let at = 0; at < data.length;) {
    const code = data[at] ?? CLOSE;
    const count = COORDINATES[code] ?? 0;
    if (code === MOVE && points.length > 0) {
      yield { box: boundsOf(points), segments };
      points = [];
      segments = [];
    }
    const last = points.slice(-2);
    for (let offset = 1; offset <= count; offset += 1) points.push(data[at + offset] ?? 0);
    const end = code === CLOSE ? points.slice(0, 2) : points.slice(-2);
    if ((code === LINE || code === CLOSE) && last.length === 2) segments.push(boundsOf([...last, ...end]));
    at += 1 + count;
  }
  if (points.length > 0) yield { box: boundsOf(points), segments };
}

function boundsOf(points: readonly number[]): Box {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let index = 0; index + 1 < points.length; index += 2) {
    const x = points[index] ?? 0;
    const y = points[index + 1] ?? 0;
    x0 = Math.min(x0, x);
    x1 = Math.max(x1, x);
    y0 = Math.min(y0, y);
    y1 = Math.max(y1, y);
  }
  return { x0, y0, x1, y1 };
}
