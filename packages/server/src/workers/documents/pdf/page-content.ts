import { Util } from 'unpdf/pdfjs';

/** Content of a PDF page in points from its top left corner, in the orientation of most text. */
export interface PdfPageContent {
  readonly width: number;
  readonly height: number;
  /** In drawing order. */
  readonly runs: readonly TextRun[];
  readonly rules: readonly Rule[];
  /** Small filled shapes, possibly bullets. */
  readonly dots: readonly Dot[];
}

/** Text drawn in one piece. */
export interface TextRun {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  /** The baseline. */
  readonly y: number;
  /** Font size. */
  readonly size: number;
  readonly isBold: boolean;
  readonly isMono: boolean;
  readonly isRtl: boolean;
  /** True if the page draws a space before it. */
  readonly hasSpaceBefore: boolean;
  readonly href?: string;
}

export interface Rule {
  readonly isVertical: boolean;
  /** x of a vertical rule, y of a horizontal one. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Dot {
  readonly x: number;
  readonly y: number;
}

export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** A PDF matrix `[a, b, c, d, e, f]`. */
export type Matrix = readonly [number, number, number, number, number, number];

/** Applies `inner`, then `outer`. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  return Util.transform([...outer], [...inner]) as unknown as Matrix;
}

export function transformBox([a, b, c, d, e, f]: Matrix, { x0, y0, x1, y1 }: Box): Box {
  const xs = [x0, x1].flatMap((x) => [y0, y1].map((y) => a * x + c * y + e));
  const ys = [x0, x1].flatMap((x) => [y0, y1].map((y) => b * x + d * y + f));
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

/** `Math.min(...values)` would put the values on the stack, which a page with 100,000 pieces of text exceeds. */
export function leastOf<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((least, item) => Math.min(least, valueOf(item)), Infinity);
}

export function greatestOf<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((greatest, item) => Math.max(greatest, valueOf(item)), -Infinity);
}

/** Returns the median; 0 for no values. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
