import type { CompiledSelector } from '../selectors/compiled-selector.ts';
import { compileCss } from '../selectors/css-selector.ts';
import { createWantedNames, PageIndex } from '../selectors/page-index.ts';
import type { Tree } from '../../tree/tree.ts';
import type { CandidateSelector } from './candidate-selectors.ts';
import { editTree, type EditedTree } from './edit-tree.ts';
import { SeededRandom } from './seeded-random.ts';

/** Fixed, so that the same pages give the same template. */
const SEED = 20_260_101;
const EDITS_PER_PAGE = 4;
const EDITED_PAGES = 2;

export class SelectorPool {
  readonly #trees: readonly Tree[];
  readonly #selectors = new Map<string, { compiled: CompiledSelector; rating: number }>();
  readonly #wanted = createWantedNames();
  #views: PageIndex[] | undefined;
  #edits: { edited: EditedTree; view: PageIndex; page: number }[] | undefined;

  constructor(trees: readonly Tree[]) {
    this.#trees = trees;
  }

  add(candidates: readonly CandidateSelector[]): void {
    for (const { css, rating } of candidates) {
      const known = this.#selectors.get(css);
      if (known !== undefined) known.rating = Math.max(known.rating, rating);
      else this.#selectors.set(css, { compiled: compileCss(css, this.#wanted), rating });
    }
  }

  list(): string[] {
    return [...this.#selectors.keys()];
  }

  find(css: string): readonly (readonly number[])[] {
    this.#views ??= this.#trees.map((tree) => new PageIndex(tree, this.#wanted));
    return this.#views.map((view) => this.#select(css, view));
  }

  /** Robustness, 0 to 1: quality of names and survival under random edits. */
  rate(css: string): number {
    const rating = this.#selectors.get(css)?.rating ?? 0;
    return rating * (0.5 + 0.5 * this.#getSurvival(css));
  }

  #getSurvival(css: string): number {
    this.#edits ??= this.#editAll();
    const found = this.find(css);
    let survived = 0;
    let trials = 0;
    for (const { edited, view, page } of this.#edits) {
      const before = found[page];
      if (before.length === 0) continue;
      trials++;
      const after = this.#select(css, view).map((node) => edited.origin[node]);
      if (after.length === before.length && after.every((node, i) => node === before[i])) survived++;
    }
    return trials === 0 ? 0.5 : survived / trials;
  }

  #editAll(): { edited: EditedTree; view: PageIndex; page: number }[] {
    const random = new SeededRandom(SEED);
    return this.#trees.slice(0, EDITED_PAGES).flatMap((tree, page) =>
      Array.from({ length: EDITS_PER_PAGE }, () => {
        const edited = editTree(tree, random);
        return { edited, view: new PageIndex(edited.tree, this.#wanted), page };
      }),
    );
  }

  #select(css: string, view: PageIndex): readonly number[] {
    try {
      return this.#selectors.get(css)?.compiled.select(view).nodes ?? [];
    } catch {
      // A selector that exceeds the budget on a sample is no candidate.
      return [];
    }
  }
}
