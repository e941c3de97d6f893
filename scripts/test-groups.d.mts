export function writeGroups(
  root: string,
  layers: ReadonlyMap<string, readonly string[]>,
  folder?: string,
): Map<string, string[]>;
