import type { CompiledTemplate } from '../selectors/compile-template.ts';
import { PageIndex } from '../selectors/page-index.ts';
import { collectBlocks, type TextBlock } from './content-blocks.ts';

export interface MainContent {
  /** Of the selector that matched; null: none. */
  readonly source: string | null;
  readonly blocks: readonly TextBlock[];
  readonly roots: readonly number[];
  readonly excluded: ReadonlySet<number>;
}

/** Finds a template's own main text; undefined if the template leaves it to the generic extractor. */
export function readMain(page: PageIndex, { content }: CompiledTemplate): MainContent | undefined {
  if (content === null) return undefined;
  const { tree } = page;
  for (const selector of content.include) {
    const roots = selector.find(page).nodes;
    if (roots.length === 0) continue;
    const inside = new PageIndex(tree, content.wanted, page.budget, roots);
    const excluded = new Set(content.exclude.flatMap((one) => one.find(inside).nodes));
    const blocks = collectBlocks(tree, roots, excluded).filter((block) => !content.excludeText.has(block.hash));
    if (blocks.length === 0) continue;
    return { source: selector.source, blocks, roots, excluded };
  }
  return { source: null, blocks: [], roots: [], excluded: new Set() };
}
