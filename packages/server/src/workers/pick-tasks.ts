/** Worker tasks that select elements of a page. */
import { extractPicked, pickElements, SelectorBudgetExceeded, type ElementChoice } from '@winnow/extract/templates';
import type { ExtractInput, PageExtraction } from '../domain/extraction/extraction-ports.ts';
import { toExtractOptions } from '../domain/request-options/content-options.ts';
import { toCell, type TransferCell } from '../domain/shared/transfer-cell.ts';
import { withFields } from './template-tasks.ts';

/** A value or refusal as data: errors lose their code between threads. */
export type Picked<T> = { readonly value: T } | { readonly refusal: string };

export interface PickTask {
  readonly html: string;
  readonly choice: ElementChoice;
}

export interface ExtractPickedTask {
  readonly input: Omit<ExtractInput, 'elements'>;
  readonly choice: ElementChoice;
}

export function pickPage({ html, choice }: PickTask): TransferCell<Picked<string>> {
  return attempt(() => pickElements(html, choice));
}

export function extractPickedPage({ input, choice }: ExtractPickedTask): TransferCell<Picked<PageExtraction>> {
  return attempt(() => withFields(extractPicked(input.html, choice, toExtractOptions(input)), input));
}

function attempt<T>(work: () => T): TransferCell<Picked<T>> {
  try {
    return toCell({ value: work() });
  } catch (error) {
    if (error instanceof SelectorBudgetExceeded)
      return toCell({
        refusal: 'the selectors visit too many elements of this page; use fewer, without sibling combinators',
      });
    if (error instanceof RangeError)
      return toCell({ refusal: 'the elements of this page are nested too deeply for the selectors' });
    throw error;
  }
}
