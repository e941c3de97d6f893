import type { ContentBlock } from '../types/extraction.ts';
import { DROPPED, markTags, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';
import * as block from './blocks/blocks.ts';

/** Highlighters nest code deeply in `<pre>`. */
const MAX_STEPS = 10;

/** Elements with parts of one kind that may be symbols: lines of code, cells of a row. */
const GROUPS = markTags('dl', 'menu', 'ol', 'pre', 'table', 'tr', 'ul');
/** Parts whose whole value may be a symbol: `✓`, `–`, `+`. */
const CELLS = markTags('dd', 'dt', 'td', 'th');

/** Excludes glyphs of icon fonts, joiners and bare accents. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;
/** Symbols that only separate, point at, frame, open or close their neighbours. */
const ORNAMENT = /^[\s\p{Pi}\p{Pf}"'|¦/\\,:;·•‧∙●○▪■◦‹›«»<>←→↑↓⌃⌄❮❯▶►▼▲◀◄▾▴▸◂＋+×✕✖\p{Pd}−\p{Co}\p{Cf}\p{M}]*$/u;

/**
 * Finds the symbol runs of the `kept` blocks in document order. The model only knows words: a line of code, a cell or a
 * list item is kept with its neighbours in the same code, row or list, any other run with the blocks before and after.
 */
export function findSymbolRuns(tree: Tree, blocks: block.Blocks, kept: readonly number[]): ContentBlock[] {
  const { symbolRuns } = blocks;
  if (symbolRuns.length === 0 || kept.length === 0) return [];
  const isKept = new Uint8Array(blocks.count);
  for (const one of kept) isKept[one] = 1;
  const found: ContentBlock[] = [];
  for (let row = 0; row < symbolRuns.length; row += block.RUN_STRIDE) {
    const run = readRun(blocks, row);
    if (!belongs(tree, run, isKept) || !isVisible(tree, run)) continue;
    found.push({ first: run.first, end: run.end, element: run.element });
  }
  return found;
}

/** Merges runs into the blocks, without runs inside a block. */
export function insertRuns(blocks: readonly ContentBlock[], runs: readonly ContentBlock[]): readonly ContentBlock[] {
  if (runs.length === 0) return blocks;
  let end = 0;
  const inOrder = [...blocks, ...runs].toSorted((a, b) => a.first - b.first);
  return inOrder.filter((one) => {
    if (one.first < end) return false;
    end = one.end;
    return true;
  });
}

interface Run extends ContentBlock {
  readonly hidden: number;
  readonly place: number;
  readonly before: Neighbour;
  readonly after: Neighbour;
}

/** The block beside a run, with its `node` nearest to the run. */
interface Neighbour {
  readonly block: number;
  readonly hidden: number;
  readonly node: number;
}

function readRun({ symbolRuns, rows, count }: block.Blocks, row: number): Run {
  const index = symbolRuns[row + block.RUN_BEFORE];
  const before = (index - 1) * block.STRIDE;
  const after = index * block.STRIDE;
  const has = index < count;
  return {
    first: symbolRuns[row + block.RUN_FIRST],
    end: symbolRuns[row + block.RUN_END],
    element: symbolRuns[row + block.RUN_ELEMENT],
    hidden: symbolRuns[row + block.RUN_HIDDEN],
    place: symbolRuns[row + block.RUN_PLACE],
    before:
      index > 0
        ? { block: index - 1, hidden: rows[before + block.HIDDEN], node: rows[before + block.END] - 1 }
        : { block: -1, hidden: 0, node: -1 },
    after: has
      ? { block: index, hidden: rows[after + block.HIDDEN], node: rows[after + block.FIRST] }
      : { block: -1, hidden: 0, node: Infinity },
  };
}

function belongs(tree: Tree, run: Run, isKept: Uint8Array): boolean {
  const { before, after, place } = run;
  const isBefore = isKept[before.block] === 1;
  const isAfter = isKept[after.block] === 1;
  if ((!isBefore && !isAfter) || (place & block.RUN_IN_BUTTON) !== 0) return false;
  if ((run.hidden & ~((isBefore ? before.hidden : 0) | (isAfter ? after.hidden : 0))) !== 0) return false;
  const { group, part } = findGroup(tree, run);
  const tag = tree.tag[group] ?? 0;
  const isCode = tag === TAG.pre;
  const isCell = CELLS[part] === 1 && GROUPS[tag] === 1;
  const isSign = isCode || isCell || (place & block.RUN_IN_CODE) !== 0;
  if (!isSign && ((place & block.RUN_IN_LINK) !== 0 || isOrnament(tree, run))) return false;
  if (!isCode && part === 0) return isBefore && isAfter;
  const end = tree.end[group] ?? Infinity;
  return (isBefore || before.node < group) && (isAfter || after.node >= end);
}

/**
 * Finds the lowest group around a run and a neighbouring block (-1 if none is near), and the tag of the cell or item with
 * only the run (0 if none).
 */
function findGroup({ tag, parent, end }: Tree, run: Run): { group: number; part: number } {
  let part = 0;
  let isShared = false;
  let node = run.element;
  for (let step = 0; step < MAX_STEPS && node > 0; step++) {
    const code = tag[node];
    isShared ||= run.before.node > node || run.after.node < end[node];
    if (!isShared && (CELLS[code] === 1 || code === TAG.li)) part = code;
    if (isShared && GROUPS[code] === 1) return { group: node, part };
    node = parent[node];
  }
  return { group: -1, part: 0 };
}

function isOrnament(tree: Tree, run: Run): boolean {
  return !someText(tree, run, (text) => !ORNAMENT.test(text));
}

function isVisible(tree: Tree, run: Run): boolean {
  return someText(tree, run, (text) => VISIBLE.test(text));
}

function someText(tree: Tree, { first, end }: Run, matches: (text: string) => boolean): boolean {
  for (let node = first; node < end; node++) {
    const code = tree.tag[node];
    if (code === TEXT) {
      if (matches(tree.value[node])) return true;
    } else if ((TAG_FLAGS[code] & DROPPED) !== 0 && code !== TAG.template) node = tree.end[node] - 1;
  }
  return false;
}
