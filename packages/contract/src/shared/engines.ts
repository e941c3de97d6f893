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

export type EnginePreference = (typeof ENGINE_PREFERENCES)[number];

/** An engine that captures pages itself: every name but `auto`. */
export type EngineName = Exclude<EnginePreference, 'auto'>;

/** Engines of a family, by the ends of their names. */
type FamilyEnding = 'lite' | 'dcl' | 'dom' | 'domstable';

/** The names of engines that requests may use; a deployment accepts those of its own family and of `vendor`. */
export type EngineSpelling = EnginePreference | `${string}_${FamilyEnding}`;

/** The origin of a snapshot whose HTML came with a request; no engine captured it. */
export const UPLOAD = 'upload';

/** Where a snapshot comes from. */
export type SnapshotOrigin = EngineName | typeof UPLOAD;

const FAMILY_PREFIX = 'vendor_';

/** Accepted in requests, never shown in responses. */
const ALIASES = { vendor_domstable: 'vendor_dom' } as const satisfies Readonly<Record<string, EngineName>>;

/** Every standard spelling and its engine. */
const STANDARD: ReadonlyMap<string, EnginePreference> = new Map([
  ...ENGINE_PREFERENCES.map((name) => [name, name] as const),
  ...(Object.entries(ALIASES) as [keyof typeof ALIASES, EngineName][]),
]);

/**
 * The accepted spellings under an engine family name: the standard ones, the family's own (`acme_lite` …), and
 * `…_domstable` for `…_dom`.
 */
export function enginePreferenceNames(family: string): EngineSpelling[] {
  const standard = [...STANDARD.keys()];
  return [...new Set([...standard, ...standard.map((name) => withFamily(name, family))])] as EngineSpelling[];
}

/** The engine names that responses show: one each. */
export function publicEngineNames(family: string): EngineSpelling[] {
  return ENGINE_PREFERENCES.map((name) => withFamily(name, family)) as EngineSpelling[];
}

/** Returns the standard name of a spelling in {@link enginePreferenceNames}; undefined for any other. */
export function toEnginePreference(spelling: string, family: string): EnginePreference | undefined {
  const isOwn = spelling.startsWith(`${family}_`);
  return (
    STANDARD.get(spelling) ?? (isOwn ? STANDARD.get(FAMILY_PREFIX + spelling.slice(family.length + 1)) : undefined)
  );
}

/** The name that responses show: the family's own in place of `vendor_`, never an alias. */
export function publicEngineName(name: EnginePreference | SnapshotOrigin, family: string): string {
  return withFamily(name, family);
}

function withFamily(name: string, family: string): string {
  return name.startsWith(FAMILY_PREFIX) ? `${family}_${name.slice(FAMILY_PREFIX.length)}` : name;
}
