import type { Template, TemplateField } from '../format/template.ts';

/**
 * Lists the violated invariants as messages.
 *
 * @param found the template's own values
 * @param spared required fields that the page may lack
 * @param main number of `exclude` selectors with a match
 */
export function checkInvariants(
  template: Template,
  found: Readonly<Record<string, string | null>>,
  spared: readonly TemplateField[],
  { exclusions }: { readonly exclusions: number },
): string[] {
  const isSpared = (name: string): boolean => spared.some((one) => one === name);
  const faults = template.invariants.required
    .filter((name) => !isSpared(name) && (found[name] ?? null) === null)
    .map((name) => `no selector found the required field ${name}`);
  if (found['main_text'] === null && !template.invariants.required.includes('main_text'))
    faults.push('the main text is empty');
  const expected = template.invariants.exclusions ?? 0;
  if (expected > 0 && exclusions < expected / 2) {
    faults.push(
      `${exclusions} of the ${expected} kinds of elements to leave out are on the page: its markup has changed`,
    );
  }
  return faults;
}
