/** Finds a mark in a page, each time the same one. Linear for places that are asked for in order, with a few steps back. */
export class MarkSearch {
  readonly #mark: string;
  /** There is no mark between these. */
  #from = 0;
  #found = -1;

  constructor(mark: string) {
    this.#mark = mark;
  }

  /** Returns the start of the next mark, the length of the page if there is none. */
  find(html: string, from: number): number {
    if (from > this.#found || from < this.#from) {
      const found = html.indexOf(this.#mark, from);
      this.#from = from;
      this.#found = found < 0 ? html.length : found;
    }
    return this.#found;
  }
}
