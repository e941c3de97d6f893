import { createTwoFilesPatch } from 'diff';
import type { TextDiff } from '../domain/crawls/crawl-ports.ts';

const MAX_DIFF = 20_000;

/** Lines that differ: the work grows with its square. */
const MAX_EDITS = 2000;

const CONTEXT = 1;

export interface DiffTask {
  readonly before: string;
  readonly after: string;
}

export function diffTexts({ before, after }: DiffTask): TextDiff {
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = createTwoFilesPatch('', '', `${before}\n`, `${after}\n`, '', '', options);
  if (patch === undefined) return { diff_cut: true };
  const diff = patch.slice(patch.indexOf('@@'));
  if (diff.length <= MAX_DIFF) return { diff };
  const end = diff.lastIndexOf('\n', MAX_DIFF);
  // Within a line that is longer than all the others.
  return { diff: diff.slice(0, end > MAX_DIFF / 2 ? end + 1 : MAX_DIFF).toWellFormed(), diff_cut: true };
}
