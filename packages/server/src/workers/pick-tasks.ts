/** Worker tasks that select elements of a page. */
import { extractPicked, pickElements, SelectorBudgetExceeded, type ElementChoice } from '@winnow/extract/templates';
import type { ExtractInput, PageExtraction } from '../domain/extraction/extraction-ports.ts';
import { toExtractOptions } from '../domain/request-options/content-options.ts';
import { withFields } from './template-tasks.ts';

/** A value or refusal as data: errors lose their code between processes. */
export type Picked<T> = { readonly value: T } | { readonly refusal: string };

export interface PickTask {
  readonly html: string;
  readonly choice: ElementChoice;
}

export interface ExtractPickedTask {
  readonly input: Omit<ExtractInput, 'elements'>;
  readonly choice: ElementChoice;
}

export function pickPage({ html, choice }: PickTask): Picked<string> {
  return attempt(() => pickElements(html, choice));
}

export function extractPickedPage({ input, choice }: ExtractPickedTask): Picked<PageExtraction> {
  return attempt(() => withFields(extractPicked(input.html, choice, toExtractOptions(input)), input));
}

function attempt<T>(work: () => T): Picked<T> {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof SelectorBudgetExceeded)
      return {
        refusal: 'the selectors visit too many elements of this page; use fewer, without sibling combinators',
      };
    if (error instanceof RangeError)
      return { refusal: 'the elements of this page are nested too deeply for the selectors' };
    throw error;
  }
}
