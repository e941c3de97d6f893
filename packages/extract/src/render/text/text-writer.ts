import { collapseSpaces, keepSpaces } from '../../tree/text/clean-characters.ts';
import { GAP } from '../layout/layout-rules.ts';
import { meetAsWord } from '../../tree/text/word-edges.ts';

const MANY_LINES = /\n{3,}/g;

/** Joins texts and gaps; a gap is written when text follows. */
export class TextWriter {
  readonly #pieces: string[] = [];
  #last = '';
  /** The strongest gap since the last text, see `GAP`. */
  #gap = 0;
  /** Cell edges since the last text: empty cells keep their column. */
  #cells = 0;
  #isJoined = false;

  get last(): string {
    return this.#last;
  }

  /** True after `join`, until something is written. */
  get isJoined(): boolean {
    return this.#isJoined;
  }

  join(): void {
    this.#isJoined = true;
  }

  /** Requests a gap before the next text. */
  part(gap: number): void {
    if (gap === GAP.cell) this.#cells++;
    else if (gap >= GAP.line) this.#cells = 0;
    if (gap > this.#gap) this.#gap = gap;
  }

  breakLine(): void {
    this.part(this.#gap === GAP.line ? GAP.paragraph : GAP.line);
  }

  /** Writes text with collapsed white space, trimmed at a line's edge. */
  writeFlowing(data: string): void {
    const text = collapseSpaces(data);
    const body = text.trim();
    if (body === '') {
      if (text !== '') this.part(GAP.space);
      return;
    }
    if (text.charCodeAt(0) !== body.charCodeAt(0)) this.part(GAP.space);
    this.#write(body);
    if (text.charCodeAt(text.length - 1) !== body.charCodeAt(body.length - 1)) this.part(GAP.space);
  }

  /** Writes text verbatim, except repeated blank lines. */
  writeVerbatim(data: string): void {
    const text = keepSpaces(data).replaceAll(MANY_LINES, '\n\n');
    if (text !== '') this.#write(text);
  }

  /** The whole text without final white space. Lone surrogates become U+FFFD. */
  finish(): string {
    return this.#pieces.join('').trimEnd().toWellFormed();
  }

  #write(text: string): void {
    if (this.#last !== '') this.#writeGap(text);
    this.#gap = GAP.none;
    this.#cells = 0;
    this.#isJoined = false;
    this.#pieces.push(text);
    this.#last = text;
  }

  #writeGap(next: string): void {
    const gap = this.#gap;
    if (gap >= GAP.cell) this.#dropLineEnds();
    if (gap >= GAP.line) this.#pieces.push(gap === GAP.line ? '\n' : '\n\n');
    if (gap >= GAP.cell) this.#pieces.push('\t'.repeat(this.#cells));
    else if (this.#last.endsWith('\n')) return;
    else if (gap === GAP.space || (gap === GAP.soft && meetAsWord(this.#last, next))) this.#pieces.push(' ');
  }

  /** Final line ends of verbatim text are part of the gap. */
  #dropLineEnds(): void {
    if (this.#last.endsWith('\n')) this.#pieces[this.#pieces.length - 1] = this.#last.replace(/(?<!\n)\n+$/, '');
  }
}
