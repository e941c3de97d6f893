import { SelectorBudgetExceeded } from '../format/template.ts';

/** What the selectors of one template may cost on one page: some 50 ms on the flat tree, a few hundred through the XPath engine. */
const MAX_STEPS = 2_000_000;

/** A selector that finds more than this is wrong for its purpose. */
const MAX_MATCHES = 10_000;

/** What the selectors of a template may still spend on a page; spent whole, the template fails there. */
export class SelectorBudget {
  #steps = MAX_STEPS;

  /** @throws {SelectorBudgetExceeded} */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new SelectorBudgetExceeded();
  }

  /** @throws {SelectorBudgetExceeded} */
  allowMatches(count: number): void {
    if (count > MAX_MATCHES) throw new SelectorBudgetExceeded();
  }
}
