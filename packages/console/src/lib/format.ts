const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const wallClock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const axisTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const axisDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const relative = new Intl.RelativeTimeFormat(undefined, { style: 'short', numeric: 'auto' });
const count = new Intl.NumberFormat(undefined);
const oneDigit = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const twoDigits = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

export function formatTime(iso: string | null, absent = '–'): string {
  return iso === null ? absent : dateTime.format(new Date(iso));
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Returns how long ago a time was; undefined if it is a day or more, or to come. */
export function formatRecent(iso: string, now: number): string | undefined {
  const ago = now - new Date(iso).getTime();
  // Clocks of two machines differ a little.
  if (ago < -MINUTE_MS || ago >= DAY_MS) return undefined;
  const rounded = Math.max(0, ago);
  if (rounded < MINUTE_MS) return relative.format(-Math.floor(rounded / SECOND_MS), 'second');
  if (rounded < HOUR_MS) return relative.format(-Math.floor(rounded / MINUTE_MS), 'minute');
  return relative.format(-Math.floor(rounded / HOUR_MS), 'hour');
}

/** A day, a time without a zone, or a time, as pages state when they were published. */
export function formatPublished(text: string): string {
  if (Number.isNaN(Date.parse(text))) return text;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return day.format(new Date(text));
  if (!/(?:Z|[+-]\d{2}:?\d{2})$/.test(text)) return wallClock.format(new Date(`${text}Z`));
  return formatTime(text);
}

/** Labels of the axis of a chart, for times in seconds: days where the steps are days, and at midnight. */
export function formatAxis(seconds: readonly number[], stepSeconds: number): string[] {
  return seconds.map((second) => {
    const time = new Date(second * 1000);
    const isDay = stepSeconds >= DAY_MS / 1000 || (time.getHours() === 0 && time.getMinutes() === 0);
    return (isDay ? axisDay : axisTime).format(time);
  });
}

export function formatCount(value: number): string {
  return value < 100_000 ? count.format(value) : compact.format(value);
}

export function formatMs(ms: number | null): string {
  if (ms === null) return '–';
  if (ms === 0) return '0 ms';
  if (ms < 10) return `${oneDigit.format(ms)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${(ms < 10_000 ? twoDigits : oneDigit).format(ms / 1000)} s`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** In the units of the settings. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? oneDigit.format(value) : Math.round(value)} ${UNITS[unit] ?? ''}`;
}

export function formatPercent(share: number): string {
  const percent = share * 100;
  return `${share > 0 && share < 0.1 ? oneDigit.format(percent) : Math.round(percent)} %`;
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** A time in the form of a field for it, in the reader's zone. */
export function toLocalField(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS);
  return local.toISOString().slice(0, 16);
}

/** Whole days, or hours under two days. */
export function formatAge(ms: number): string {
  const [value, unit] = ms < 2 * DAY_MS ? [ms / HOUR_MS, 'hour'] : [ms / DAY_MS, 'day'];
  const rounded = Math.round(value * 10) / 10;
  return `${rounded} ${unit}${rounded === 1 ? '' : 's'}`;
}
