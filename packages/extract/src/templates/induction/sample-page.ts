import { extractContent } from '../../pipeline/extract.ts';
import type { Extraction } from '../../types/extraction.ts';
import { TAG, TEXT } from '../../tree/tags.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import type { Tree } from '../../tree/tree.ts';
import { collectBlocks, isHidden, type TextBlock } from '../application/content-blocks.ts';

export interface InductionPage {
  readonly html: string;
  readonly url: string;
  readonly contentLanguage?: string | null | undefined;
}

/** A page with the generic extractor's answer, the weak label. */
export interface SamplePage {
  readonly url: string;
  readonly tree: Tree;
  readonly generic: Extraction;
  readonly blocks: readonly TextBlock[];
  /** Innermost hidden element around each block; 0: none. */
  readonly hiddenBy: readonly number[];
  readonly kept: readonly boolean[];
  /** Share of link text in each block, 0 to 1. */
  readonly linkShare: readonly number[];
}

const NOTHING: ReadonlySet<number> = new Set();

export function readSamplePage(page: InductionPage): SamplePage {
  const tree = parseTree(page.html);
  const { url, contentLanguage } = page;
  const { extraction: generic, blocks: chosen } = extractContent(tree, {
    url,
    ...(contentLanguage === undefined || contentLanguage === null ? {} : { contentLanguage }),
  });
  const body = tree.tag.indexOf(TAG.body);
  const covered = new Uint8Array(tree.size);
  const hidden = new Set<number>();
  for (const block of chosen) {
    covered.fill(1, block.first, block.end);
    for (let hider = findHider(tree, block.first); hider > 0; hider = findHider(tree, hider)) hidden.add(hider);
  }
  const blocks = collectBlocks(tree, [Math.max(body, 0), ...hidden], NOTHING);
  const kept = blocks.map((block) => covered[block.first] === 1);
  const hiddenBy = blocks.map((block) => findHider(tree, block.first));
  return { url, tree, generic, blocks, hiddenBy, kept, linkShare: measureLinks(tree, blocks) };
}

function findHider(tree: Tree, node: number): number {
  for (let above = tree.parent[node]; above > 0; above = tree.parent[above]) if (isHidden(tree, above)) return above;
  return 0;
}

function measureLinks(tree: Tree, blocks: readonly TextBlock[]): number[] {
  const inLink = new Uint8Array(tree.size);
  for (let i = 1; i < tree.size; i++) inLink[i] = tree.tag[i] === TAG.a ? 1 : inLink[tree.parent[i]];
  return blocks.map(({ first, end }) => {
    let all = 0;
    let linked = 0;
    for (let i = first; i < end; i++) {
      if (tree.tag[i] !== TEXT) continue;
      const length = tree.value[i].trim().length;
      all += length;
      if (inLink[i] === 1) linked += length;
    }
    return all === 0 ? 0 : linked / all;
  });
}
