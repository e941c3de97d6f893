import type { BatchLine } from '@winnow/contract';
import { AppError } from '../shared/errors.ts';
import type { StageBudget } from '../shared/ports.ts';
import type { EarlierCrawls, TextDiffer } from './crawl-ports.ts';

export interface CompareDeps {
  readonly earlier: EarlierCrawls;
  readonly differ: TextDiffer;
}

interface ReadPage {
  readonly projectId: string;
  /** Keys of the page, its own first. */
  readonly keys: readonly string[];
  readonly outcome: Pick<BatchLine, 'result' | 'error'>;
}

const GONE: ReadonlySet<number> = new Set([404, 410]);

/** Compares a page with the result of an earlier crawl; undefined for a page that could not be read now. */
export async function comparePage(
  { earlier, differ }: CompareDeps,
  since: string,
  { projectId, keys, outcome: { result, error } }: ReadPage,
  budget: StageBudget,
): Promise<BatchLine['change']> {
  const found = await earlier.findLine(since, keys);
  const before = found === undefined ? undefined : (JSON.parse(found) as BatchLine);
  if (before?.result === undefined || before.metadata === undefined) {
    if (result === undefined) return undefined;
    return { state: (await earlier.find(projectId, since)) === undefined ? 'unknown' : 'new' };
  }
  const known = { fetched_before: before.metadata.fetched_at };
  const isGone = error?.code === 'out_of_scope' || GONE.has(error?.upstream_status_code ?? 0);
  if (result === undefined) return isGone ? { state: 'gone', ...known } : undefined;
  if (result.main_text === before.result.main_text) return { state: 'unchanged', ...known };
  try {
    return { state: 'changed', ...known, ...(await differ.diff(before.result.main_text, result.main_text, budget)) };
  } catch (failure) {
    if (!(failure instanceof AppError) || budget.signal.aborted) throw failure;
    return { state: 'changed', ...known, diff_cut: true };
  }
}
