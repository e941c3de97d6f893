import type { ContentBlock, ContentSelection, PageType } from '../extraction.ts';
import type { Tree } from '../tree/tree.ts';
import { ELEMENT, END, findBlocks, FIRST, HIDDEN, LINK_WORDS, STRIDE, WORDS } from './blocks.ts';
import { TAG } from '../tree/tags.ts';

export interface PageContent extends ContentSelection {
  pageType: PageType;
}

/** Finds the main content of a page, tells its type and how good the selection is expected to be. */
export function selectContent(tree: Tree): PageContent {
  const found = findBlocks(tree);
  const { rows, count } = found;
  const blocks: ContentBlock[] = [];
  const chrome = new Set<number>([TAG.nav, TAG.footer, TAG.aside, TAG.form, TAG.button, TAG.select]);
  const skipped = new Uint8Array(tree.size);
  for (let i = 1; i < tree.size; i++) {
    skipped[i] = skipped[tree.parent[i]!]! | (chrome.has(tree.tag[i]!) ? 1 : 0);
  }
  for (let b = 0; b < count; b++) {
    const row = b * STRIDE;
    const element = rows[row + ELEMENT]!;
    if (rows[row + HIDDEN] !== 0 || skipped[element] === 1) continue;
    if (rows[row + WORDS]! < 8 && rows[row + LINK_WORDS]! > 0) continue;
    blocks.push({ first: rows[row + FIRST]!, end: rows[row + END]!, element });
  }
  return { blocks, confidence: 0.5, pageType: 'article' };
}
