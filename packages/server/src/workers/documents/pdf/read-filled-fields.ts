import { multiply, transformBox, type Matrix, type TextRun } from './page-content.ts';

/** Parts of an annotation in pdf.js. */
export interface PdfField {
  readonly subtype?: string;
  readonly rect: readonly number[];
  readonly annotationFlags?: number;
  readonly fieldType?: string | null;
  readonly password?: boolean;
  readonly fieldValue?: unknown;
  /** Lines of what a text field shows. */
  readonly textContent?: readonly string[];
  /** Where its first line begins, from the lower left corner of `rect`. */
  readonly textPosition?: readonly number[];
  readonly backgroundColor?: Colour | null;
  readonly defaultAppearanceData?: { readonly fontSize?: number; readonly fontColor?: Colour };
}

type Colour = ArrayLike<number>;

/** Annotation flags Hidden and NoView (ISO 32000-1, 12.5.3). */
const NOT_SHOWN = 2 | 32;
const MIN_SIZE = 3;
/** Sum of the differences of red, green and blue, each to 255. */
const MIN_CONTRAST = 60;
const WHITE: Colour = [255, 255, 255];

/** Returns what is written into the shown text fields and lists of a form, and text that was typed onto the page. */
export function readFilledFields(annotations: readonly PdfField[], base: Matrix): TextRun[] {
  return annotations.flatMap((field) => (isShown(field) ? readLines(field, base) : []));
}

function isShown({ subtype, fieldType, password, annotationFlags = 0, ...field }: PdfField): boolean {
  const isText = subtype === 'FreeText' || (subtype === 'Widget' && (fieldType === 'Tx' || fieldType === 'Ch'));
  if (!isText || password === true || (annotationFlags & NOT_SHOWN) !== 0) return false;
  const colour = field.defaultAppearanceData?.fontColor;
  return colour === undefined || contrast(colour, field.backgroundColor ?? WHITE) >= MIN_CONTRAST;
}

function contrast(one: Colour, other: Colour): number {
  return [0, 1, 2].reduce((sum, index) => sum + Math.abs((one[index] ?? 0) - (other[index] ?? 0)), 0);
}

function readLines({ rect, textPosition, ...field }: PdfField, base: Matrix): TextRun[] {
  const [left = 0, bottom = 0, right = 0, top = 0] = rect;
  const box = transformBox(base, { x0: left, y0: bottom, x1: right, y1: top });
  const height = box.y1 - box.y0;
  const size = Math.min(field.defaultAppearanceData?.fontSize || height * 0.7, height);
  if (size < MIN_SIZE || box.x1 - box.x0 < MIN_SIZE) return [];
  const [x = 0, y = height / 4] = textPosition ?? [];
  const [, , , , startX, startY] = multiply(base, [1, 0, 0, 1, left + x, bottom + y]);
  const lines = field.textContent ?? [field.fieldValue].flat().filter((value) => typeof value === 'string');
  return lines.flatMap((line, index) => {
    const text = line
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/\p{Cc}/gu, '')
      .trim();
    if (text === '') return [];
    const run = { text, x0: startX, x1: box.x1, y: startY + index * size * 1.2, size, isBold: false, isMono: false };
    return [{ ...run, isRtl: false, hasSpaceBefore: true }];
  });
}
