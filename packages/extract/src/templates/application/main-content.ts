import { BLOCK, HEADING, TAG, TAG_FLAGS } from '../../tree/tags.ts';
import type { Tree } from '../../tree/tree.ts';
import type { CompiledTemplate } from '../selectors/compile-template.ts';
import { PageIndex } from '../selectors/page-index.ts';
import { collectBlocks, cutsBlock, type TextBlock } from './content-blocks.ts';

export interface MainContent {
  /** Of the selector that matched; null: none. */
  readonly source: string | null;
  /** Index in `include` of the selector that matched. */
  readonly choice: number;
  readonly blocks: readonly TextBlock[];
  readonly roots: readonly number[];
  /** Number of `exclude` selectors with a match. */
  readonly exclusions: number;
  readonly excluded: ReadonlySet<number>;
}

/** Finds a template's own main text; undefined if the template leaves it to the generic extractor. */
export function readMain(page: PageIndex, { content, isLearned }: CompiledTemplate): MainContent | undefined {
  if (content === null) return undefined;
  const { tree } = page;
  for (const [choice, selector] of content.include.entries()) {
    const found = selector.find(page).nodes;
    const roots = isLearned ? dropCutting(tree, found) : found;
    if (roots.length === 0) continue;
    const inside = new PageIndex(tree, content.wanted, page.budget, roots);
    const exclusions = content.exclude.map((one) => {
      const { nodes } = one.find(inside);
      return isLearned ? nodes.filter((node) => mayExclude(tree, node)) : nodes;
    });
    const excluded = new Set(exclusions.flat());
    const blocks = collectBlocks(tree, roots, excluded).filter((block) => !content.excludeText.has(block.hash));
    if (blocks.length === 0) continue;
    const matching = exclusions.filter((nodes) => nodes.length > 0).length;
    return { source: selector.source, choice, blocks, roots, exclusions: matching, excluded };
  }
  return { source: null, choice: 0, blocks: [], roots: [], exclusions: 0, excluded: new Set() };
}

/** Code, terms and cells: a text that lacks them says something else. */
const KEPT: ReadonlySet<number> = new Set([TAG.pre, TAG.dt, TAG.dd, TAG.th, TAG.td]);

/** Whether a learned template may exclude an element. An inline element is part of a sentence on some page. */
export function mayExclude(tree: Tree, node: number): boolean {
  const code = tree.tag[node];
  return (TAG_FLAGS[code] & (BLOCK | HEADING)) === BLOCK && !KEPT.has(code);
}

function dropCutting(tree: Tree, nodes: readonly number[]): readonly number[] {
  const holders = new Set<number>();
  for (const node of nodes) {
    if ((TAG_FLAGS[tree.tag[node]] & BLOCK) !== 0) continue;
    let holder = tree.parent[node];
    while (holder > 0 && (TAG_FLAGS[tree.tag[holder]] & BLOCK) === 0) holder = tree.parent[holder];
    holders.add(holder);
  }
  if (holders.size === 0) return nodes;
  const blocks = collectBlocks(tree, [...holders], new Set());
  return nodes.filter((node) => !cutsBlock(tree, blocks, node));
}
