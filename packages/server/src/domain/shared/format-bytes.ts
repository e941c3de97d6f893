const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'] as const;

/** A size as messages state it: `10 MiB`, `1.5 KiB`, `200000 bytes` where a larger unit would not be exact. */
export function formatBytes(bytes: number): string {
  for (let power = UNITS.length - 1; power > 0; power -= 1) {
    const inUnit = bytes / 1024 ** power;
    // Two digits after the point show every size that people set, and no other.
    if (inUnit >= 1 && Number.isInteger(inUnit * 100)) return `${inUnit} ${UNITS[power]}`;
  }
  return bytes === 1 ? '1 byte' : `${bytes} bytes`;
}
