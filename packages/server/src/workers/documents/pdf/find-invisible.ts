import { OPS } from 'unpdf/pdfjs';
import { multiply, transformBox, type Box, type Matrix, type TextRun } from './page-content.ts';
import { FILLS, type OperatorList } from './read-drawing.ts';

// Of an imported object every comparison would read the property again.
const {
  beginMarkedContent,
  beginMarkedContentProps,
  beginText,
  constructPath,
  endMarkedContent,
  moveText,
  nextLine,
  paintFormXObjectBegin,
  paintFormXObjectEnd,
  restore,
  save,
  setCharSpacing,
  setFillColorN,
  setFillRGBColor,
  setFont,
  setGState,
  setHScale,
  setLeading,
  setLeadingMoveText,
  setTextMatrix,
  setTextRenderingMode,
  setWordSpacing,
  shadingFill,
  showText,
  transform,
} = OPS;

/** A piece of text that the page draws without showing it. */
interface InvisibleText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** Smaller text is unreadable, in points. */
const LEAST_SIZE = 1.5;
const LEAST_ALPHA = 0.05;
/** Largest difference in a channel that no reader sees. */
const SAME_COLOR = 14;
/** Modes of PDF 32000-1, table 106: invisible, and clipping only. */
const INVISIBLE = 3;
const CLIPS = 7;
/** A picture of at least this share of the page is a scan: invisible text over it is recognised text. */
const SCAN = 0.5;
const MAX_PAINTED = 500;
const MAX_INVISIBLE = 5_000;
const MAX_ON_LINE = 200;
const TOLERANCE = 1.5;
const WHITE = [255, 255, 255];

/** Of the page's drawing; changed in place, copied by `save`. */
interface State {
  matrix: Matrix;
  /** Undefined for patterns. */
  color: readonly number[] | undefined;
  alpha: number;
  size: number;
  mode: number;
  charSpace: number;
  wordSpace: number;
  leading: number;
  scale: number;
}

interface Painted extends Box {
  readonly color: readonly number[] | undefined;
}

const PICTURES: ReadonlySet<number> = new Set([
  OPS.paintImageXObject,
  OPS.paintInlineImageXObject,
  OPS.paintImageMaskXObject,
  OPS.paintImageXObjectRepeat,
]);
const EVERYWHERE: Box = { x0: -Infinity, y0: -Infinity, x1: Infinity, y1: Infinity };
const UNIT: Box = { x0: 0, y0: 0, x1: 1, y1: 1 };

/** Drops text that the page does not show: in the colour of its background, transparent, tiny, or of a hidden layer. */
export function dropInvisible(
  runs: readonly TextRun[],
  operators: OperatorList,
  base: Matrix,
  page: { readonly width: number; readonly height: number; readonly isLayerShown: (layer: unknown) => boolean },
): TextRun[] {
  const invisible = new TextWalk(base, page).run(operators);
  const sized = runs.filter(({ size }) => size >= LEAST_SIZE);
  if (invisible.length === 0) return sized;
  const lines = Map.groupBy(invisible, ({ y }) => Math.round(y / TOLERANCE));
  return sized.flatMap((run) => {
    const line = Math.round(run.y / TOLERANCE);
    return cutInvisible(
      run,
      [line - 1, line, line + 1].flatMap((at) => lines.get(at)?.slice(0, MAX_ON_LINE) ?? []),
    );
  });
}

function cutInvisible(run: TextRun, invisible: readonly InvisibleText[]): TextRun[] {
  let { text } = run;
  for (const piece of invisible) {
    if (Math.abs(piece.y - run.y) > TOLERANCE || piece.x < run.x0 - TOLERANCE || piece.x > run.x1) continue;
    const hidden = piece.text.replaceAll(/\s+/g, ' ').trim();
    if (hidden === '') continue;
    // pdf.js joins pieces of a line, and turns right-to-left text.
    const isWhole = hidden.includes(text.trim()) || Math.abs(piece.x - run.x0) < TOLERANCE;
    if (isWhole && hidden.length >= text.trim().length) return [];
    text = text.replace(hidden, '');
  }
  if (text === run.text) return [run];
  return text.trim() === '' ? [] : [{ ...run, text }];
}

/** Follows colours, transparency and positions of a page's text. */
class TextWalk {
  readonly #page: Parameters<typeof dropInvisible>[3];
  readonly #stack: State[] = [];
  readonly #layers: boolean[] = [];
  readonly #painted: Painted[] = [];
  readonly #found: (InvisibleText & { readonly isUnpainted: boolean })[] = [];
  #state: State;
  #line: Matrix = [1, 0, 0, 1, 0, 0];
  #text: Matrix = [1, 0, 0, 1, 0, 0];
  #shown: readonly unknown[] = [];
  #hasScan = false;

  constructor(base: Matrix, page: Parameters<typeof dropInvisible>[3]) {
    this.#page = page;
    const color = [0, 0, 0];
    this.#state = { matrix: base, color, alpha: 1, size: 0, mode: 0, charSpace: 0, wordSpace: 0, leading: 0, scale: 1 };
  }

  run({ fnArray, argsArray }: OperatorList): InvisibleText[] {
    for (let index = 0; index < fnArray.length; index += 1)
      this.#step(fnArray[index] ?? 0, (argsArray[index] ?? []) as unknown[]);
    return this.#found.filter(({ isUnpainted }) => !isUnpainted || !this.#hasScan);
  }

  #step(operator: number, args: readonly unknown[]): void {
    const [first] = args;
    switch (operator) {
      case save:
        this.#stack.push({ ...this.#state });
        break;
      case restore:
      case paintFormXObjectEnd:
        this.#state = this.#stack.pop() ?? this.#state;
        break;
      case transform:
        this.#state.matrix = multiply(this.#state.matrix, args as unknown as Matrix);
        break;
      case paintFormXObjectBegin:
        this.#stack.push({ ...this.#state });
        if (Array.isArray(first)) this.#state.matrix = multiply(this.#state.matrix, first as unknown as Matrix);
        break;
      case setFillRGBColor:
        this.#state.color = readColor(args);
        break;
      case setFillColorN:
        this.#state.color = undefined;
        break;
      case shadingFill:
        this.#painted.push({ ...EVERYWHERE, color: undefined });
        break;
      case setGState:
        for (const [key, value] of first as [string, unknown][])
          if (key === 'ca' && typeof value === 'number') this.#state.alpha = value;
        break;
      case beginMarkedContentProps:
        this.#layers.push(first !== 'OC' || this.#page.isLayerShown(args[1]));
        break;
      case beginMarkedContent:
        this.#layers.push(true);
        break;
      case endMarkedContent:
        this.#layers.pop();
        break;
      case constructPath:
        if (FILLS.has(first as number)) this.#paint(args[2], this.#state.color);
        break;
      default:
        if (PICTURES.has(operator)) this.#paint(UNIT, undefined);
        else this.#stepText(operator, args);
    }
  }

  #stepText(operator: number, args: readonly unknown[]): void {
    switch (operator) {
      case beginText:
        this.#line = this.#text = [1, 0, 0, 1, 0, 0];
        this.#shown = [];
        break;
      case setFont:
        this.#state.size = Number(args[1]);
        break;
      case setTextRenderingMode:
        this.#state.mode = Number(args[0]);
        break;
      case setCharSpacing:
        this.#state.charSpace = Number(args[0]);
        break;
      case setWordSpacing:
        this.#state.wordSpace = Number(args[0]);
        break;
      case setLeading:
        this.#state.leading = -Math.abs(Number(args[0]));
        break;
      case setHScale:
        this.#state.scale = Number(args[0]) / 100;
        break;
      case setTextMatrix:
        this.#line = this.#text = (Array.isArray(args[0]) || ArrayBuffer.isView(args[0]) ? args[0] : args) as Matrix;
        this.#shown = [];
        break;
      case setLeadingMoveText:
        this.#state.leading = Number(args[1]);
        this.#move(Number(args[0]), Number(args[1]));
        break;
      case moveText:
        this.#move(Number(args[0]), Number(args[1]));
        break;
      case nextLine:
        this.#move(0, this.#state.leading);
        break;
      case showText:
        this.#show(args[0] as readonly unknown[]);
        break;
      default:
    }
  }

  #move(x: number, y: number): void {
    this.#line = this.#text = multiply(this.#line, [1, 0, 0, 1, x, y]);
    this.#shown = [];
  }

  /** @param bounds four numbers, or a box */
  #paint(bounds: unknown, color: readonly number[] | undefined): void {
    const [x0, y0, x1, y1] = (bounds === UNIT ? [0, 0, 1, 1] : bounds) as ArrayLike<number> & Iterable<number>;
    const box = transformBox(this.#state.matrix, { x0: x0 ?? 0, y0: y0 ?? 0, x1: x1 ?? 0, y1: y1 ?? 0 });
    const isScan = (box.x1 - box.x0) * (box.y1 - box.y0) >= SCAN * this.#page.width * this.#page.height;
    if (bounds === UNIT && isScan) this.#hasScan = true;
    if (this.#state.alpha < LEAST_ALPHA) return;
    // Of a drawing with many parts, the background is unknown.
    if (this.#painted.length >= MAX_PAINTED) return;
    const isOpaque = this.#state.alpha === 1;
    this.#painted.push({ ...box, color: isOpaque ? color : undefined });
  }

  #show(glyphs: readonly unknown[]): void {
    this.#advance();
    const at = multiply(this.#state.matrix, this.#text);
    if (this.#found.length < MAX_INVISIBLE) this.#judge(glyphs, at);
    this.#shown = glyphs;
  }

  /** Moves past the last text, unless the page set a position since. */
  #advance(): void {
    const { size, charSpace, wordSpace, scale } = this.#state;
    let width = 0;
    for (const glyph of this.#shown) {
      if (typeof glyph === 'number') width -= (glyph / 1000) * size;
      else if (glyph !== null && typeof glyph === 'object') {
        const { width: own = 0, isSpace = false } = glyph as Partial<Glyph>;
        width += (own / 1000) * size + charSpace + (isSpace ? wordSpace : 0);
      }
    }
    if (width !== 0) this.#text = multiply(this.#text, [1, 0, 0, 1, width * scale, 0]);
  }

  #judge(glyphs: readonly unknown[], at: Matrix): void {
    const { size, mode, alpha, color } = this.#state;
    const [x, y] = [at[4], at[5]];
    const height = Math.abs(size) * Math.hypot(at[2], at[3]);
    const isUnpainted = mode === INVISIBLE || mode === CLIPS;
    const isClear = alpha < LEAST_ALPHA || height < LEAST_SIZE || this.#layers.includes(false);
    if (isUnpainted || isClear || (mode === 0 && this.#blendsIn(color, x, y - height / 4)))
      this.#found.push({ text: readText(glyphs), x, y, isUnpainted: isUnpainted && !isClear });
  }

  #blendsIn(color: readonly number[] | undefined, x: number, y: number): boolean {
    if (color === undefined || this.#painted.length >= MAX_PAINTED) return false;
    const below = this.#painted.findLast(({ x0, x1, y0, y1 }) => x0 <= x + 1 && x1 >= x && y0 <= y && y1 >= y);
    const ground = below === undefined ? WHITE : below.color;
    return (
      ground !== undefined && color.every((part, channel) => Math.abs(part - (ground[channel] ?? 0)) <= SAME_COLOR)
    );
  }
}

interface Glyph {
  readonly unicode: string;
  /** In thousandths of the font size. */
  readonly width: number;
  readonly isSpace: boolean;
}

function readText(glyphs: readonly unknown[]): string {
  let text = '';
  for (const glyph of glyphs) {
    if (typeof glyph === 'number') text += glyph < -200 ? ' ' : '';
    else if (glyph !== null && typeof glyph === 'object') text += (glyph as Partial<Glyph>).unicode ?? '';
  }
  return text;
}

/** Colours are `#rrggbb` or three numbers. */
function readColor([first, ...others]: readonly unknown[]): readonly number[] | undefined {
  if (typeof first === 'number') return [first, ...others.map(Number)];
  if (typeof first !== 'string' || !/^#[\da-f]{6}$/i.test(first)) return undefined;
  return [1, 3, 5].map((start) => Number.parseInt(first.slice(start, start + 2), 16));
}
