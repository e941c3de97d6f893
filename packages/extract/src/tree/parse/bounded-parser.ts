// oxlint-disable no-underscore-dangle -- parse5's method names
import { Parser, type html, type Token, type TreeAdapterTypeMap } from 'parse5';

/** Careless pages reopen thousands. */
const MAX_REOPENED = 200_000;

/**
 * parse5's parser with a bound on reopened formats: each paragraph reopens all unclosed formats, which makes the tree
 * quadratic. Beyond the bound, none are reopened.
 */
export class BoundedParser<T extends TreeAdapterTypeMap> extends Parser<T> {
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
