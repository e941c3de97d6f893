/** The engine names of the interface, `auto` first. `vendor_` is the default family name, see {@link toEnginePreference}. */
export const ENGINE_PREFERENCES = [
  'auto',
  'http',
  'chrome',
  'chrome_cdp',
  'vendor_lite',
  'vendor_dcl',
  'vendor_dom',
  'stable',
] as const;

/** What a caller may ask for. */
export type EnginePreference = (typeof ENGINE_PREFERENCES)[number];

/** An engine that captures pages itself: every name but `auto`. */
export type EngineName = Exclude<EnginePreference, 'auto'>;

const FAMILY_PREFIX = 'vendor_';

/** The accepted spellings under an engine family name: the standard ones, and the family's own (`acme_lite` …). */
export function enginePreferenceNames(family: string): string[] {
  const own = ENGINE_PREFERENCES.filter((name) => name.startsWith(FAMILY_PREFIX)).map((name) =>
    publicEngineName(name, family),
  );
  return [...new Set([...ENGINE_PREFERENCES, ...own])];
}

/** The standard name behind a spelling that {@link enginePreferenceNames} accepts; undefined for any other. */
export function toEnginePreference(spelling: string, family: string): EnginePreference | undefined {
  return ENGINE_PREFERENCES.find((name) => name === spelling || publicEngineName(name, family) === spelling);
}

/** The name that responses show: the family's own in place of `vendor_`. */
export function publicEngineName(name: EnginePreference, family: string): string {
  return name.startsWith(FAMILY_PREFIX) ? `${family}_${name.slice(FAMILY_PREFIX.length)}` : name;
}
