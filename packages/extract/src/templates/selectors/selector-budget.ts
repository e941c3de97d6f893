import { SelectorBudgetExceeded } from '../format/template.ts';

/** About 50 ms on the flat tree, a few hundred through the XPath engine. */
const MAX_STEPS = 2_000_000;

const MAX_MATCHES = 10_000;

/** Remaining budget of a template's selectors on a page. */
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
