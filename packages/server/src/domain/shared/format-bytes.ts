const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'] as const;

/** Formats a size in its largest exact unit: `1.5 KiB`, `200000 bytes`. */
export function formatBytes(bytes: number): string {
  for (let power = UNITS.length - 1; power > 0; power -= 1) {
    const inUnit = bytes / 1024 ** power;
    if (inUnit >= 1 && Number.isInteger(inUnit * 100)) return `${inUnit} ${UNITS[power]}`;
  }
  return bytes === 1 ? '1 byte' : `${bytes} bytes`;
}
