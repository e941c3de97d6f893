const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const count = new Intl.NumberFormat(undefined);
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export function formatTime(iso: string | null, absent = '–'): string {
  return iso === null ? absent : dateTime.format(new Date(iso));
}

export function formatCount(value: number): string {
  return value < 100_000 ? count.format(value) : compact.format(value);
}

export function formatMs(ms: number | null): string {
  if (ms === null) return '–';
  if (ms === 0) return '0 ms';
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit] ?? ''}`;
}

export function formatPercent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Whole days, or hours under two days. */
export function formatAge(ms: number): string {
  const [value, unit] = ms < 2 * DAY_MS ? [ms / HOUR_MS, 'hour'] : [ms / DAY_MS, 'day'];
  const rounded = Math.round(value * 10) / 10;
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`;
}
