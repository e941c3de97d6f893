import type { PageView } from './page-view.ts';

/** A selector ready to run. Budgets are the page's; see `SelectorBudget`. */
export interface CompiledSelector {
  /** @throws {SelectorBudgetExceeded} */
  select(page: PageView): SelectorMatch;
}

/** What a selector found, in document order. */
export interface SelectorMatch {
  readonly nodes: readonly number[];
  /** Of an XPath expression that gives attributes, strings or numbers. */
  readonly values?: readonly string[];
}
