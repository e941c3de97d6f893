import type { Calendar } from './calendar-words.ts';

export interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Earlier days in texts date people or events, or are a zero timestamp. */
export const FIRST_YEAR = 1970;
const DAY_MS = 86_400_000;

/** Converts a day of any calendar; null if it does not exist or the year is implausible. */
export function toGregorian(year: number, month: number, day: number, calendar: Calendar = 'gregory'): Day | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  if (calendar === 'persian' || (calendar === 'gregory' && year >= 1370 && year <= 1420))
    return convert('persian', year, month, day);
  if (calendar === 'islamic-umalqura') return year >= 1400 && year <= 1500 ? convert(calendar, year, month, day) : null;
  const common = year >= 2533 && year <= 2643 ? year - 543 : year;
  return isDay(common, month, day) ? { year: common, month, day } : null;
}

function isDay(year: number, month: number, day: number): boolean {
  if (year < FIRST_YEAR || year > new Date().getUTCFullYear() + 1) return false;
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/** Tries the days around an estimate until the runtime's calendar agrees. */
function convert(calendar: 'persian' | 'islamic-umalqura', year: number, month: number, day: number): Day | null {
  const format = new Intl.DateTimeFormat(`en-u-ca-${calendar}-nu-latn`, {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    timeZone: 'UTC',
  });
  const dayOfYear = (month - 1) * (calendar === 'persian' ? 30.5 : 29.53) + day;
  const years = calendar === 'persian' ? (year - 1) * 365.2422 : (year - 1) * 354.367;
  const epoch = calendar === 'persian' ? Date.UTC(622, 2, 21) : Date.UTC(622, 6, 18);
  const guess = epoch + Math.round(years + dayOfYear) * DAY_MS;
  for (let shift = -6; shift <= 6; shift++) {
    const date = new Date(guess + shift * DAY_MS);
    const parts = new Map<string, string>(format.formatToParts(date).map((part) => [part.type, part.value]));
    if (Number(parts.get('day')) !== day || Number(parts.get('month')) !== month) continue;
    if (Number.parseInt(parts.get('year') ?? parts.get('relatedYear') ?? '', 10) !== year) continue;
    const found = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    return isDay(found.year, found.month, found.day) ? found : null;
  }
  return null;
}
