import type { PageView } from './page-view.ts';

/** A compiled selector. The budget is the page's, see `SelectorBudget`. */
export interface CompiledSelector {
  /** @throws {SelectorBudgetExceeded} */
  select(page: PageView): SelectorMatch;
}

export interface SelectorMatch {
  readonly nodes: readonly number[];
  /** From XPath expressions for attributes, strings or numbers. */
  readonly values?: readonly string[];
}
