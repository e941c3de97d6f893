import { degrees, PDFDocument, StandardFonts } from 'pdf-lib';
import type { PDFFont, PDFPage } from 'pdf-lib';
import { Prose } from './write-prose.ts';

/** A PDF drawn word by word, as typesetting programs do. */
export interface DrawnPdf {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly text: string;
}

const A4: [number, number] = [595, 842];

interface Column {
  readonly x: number;
  readonly width: number;
  readonly top: number;
  readonly bottom: number;
}

interface Style {
  readonly font: PDFFont;
  readonly size: number;
  readonly leading: number;
  /** Indent of a first line. */
  readonly indent?: number;
  /** Draws each letter by itself. */
  readonly byLetter?: boolean;
  /** Draws whole lines with spaces, as word processors do; otherwise single words with stretched gaps. */
  readonly byLine?: boolean;
  /** Hyphenates words at the ends of lines. */
  readonly divides?: boolean;
}

/** Sets paragraphs into columns, one page after the other. */
class Typesetter {
  readonly #document: PDFDocument;
  readonly #columns: readonly Column[];
  readonly #onPage: (page: PDFPage, number: number) => void;
  #page: PDFPage | undefined;
  #column = -1;
  #y = 0;

  constructor(
    document: PDFDocument,
    columns: readonly Column[],
    onPage: (page: PDFPage, number: number) => void = () => {},
  ) {
    this.#document = document;
    this.#columns = columns;
    this.#onPage = onPage;
  }

  /** Starts a page with a line across all columns. */
  title(text: string, font: PDFFont, size: number): void {
    this.#newPage();
    const width = font.widthOfTextAtSize(text, size);
    this.#page?.drawText(text, { x: (A4[0] - width) / 2, y: 790, size, font });
  }

  skip(height: number): void {
    this.#y -= height;
  }

  paragraph(text: string, style: Style): void {
    let words = text.split(' ');
    let isFirst = true;
    while (words.length > 0) {
      const column = this.#makeRoom(style.leading);
      const indent = isFirst ? (style.indent ?? 0) : 0;
      const { line, rest } = fillLine(words, column.width - indent, style);
      this.#drawLine(line, column.x + indent, rest.length === 0 ? undefined : column.width - indent, style);
      words = rest;
      isFirst = false;
    }
  }

  #makeRoom(leading: number): Column {
    const column = this.#columns[this.#column];
    if (this.#page && column && this.#y - leading >= column.bottom) {
      this.#y -= leading;
      return column;
    }
    if (this.#page && this.#column + 1 < this.#columns.length) this.#column += 1;
    else this.#newPage();
    const next = this.#columns[this.#column];
    if (next === undefined) throw new TypeError('no column');
    this.#y = next.top;
    return next;
  }

  #newPage(): void {
    this.#page = this.#document.addPage(A4);
    this.#column = 0;
    this.#y = this.#columns[0]?.top ?? 0;
    this.#onPage(this.#page, this.#document.getPageCount());
  }

  #drawLine(
    words: readonly string[],
    x: number,
    width: number | undefined,
    { font, size, byLetter, byLine }: Style,
  ): void {
    const page = this.#page;
    if (byLine === true) {
      page?.drawText(words.join(' '), { x, y: this.#y, size, font });
      return;
    }
    const natural = words.reduce((sum, word) => sum + font.widthOfTextAtSize(word, size), 0);
    const gap = width === undefined || words.length < 2 ? size * 0.33 : (width - natural) / (words.length - 1);
    let at = x;
    for (const word of words) {
      for (const piece of byLetter === true ? word : [word]) {
        page?.drawText(piece, { x: at, y: this.#y, size, font });
        at += font.widthOfTextAtSize(piece, size);
      }
      at += gap;
    }
  }
}

function fillLine(
  words: readonly string[],
  width: number,
  { font, size, divides }: Style,
): { line: string[]; rest: string[] } {
  const line: string[] = [];
  const measure = (text: string): number => font.widthOfTextAtSize(text, size);
  let left = width;
  for (const [index, word] of words.entries()) {
    const space = line.length === 0 ? 0 : size * 0.25;
    if (measure(word) + space <= left || line.length === 0) {
      line.push(word);
      left -= measure(word) + space;
      continue;
    }
    const head = word.slice(0, Math.floor(word.length / 2));
    if (divides === true && /^[a-z]{8,}$/.test(word) && measure(`${head}-`) + space <= left)
      return { line: [...line, `${head}-`], rest: [word.slice(head.length), ...words.slice(index + 1)] };
    return { line, rest: words.slice(index) };
  }
  return { line, rest: [] };
}

const TWO_COLUMNS: Column[] = [
  { x: 60, width: 232, top: 740, bottom: 70 },
  { x: 303, width: 232, top: 740, bottom: 70 },
];
const ONE_COLUMN: Column[] = [{ x: 72, width: 451, top: 750, bottom: 80 }];

/** A paper as LaTeX sets it: no spaces, stretched gaps, hyphenation, indents, running heads. */
async function drawPaper(): Promise<DrawnPdf> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.TimesRoman);
  const bold = await document.embedFont(StandardFonts.TimesRomanBold);
  const prose = new Prose(31);
  const title = prose.heading();
  const setter = new Typesetter(document, TWO_COLUMNS, (page, number) => {
    if (number > 1) page.drawText(`Some Journal, Vol. 12, No. ${number}`, { x: 60, y: 800, size: 8, font });
    page.drawText(String(number), { x: 294, y: 40, size: 9, font });
  });
  const text = [title];
  setter.title(title, bold, 17);
  for (let section = 1; section <= 6; section += 1) {
    const heading = `${section} ${prose.heading()}`;
    setter.skip(8);
    setter.paragraph(heading, { font: bold, size: 12, leading: 16, byLine: true });
    setter.skip(2);
    text.push(heading);
    for (const paragraph of prose.paragraphs(4, 6)) {
      setter.paragraph(paragraph, { font, size: 10, leading: 12, indent: 12, divides: true });
      text.push(paragraph);
    }
  }
  return { name: 'a paper in two columns, set word by word', bytes: await document.save(), text: text.join('\n') };
}

/** A letter as word processors write it. */
async function drawLetter(): Promise<DrawnPdf> {
  const document = await PDFDocument.create();
  document.setTitle('Microsoft Word - letter.docx');
  const font = await document.embedFont(StandardFonts.Helvetica);
  const prose = new Prose(32);
  const setter = new Typesetter(document, ONE_COLUMN, (page, number) =>
    page.drawText(`Page ${number} of 4`, { x: 270, y: 40, size: 9, font }),
  );
  const text: string[] = [];
  for (const paragraph of prose.paragraphs(18, 5)) {
    setter.paragraph(paragraph, { font, size: 11, leading: 15, byLine: true });
    setter.skip(9);
    text.push(paragraph);
  }
  return { name: 'a letter with page numbers', bytes: await document.save(), text: text.join('\n') };
}

async function drawByLetter(): Promise<DrawnPdf> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.TimesRoman);
  const prose = new Prose(33);
  const setter = new Typesetter(document, ONE_COLUMN);
  const text = prose.paragraphs(5, 4);
  for (const paragraph of text)
    setter.paragraph(paragraph, { font, size: 10, leading: 12, indent: 15, byLetter: true });
  return { name: 'letters drawn one by one', bytes: await document.save(), text: text.join('\n') };
}

async function drawTurned(): Promise<DrawnPdf> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  const prose = new Prose(34);
  const text: string[] = [];
  for (const turn of [0, 90, 180, 270]) {
    const setter = new Typesetter(document, ONE_COLUMN, (page) => page.setRotation(degrees(turn)));
    const paragraph = prose.paragraph(8);
    setter.paragraph(paragraph, { font, size: 11, leading: 14, byLine: true });
    text.push(paragraph);
  }
  return { name: 'rotated pages', bytes: await document.save(), text: text.join('\n') };
}

/** Tables with horizontal rules only, and tables without rules. */
async function drawTables(): Promise<DrawnPdf> {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.TimesRoman);
  const prose = new Prose(35);
  const page = document.addPage(A4);
  const text: string[] = [];
  let y = 760;
  const row = (columns: number): void => {
    for (let column = 0; column < columns; column += 1) {
      const cell = column === 0 ? prose.words(1).join('') : String(prose.words(1).join('').length * 37 + column);
      page.drawText(cell, { x: 80 + column * 110, y, size: 10, font });
      text.push(cell);
    }
    y -= 14;
  };
  const rule = (): void => page.drawLine({ start: { x: 76, y: y + 11 }, end: { x: 500, y: y + 11 }, thickness: 0.8 });
  const sentence = (): void => {
    const words = prose.words(14).join(' ');
    page.drawText(words, { x: 76, y, size: 10, font });
    text.push(words);
    y -= 30;
  };
  sentence();
  rule();
  row(4);
  rule();
  for (let index = 0; index < 6; index += 1) row(4);
  rule();
  y -= 20;
  sentence();
  for (let index = 0; index < 7; index += 1) row(3);
  y -= 20;
  sentence();
  return { name: 'tables with rules and without', bytes: await document.save(), text: text.join('\n') };
}

export async function drawPdfs(): Promise<DrawnPdf[]> {
  return Promise.all([drawPaper(), drawLetter(), drawByLetter(), drawTurned(), drawTables()]);
}
