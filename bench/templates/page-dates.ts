/** Date formats of pages, least ambiguous first, so that the format of a layout can be found and kept. */

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

type DateFormat = (year: number, month: number, day: number) => string;

const two = (value: number): string => String(value).padStart(2, '0');
const name = (month: number): string => MONTHS[month - 1] ?? '';
const short = (month: number): string => name(month).slice(0, 3);

const FORMATS: readonly DateFormat[] = [
  (y, m, d) => `${y}-${two(m)}-${two(d)}`,
  (y, m, d) => `${name(m)} ${d}, ${y}`,
  (y, m, d) => `${name(m)} ${two(d)}, ${y}`,
  (y, m, d) => `${short(m)} ${d}, ${y}`,
  (y, m, d) => `${short(m)} ${two(d)}, ${y}`,
  (y, m, d) => `${short(m)}. ${d}, ${y}`,
  (y, m, d) => `${d} ${name(m)} ${y}`,
  (y, m, d) => `${two(d)} ${name(m)} ${y}`,
  (y, m, d) => `${d} ${short(m)} ${y}`,
  (y, m, d) => `${two(d)} ${short(m)} ${y}`,
  (y, m, d) => `${y}/${two(m)}/${two(d)}`,
  (y, m, d) => `${two(m)}/${two(d)}/${y}`,
  (y, m, d) => `${m}/${d}/${y}`,
  (y, m, d) => `${two(d)}.${two(m)}.${y}`,
];

/** Returns for each format the old and the new day in it. Both days are `YYYY-MM-DD`. */
export function listDatePairs(oldDay: string, newDay: string): [from: string, to: string][] {
  const [oldParts, newParts] = [split(oldDay), split(newDay)];
  return FORMATS.map((format): [string, string] => [format(...oldParts), format(...newParts)]);
}

function split(day: string): [number, number, number] {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return [year, month, date];
}
