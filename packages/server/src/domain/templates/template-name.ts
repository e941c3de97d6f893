/** Returns `tpl_…:v3`. */
export function nameVersion({ id, version }: { readonly id: string; readonly version: number }): string {
  return `${id}:v${version}`;
}

/** Reads `tpl_…:v3`, or an id alone; undefined for other text. */
export function readTemplateName(
  text: string,
): { readonly id: string; readonly version: number | undefined } | undefined {
  const [, id, version] = /^(tpl_[0-9A-Z]{26})(?::v(\d{1,9}))?$/.exec(text) ?? [];
  return id === undefined ? undefined : { id, version: version === undefined ? undefined : Number(version) };
}
