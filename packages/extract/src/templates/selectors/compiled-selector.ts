import type { PageIndex } from './page-index.ts';

/** A compiled selector. The budget is the page's, see `SelectorBudget`. */
export interface CompiledSelector {
  /** @throws {SelectorBudgetExceeded} */
  select(page: PageIndex): SelectorMatch;
}

export interface SelectorMatch {
  readonly nodes: readonly number[];
  /** From XPath expressions for attributes, strings or numbers. */
  readonly values?: readonly string[];
}
