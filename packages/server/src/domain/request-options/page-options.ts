import { PAGE_OPTIONS, toEnginePreference } from '@winnow/contract';
import type { EnginePreference, PageOptionsBody, StageDetails } from '@winnow/contract';
import type { ElementChoice } from '@winnow/extract/matching';

/** The options of a request, with the engine's own name and the names of headers in lower case. */
export type PageOptions = Readonly<Omit<PageOptionsBody, 'engine_preference'>> & {
  readonly engine_preference?: EnginePreference | undefined;
};

export interface CaptureCookie {
  readonly name: string;
  readonly value: string;
  /** Also for its subdomains; absent: only the target's host. */
  readonly domain?: string | undefined;
  readonly path: string;
  readonly secure: boolean;
}

type CaptureOptionName = {
  [Name in keyof typeof PAGE_OPTIONS]: (typeof PAGE_OPTIONS)[Name]['isOfCapture'] extends true ? Name : never;
}[keyof typeof PAGE_OPTIONS];

/** The options that engines use. */
export type CaptureOptions = Pick<PageOptions, Exclude<CaptureOptionName, 'cookies'>> & {
  /** Checked against the target. */
  readonly cookies?: readonly CaptureCookie[] | undefined;
};

/** Reads the options of a validated body. Options that are off or empty count as absent. */
export function readPageOptions(body: PageOptionsBody = {}, engineFamily: string): PageOptions {
  const { engine_preference: engine, headers, ...others } = body;
  const given = Object.entries(others).filter(([, value]) => value !== false && !isEmptyList(value));
  return {
    ...(Object.fromEntries(given) as Omit<PageOptionsBody, 'engine_preference'>),
    ...(engine === undefined ? {} : { engine_preference: toEnginePreference(engine, engineFamily) ?? 'auto' }),
    ...(headers === undefined ? {} : { headers: withLowerNames(headers) }),
  };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function withLowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Picks the options that engines use; cookies are not checked. */
export function pickCaptureOptions(page: PageOptions): Pick<PageOptions, CaptureOptionName> {
  return Object.fromEntries(Object.entries(page).filter(([name]) => isCaptureOption(name)));
}

function isCaptureOption(name: string): name is CaptureOptionName {
  return PAGE_OPTIONS[name as keyof typeof PAGE_OPTIONS].isOfCapture;
}

/** True if all options have their defaults, so that requests can share the capture. */
export function isOrdinaryCapture(options: CaptureOptions): boolean {
  return Object.values(options).every((value) => value === undefined);
}

/** True if the dialogs that ask for consent are answered, which needs a browser. */
export function answersConsent(consent: CaptureOptions['consent']): consent is 'reject' | 'accept' {
  return consent === 'reject' || consent === 'accept';
}

/** Returns the elements to keep and to remove; undefined if all are kept. */
export function elementsOf({
  include_tags: include = [],
  exclude_tags: exclude = [],
}: PageOptions): ElementChoice | undefined {
  return include.length + exclude.length === 0 ? undefined : { include, exclude };
}

export function hasSecrets({ headers = {}, cookies = [] }: Pick<PageOptions, 'headers' | 'cookies'>): boolean {
  return Object.keys(headers).length > 0 || cookies.length > 0;
}

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
