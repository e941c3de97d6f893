// oxlint-disable no-underscore-dangle -- parse5 calls its steps so
import { Parser, type html, type Token, type TreeAdapterTypeMap } from 'parse5';

/** Pages of sloppy writers have thousands of them; each is a node of the tree. */
const MAX_REOPENED = 200_000;

/**
 * parse5's parser, but for one bound: each paragraph opens all formats anew that were never closed, so that the tree of a page
 * that never closes any grows with the square of the page. Beyond the bound text stands without such formats.
 */
export class BoundedParser<T extends TreeAdapterTypeMap> extends Parser<T> {
  /** Formats that were opened anew so far. */
  #reopened = 0;
  #isReopening = false;

  override _reconstructActiveFormattingElements(): void {
    if (this.#reopened >= MAX_REOPENED) return;
    this.#isReopening = true;
    super._reconstructActiveFormattingElements();
    this.#isReopening = false;
  }

  override _insertElement(token: Token.TagToken, namespace: html.NS): void {
    if (this.#isReopening) this.#reopened += 1;
    super._insertElement(token, namespace);
  }
}
