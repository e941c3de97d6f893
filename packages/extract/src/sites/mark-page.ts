import { readBlockText } from '../content/blocks/block-text.ts';
import { ELEMENT, FIRST, findBlocks, HOLDER, STRIDE, type Blocks } from '../content/blocks/blocks.ts';
import { isHiddenBlock } from '../content/junk-rules.ts';
import { HEADING, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import { selectContent } from '../content/select-content.ts';
import type { Tree } from '../tree/tree.ts';
import { hashClassPaths } from './class-paths.ts';
import { hashText } from './page-notes.ts';
import type { MarkedPage, TaughtSite } from './taught-site.ts';
import { weighTaught } from './weigh-taught.ts';

/** A block of a page that a person can mark. */
export interface OutlinedBlock {
  /** The same whenever the same HTML is read: of its class path, its text, and its number among equal blocks. */
  readonly id: string;
  /** Number of its element in document order, without elements inside drawings, formulas and templates. */
  readonly node: number;
  readonly text: string;
  readonly heading: boolean;
  /** Whether the extraction keeps it. */
  readonly kept: boolean;
}

/** Later blocks of a page are rows of lists. */
const MOST_BLOCKS = 1_500;
const WITHOUT_NUMBERS: ReadonlySet<string> = new Set(['svg', 'math', 'template']);

/**
 * Lists the visible blocks of a page, at most 1,500.
 *
 * @param taught decides with the model
 */
export function outlinePage(tree: Tree, url = '', taught?: TaughtSite): OutlinedBlock[] {
  const blocks = findBlocks(tree);
  const { blocks: chosen } = selectContent(
    tree,
    url,
    'balanced',
    (page) => taught && weighTaught(page, taught).probabilities,
  );
  const kept = new Set(chosen.map(({ first }) => first));
  const numbers = numberElements(tree);
  return listVisible(tree, blocks).map(({ id, block }) => {
    const row = block * STRIDE;
    return {
      id,
      node: numbers[blocks.rows[row + ELEMENT]],
      text: readBlockText(tree, blocks, block),
      heading: (TAG_FLAGS[blocks.rows[row + HOLDER]] & HEADING) !== 0,
      kept: kept.has(blocks.rows[row + FIRST]),
    };
  });
}

/**
 * Reads what marks say about the site. Blocks without a mark say nothing.
 *
 * @param marks whether a block is content, by id
 * @returns also the ids that the page does not have
 */
export function markPage(
  tree: Tree,
  marks: ReadonlyMap<string, boolean>,
): { readonly page: MarkedPage; readonly unknown: string[] } {
  const blocks = findBlocks(tree);
  const paths = new Map<number, { blocks: number; kept: number }>();
  const unknown = new Set(marks.keys());
  for (const { id, path } of listVisible(tree, blocks)) {
    const isKept = marks.get(id);
    if (isKept === undefined) continue;
    unknown.delete(id);
    const before = paths.get(path) ?? { blocks: 0, kept: 0 };
    paths.set(path, { blocks: before.blocks + 1, kept: before.kept + (isKept ? 1 : 0) });
  }
  return {
    page: { version: 1, paths: Array.from(paths, ([path, sums]) => [path, sums.kept / sums.blocks]) },
    unknown: [...unknown],
  };
}

function listVisible(tree: Tree, blocks: Blocks): { id: string; block: number; path: number }[] {
  const paths = hashClassPaths(tree, blocks);
  const seen = new Map<string, number>();
  const listed: { id: string; block: number; path: number }[] = [];
  for (let block = 0; block < blocks.count && listed.length < MOST_BLOCKS; block++) {
    if (isHiddenBlock(tree, blocks, block)) continue;
    const path = paths[block];
    const name = `${path.toString(36)}-${hashText(blocks.rows, block).toString(36)}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    listed.push({ id: count === 1 ? name : `${name}-${count}`, block, path });
  }
  return listed;
}

/** Numbers elements in document order. What is inside a drawing or template has the number of this element. */
function numberElements({ size, tag, end, value }: Tree): Int32Array {
  const numbers = new Int32Array(size);
  let count = 0;
  for (let node = 1; node < size; node++) {
    if (tag[node] === TEXT) continue;
    numbers[node] = count++;
    if (!WITHOUT_NUMBERS.has(value[node])) continue;
    numbers.fill(count - 1, node, end[node]);
    node = end[node] - 1;
  }
  return numbers;
}
