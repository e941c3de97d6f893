import type { Extraction } from '../../types/extraction.ts';
import type { Template, TemplateField } from '../format/template.ts';

/**
 * Lists the violated invariants as messages.
 *
 * @param spared required fields that the page may lack
 * @param main number of `exclude` selectors with a match
 */
export function checkInvariants(
  template: Template,
  extraction: Extraction,
  spared: readonly TemplateField[],
  { exclusions }: { readonly exclusions: number },
): string[] {
  const faults: string[] = [];
  const isSpared = (name: string): boolean => spared.some((one) => one === name);
  for (const name of template.invariants.required) {
    if (isSpared(name)) continue;
    if (readRequired(extraction, name) === null) faults.push(`no selector found the required field ${name}`);
  }
  if (extraction.mainText === '' && !faults.some((fault) => fault.endsWith('main_text')))
    faults.push('the main text is empty');
  const expected = template.invariants.exclusions ?? 0;
  if (expected > 0 && exclusions < expected / 2) {
    faults.push(
      `${exclusions} of the ${expected} kinds of elements to leave out are on the page: its markup has changed`,
    );
  }
  return faults;
}

function readRequired(extraction: Extraction, name: Template['invariants']['required'][number]): string | null {
  if (name === 'main_text') return extraction.mainText === '' ? null : extraction.mainText;
  return extraction[name === 'publish_time' ? 'publishTime' : name];
}
