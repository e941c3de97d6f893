const INK = /\S/;
const DIGITS = /^[\s\d]+$/;
const NUMBER = /^\d{1,7}$/;

/** Collects properties of a cell's text, piece by piece. */
export class CellText {
  isEmpty = true;
  /** All of it is in `<pre>`, or in `<pre>` or `<code>`. */
  isPreformatted = true;
  isCode = true;
  /** Ascending whole numbers, each on its own line or in its own element, without gaps. */
  isNumbers = true;
  isGapless = true;
  count = 0;
  last = 0;

  read(text: string, isInCode: boolean, isInPreformatted: boolean): void {
    if (!INK.test(text)) return;
    this.isEmpty = false;
    this.isCode &&= isInCode;
    this.isPreformatted &&= isInPreformatted;
    this.isNumbers &&= DIGITS.test(text) && text.split('\n').every((line) => this.#readNumber(line.trim()));
  }

  #readNumber(digits: string): boolean {
    if (digits === '') return true;
    const number = Number(digits);
    if (!NUMBER.test(digits) || (this.count > 0 && number <= this.last)) return false;
    this.isGapless &&= this.count === 0 || number === this.last + 1;
    this.count++;
    this.last = number;
    return true;
  }
}

/** Decides from its cells whether a table is a code listing, and which cells only contain line numbers. */
export class CodeListing {
  readonly #isInCode: boolean;
  readonly #gutters: number[] = [];
  readonly #rowNumbers: number[] = [];
  #numbers: { readonly node: number; readonly text: CellText } | undefined;
  #last = 0;
  #codeCells = 0;
  #otherCells = 0;

  /** @param isInCode in `<pre>` or `<code>` a table contains only code */
  constructor(isInCode: boolean) {
    this.#isInCode = isInCode;
  }

  get isListing(): boolean {
    return this.#isInCode || (this.#codeCells > 0 && this.#otherCells === 0);
  }

  get lineNumbers(): readonly number[] {
    return this.isListing ? [...this.#gutters, ...this.#rowNumbers] : this.#gutters;
  }

  endRow(): void {
    if (this.#numbers !== undefined) this.#countCell(this.#numbers.text);
    this.#numbers = undefined;
  }

  addCell(node: number, text: CellText): void {
    if (this.#numbers !== undefined && this.#isNumberedBy(this.#numbers.text, text)) {
      (this.#numbers.text.count > 1 ? this.#gutters : this.#rowNumbers).push(this.#numbers.node);
      this.#last = this.#numbers.text.last;
      this.#numbers = undefined;
      if (!text.isEmpty) this.#codeCells++;
      return;
    }
    this.endRow();
    if (text.isEmpty) return;
    if (text.isNumbers) this.#numbers = { node, text };
    else this.#countCell(text);
  }

  #countCell(text: CellText): void {
    if (text.isPreformatted) this.#codeCells++;
    else this.#otherCells++;
  }

  #isNumberedBy(numbers: CellText, line: CellText): boolean {
    if (numbers.count > 1) return !line.isEmpty && (line.isPreformatted || (line.isCode && numbers.isGapless));
    if (this.#isInCode) return numbers.last > this.#last;
    return numbers.last === this.#last + 1 && (line.isEmpty ? this.#codeCells > 0 : line.isPreformatted);
  }
}
