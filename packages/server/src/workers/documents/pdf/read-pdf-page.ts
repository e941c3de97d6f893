import { dropInvisible } from './find-invisible.ts';
import { linkRuns, type PdfLink } from './split-run.ts';
import { readFilledFields, type PdfField } from './read-filled-fields.ts';
import { multiply, transformBox, type Box, type Matrix, type PdfPageContent, type TextRun } from './page-content.ts';
import { readDrawing, type OperatorList } from './read-drawing.ts';

export interface PdfJsPage {
  getViewport(options: { scale: number }): { width: number; height: number; transform: number[] };
  getTextContent(): Promise<{ items: object[] }>;
  getOperatorList(): Promise<OperatorList>;
  getAnnotations(): Promise<PdfJsAnnotation[]>;
  readonly commonObjs: { has(name: string): boolean; get(name: string): unknown };
  cleanup(): boolean;
}

interface PdfJsAnnotation extends PdfField {
  readonly url?: string;
}

interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly width: number;
  readonly transform: Matrix;
  readonly fontName: string;
}

const QUARTER = Math.PI / 2;
/** Tolerated rotation in radians. */
const SKEW = 0.03;
const MAX_ANNOTATIONS = 5000;
const BOLD = /bold|black|heavy|semibold|demi|medi\b|cmbx|sfbx|-bd/i;
const MONO = /mono|courier|consol|menlo|cmtt|lmmono|typewriter/i;

/**
 * Reads text, lines and links. Skips rotated text, for example watermarks, and text that the page does not show.
 *
 * @param isLayerShown whether a layer (optional content) is on
 */
export async function readPdfPage(page: PdfJsPage, isLayerShown: (layer: unknown) => boolean): Promise<PdfPageContent> {
  const viewport = page.getViewport({ scale: 1 });
  const upright = viewport.transform as unknown as Matrix;
  const { items } = await page.getTextContent();
  const texts = items.filter((item): item is TextItem => 'str' in item);
  const turn = findTurn(texts, upright);
  const { base, width, height } = turnPage(upright, viewport, turn);
  const operators = await page.getOperatorList();
  const fonts = new Map<string, string>();
  const runs = readRuns(texts, base, (name) => {
    const known = fonts.get(name) ?? fontNameOf(page, name);
    fonts.set(name, known);
    return known;
  });
  const isInside = ({ x0, x1, y }: TextRun): boolean => x1 > 0 && x0 < width && y > 0 && y < height * 1.01;
  const shown = dropInvisible(runs.filter(isInside), operators, base, { width, height, isLayerShown });
  const annotations = (await page.getAnnotations()).slice(0, MAX_ANNOTATIONS);
  const links = readLinks(annotations, base);
  const filled = readFilledFields(annotations, base).filter(isInside);
  return { width, height, runs: linkRuns(dropRepeats([...shown, ...filled]), links), ...readDrawing(operators, base) };
}

/** Returns the quarter turns of most text. */
function findTurn(items: readonly TextItem[], upright: Matrix): number {
  const counts = [0, 0, 0, 0];
  for (const { str, transform } of items) {
    const turn = turnOf(multiply(upright, transform));
    if (turn !== undefined) counts[turn] = (counts[turn] ?? 0) + str.length;
  }
  return counts.indexOf(Math.max(...counts));
}

/** Returns clockwise quarter turns; undefined for other angles. */
function turnOf([a, b]: Matrix): number | undefined {
  const angle = Math.atan2(b, a);
  const turn = Math.round(angle / QUARTER);
  return Math.abs(angle - turn * QUARTER) > SKEW ? undefined : (turn + 4) % 4;
}

/** Returns the matrix that makes turned text upright, and the resulting page size. */
function turnPage(
  upright: Matrix,
  { width, height }: { width: number; height: number },
  turn: number,
): { base: Matrix; width: number; height: number } {
  const turned: Matrix[] = [
    [1, 0, 0, 1, 0, 0],
    [0, -1, 1, 0, 0, width],
    [-1, 0, 0, -1, width, height],
    [0, 1, -1, 0, height, 0],
  ];
  const base = multiply(turned[turn] ?? upright, upright);
  return turn % 2 === 0 ? { base, width, height } : { base, width: height, height: width };
}

function readRuns(items: readonly TextItem[], base: Matrix, fontName: (name: string) => string): TextRun[] {
  const runs: TextRun[] = [];
  let hasSpaceBefore = false;
  for (const item of items) {
    const text = item.str.replaceAll(/\s+/g, ' ').replaceAll(/\p{Cc}/gu, '');
    const matrix = multiply(base, item.transform);
    if (text.trim() === '') {
      hasSpaceBefore ||= text !== '' && item.width > 0;
      continue;
    }
    if (turnOf(matrix) !== 0) continue;
    const size = Math.hypot(matrix[2], matrix[3]);
    const font = fontName(item.fontName);
    runs.push({
      text,
      x0: matrix[4],
      x1: matrix[4] + item.width,
      y: matrix[5],
      size,
      isBold: BOLD.test(font),
      isMono: MONO.test(font),
      isRtl: item.dir === 'rtl',
      hasSpaceBefore,
    });
    hasSpaceBefore = false;
  }
  return runs;
}

function fontNameOf(page: PdfJsPage, name: string): string {
  if (!page.commonObjs.has(name)) return '';
  const font = page.commonObjs.get(name) as { name?: unknown } | null;
  return typeof font?.name === 'string' ? font.name : '';
}

/** Some programs draw text twice with a small offset for a bold look. */
function dropRepeats(runs: readonly TextRun[]): TextRun[] {
  const seen = new Map<string, TextRun[]>();
  return runs.filter((run) => {
    const same = seen.get(run.text) ?? [];
    seen.set(run.text, same);
    const isRepeat = same.some(({ x0, y }) => Math.abs(x0 - run.x0) < 1.2 && Math.abs(y - run.y) < 1.2);
    if (same.length < 50) same.push(run);
    return !isRepeat;
  });
}

function readLinks(annotations: readonly PdfJsAnnotation[], base: Matrix): PdfLink[] {
  return annotations.flatMap(({ subtype, url, rect }) => {
    if (subtype !== 'Link' || url === undefined || !/^(?:https?|mailto):/i.test(url)) return [];
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = rect;
    const box: Box = transformBox(base, { x0, y0, x1, y1 });
    return [{ ...box, href: url }];
  });
}
