import { diffArrays, diffWordsWithSpace } from 'diff';

/** One row of two texts; null for a missing side. */
export interface DiffRow {
  readonly kind: 'same' | 'changed';
  readonly left: string | null;
  readonly right: string | null;
}

export interface LinePart {
  readonly text: string;
  /** Whether the other side lacks it. */
  readonly changed: boolean;
}

/** A run of equal rows that is not shown. */
export interface DiffGap {
  readonly kind: 'gap';
  readonly count: number;
}

/** Equal lines around a difference. */
const CONTEXT = 3;

/** Pages with little in common could take minutes. */
const TIME_LIMIT_MS = 3000;

/** Rows of a comparison; undefined if it takes too long. */
export function compareLines(left: readonly string[], right: readonly string[]): (DiffRow | DiffGap)[] | undefined {
  const changes = diffArrays([...left], [...right], { timeout: TIME_LIMIT_MS });
  if (!changes) return undefined;
  const rows: DiffRow[] = [];
  let removed: string[] = [];
  const flush = (added: readonly string[]): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      rows.push({ kind: 'changed', left: removed[index] ?? null, right: added[index] ?? null });
    }
    removed = [];
  };
  for (const change of changes) {
    if (change.removed) removed = change.value;
    else if (change.added) flush(change.value);
    else {
      flush([]);
      for (const line of change.value) rows.push({ kind: 'same', left: line, right: line });
    }
  }
  flush([]);
  return foldSame(rows);
}

function foldSame(rows: readonly DiffRow[]): (DiffRow | DiffGap)[] {
  const near = new Set<number>();
  for (const [index, row] of rows.entries()) {
    if (row.kind === 'same') continue;
    for (let offset = -CONTEXT; offset <= CONTEXT; offset += 1) near.add(index + offset);
  }
  const folded: (DiffRow | DiffGap)[] = [];
  let hidden = 0;
  for (const [index, row] of rows.entries()) {
    if (near.has(index)) {
      if (hidden > 0) folded.push({ kind: 'gap', count: hidden });
      hidden = 0;
      folded.push(row);
    } else hidden += 1;
  }
  if (hidden > 0) folded.push({ kind: 'gap', count: hidden });
  return folded;
}

/** Longer lines are not compared by words. */
const MAX_LINE = 5000;

/** Below this share of common text a line counts as replaced. */
const MIN_COMMON = 0.3;

/** Parts of two versions of a line; undefined if only whole lines can be compared. */
export function compareWords(left: string, right: string): { left: LinePart[]; right: LinePart[] } | undefined {
  if (left.length > MAX_LINE || right.length > MAX_LINE) return undefined;
  const changes = diffWordsWithSpace(left, right);
  const common = changes.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : value.length), 0);
  if (common < MIN_COMMON * Math.max(left.length, right.length)) return undefined;
  const partsOf = (other: 'added' | 'removed', own: 'added' | 'removed'): LinePart[] =>
    changes.filter((change) => !change[other]).map((change) => ({ text: change.value, changed: change[own] }));
  return { left: partsOf('added', 'removed'), right: partsOf('removed', 'added') };
}
