import { formatCount, formatPercent } from './format.ts';

/** Figures of the pages that matched a template; failed pages are not counted as served. */
interface Serving {
  readonly served: number;
  readonly failed: number;
}

export function formatFailed({ served, failed }: Serving): string {
  const pages = served + failed;
  return pages === 0 ? '–' : formatPercent(failed / pages);
}

export function formatServing({ served, failed }: Serving): string {
  return `${formatCount(served)} of ${formatCount(served + failed)} pages; ${formatCount(failed)} fell back to the generic extraction`;
}

/** Why a version is in its state. */
export function formatNote(note: string): string {
  return note.replace(/^by hand: /, 'manually ');
}
