import { collapse, getNodeText } from '../../tree/text/node-text.ts';
import { detach } from '../../tree/detach.ts';
import { getAttribute } from '../../tree/tree.ts';
import type { CompiledValue } from '../selectors/compile-template.ts';
import type { PageIndex } from '../selectors/page-index.ts';

const MAX_JOINED = 50;

export interface FoundValue {
  readonly value: string;
  readonly source: string;
}

/** Returns the first value, in order of preference, for which `accept` returns a final form instead of null. */
export function readValue(
  page: PageIndex,
  selectors: readonly CompiledValue[],
  accept: (values: readonly string[]) => string | null,
): FoundValue | undefined {
  for (const selector of selectors) {
    const values = readValues(page, selector);
    if (values.length === 0) continue;
    const value = selector.all
      ? accept(values)
      : (values.map((one) => accept([one])).find((one) => one !== null) ?? null);
    if (value !== null && value !== '') return { value, source: selector.source };
  }
  return undefined;
}

export function readValues(page: PageIndex, selector: CompiledValue, max: number = MAX_JOINED): string[] {
  const match = selector.find(page);
  const raw = match.values ?? match.nodes.slice(0, max).map((node) => readNode(page, node, selector.attribute));
  const values: string[] = [];
  for (const text of raw.slice(0, max)) {
    let value: string | undefined = collapse(text ?? '');
    for (const step of selector.steps) value = value === undefined ? undefined : step(value);
    value = value === undefined ? undefined : collapse(value);
    if (value !== undefined && value !== '') values.push(detach(value));
  }
  return values;
}

function readNode(page: PageIndex, node: number, attribute: string | undefined): string | undefined {
  return attribute === undefined ? getNodeText(page.tree, node) : getAttribute(page.tree, node, attribute);
}
