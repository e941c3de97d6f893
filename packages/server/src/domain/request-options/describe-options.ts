import { PAGE_OPTIONS } from '@winnow/contract';
import type { StageDetails } from '@winnow/contract';
import type { CaptureOptions } from './page-options.ts';

/** Describes options for traces: only the names of secret values. */
export function describeOptions(options: CaptureOptions, proxy?: string): Pick<StageDetails['fetch'], 'options'> {
  const given = Object.entries({ ...options, proxy }).filter(([, value]) => value !== undefined);
  if (given.length === 0) return {};
  const shown = given.map(([name, value]) => [
    name,
    PAGE_OPTIONS[name as keyof typeof PAGE_OPTIONS].isSecret ? namesOf(value) : value,
  ]);
  return { options: Object.fromEntries(shown) as StageDetails['fetch']['options'] };
}

function namesOf(secrets: unknown): string[] {
  return Array.isArray(secrets)
    ? (secrets as { readonly name: string }[]).map(({ name }) => name)
    : Object.keys(secrets as object);
}
