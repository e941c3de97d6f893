import { FIRST_YEAR, toGregorian, type Day } from './calendar-days.ts';
import { foldWord, getMonthWords, type Calendar, type MonthWord } from './calendar-words.ts';
import { replaceHanNumbers, toAsciiDigits } from './digits.ts';
import { readIsoTime, readTime, readTimeBefore, writeTimesAlike, type Time } from './time-of-day.ts';

export interface ParsedDate {
  /** `YYYY-MM-DD`, with `THH:MM:SS` if the text has a time, and `Z` or `±HH:MM` if it has a zone. */
  readonly value: string;
  /** Whether day and month could be exchanged. */
  readonly ambiguous: boolean;
}

export interface DateHints {
  /** Language of the page (BCP 47), for month words and the order of numbers. */
  readonly language: string | null;
  readonly topLevelDomain?: string;
}

const MAX_LENGTH = 200;

/**
 * Reads the first full date of a short text in any language. Null for relative dates ("3 days ago"), dates without year
 * or day, and impossible dates.
 */
export function parseDate(text: string, hints: DateHints): ParsedDate | null {
  if (text.length > MAX_LENGTH * 4) return null;
  const plain = writeTimesAlike(replaceHanNumbers(toAsciiDigits(text.slice(0, MAX_LENGTH).normalize('NFKC')))).trim();
  return parseIso(plain) ?? parseEra(plain) ?? parseWords(plain, hints) ?? parseNumbers(plain, hints);
}

const OLD_DAY = /^\s*(1[5-9]\d\d)[-/](\d{1,2})[-/](\d{1,2})(?!\d)/;

/** Reads a day before 1970 from metadata of archives; visible old days are mostly about people. */
export function parseOldDay(text: string): ParsedDate | null {
  const match = OLD_DAY.exec(text);
  if (match === null) return null;
  const [year, month, date] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const isReal = year < FIRST_YEAR && new Date(Date.UTC(year, month - 1, date)).getUTCDate() === date;
  return isReal && month >= 1 && month <= 12 ? formatDay({ year, month, day: date }, null, false) : null;
}

const ISO =
  /(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)(?:[T\s_]{0,2}(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?)?\s?(Z|UTC|GMT|[+-]\d{2}:?\d{2}(?!\d)|[+-]\d{2}(?!\d))?/i;
const COMPACT_ISO = /(?<!\d)((?:19|20)\d{2})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2}))?(Z)?(?!\d)/;

function parseIso(text: string): ParsedDate | null {
  const match = ISO.exec(text) ?? COMPACT_ISO.exec(text);
  if (match === null) return null;
  const day = toGregorian(Number(match[1]), Number(match[2]), Number(match[3]));
  if (day === null) return null;
  const rest = text.slice(match.index + match[0].length);
  return formatDay(day, match[4] === undefined ? readTime(rest) : readIsoTime(match.slice(4), rest), false);
}

/** Year before the first year of each era and of the Republic of China. */
const ERAS: readonly (readonly [string, number])[] = [
  ['令和', 2018],
  ['平成', 1988],
  ['昭和', 1925],
  ['中華民國', 1911],
  ['中華民国', 1911],
  ['民國', 1911],
  ['民国', 1911],
];
const ERA_DATE =
  /(令和|平成|昭和|中華民國|中華民国|民國|民国)\s?(\d{1,3}|元)\s?年\s?(?:\(\d{4}年?\)\s?)?(\d{1,2})\s?月\s?(\d{1,2})\s?日/;
/** Three digits are a year of the Republic of China; an era may follow: 2024年(令和6年)5月3日. */
const EAST_ASIAN =
  /(?<!\d)(\d{2,4})\s?[年년]\s?(?:\([^()\d]{2}(?:\d{1,2}|元)年?\)\s?)?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日號号일]/;
/** Written in English order by software: "5 月 3, 2024", "3 5 月, 2024". */
const EAST_ASIAN_YEAR_LAST =
  /(?<!\d)(?:(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日號号일]?|(\d{1,2})\s(\d{1,2})\s?[月월]),?\s(\d{4})(?!\d)/;

function parseEra(text: string): ParsedDate | null {
  const era = ERA_DATE.exec(text);
  const match = era ?? EAST_ASIAN.exec(text);
  if (match === null) return parseYearLast(text);
  const [year, month, date] = era === null ? match.slice(1) : match.slice(2);
  const base = era === null ? YEARS_BEFORE[year.length] : ERAS.find(([name]) => name === era[1])![1];
  const day = toGregorian(base + (year === '元' ? 1 : Number(year)), Number(month), Number(date));
  return withTrailingTime(day, match);
}

const YEARS_BEFORE: readonly number[] = [0, 0, 2000, 1911, 0];

function parseYearLast(text: string): ParsedDate | null {
  const match = EAST_ASIAN_YEAR_LAST.exec(text);
  if (match === null) return null;
  const day = toGregorian(Number(match[5]), Number(match[1] ?? match[4]), Number(match[2] ?? match[3]));
  return withTrailingTime(day, match);
}

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly number: number | null;
}

const TOKEN = /\d+|[\p{L}\p{M}\u200c]+/gu;
/**
 * Words between the parts of a date: "3 de mayo de 2024", "3rd of May", "2024. gada 3. maijs", "ngày 3 tháng 5 năm
 * 2024".
 */
const FILLERS = new Set(
  'de del di of the d st nd rd th er e o a º ª den le el ที่ พ ศ ค tháng năm ngày gada m y yil g г года г. року р م هـ ل la en til vom am on ж жыл жылы წ წლის'.split(
    ' ',
  ),
);

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const isNumber = /^\d/.test(match[0]);
    if (isNumber && match[0].length > 9) continue;
    tokens.push({
      text: match[0],
      start: match.index,
      end: match.index + match[0].length,
      number: isNumber ? Number(match[0]) : null,
    });
    if (tokens.length >= 60) break;
  }
  return tokens;
}

function parseWords(text: string, hints: DateHints): ParsedDate | null {
  const tokens = tokenize(text);
  if (!tokens.some((token) => token.number !== null)) return null;
  const languages = hints.language !== null && !/^en\b/i.test(hints.language) ? [hints.language, 'en'] : ['en'];
  for (const language of languages) {
    const words = getMonthWords(language);
    for (let i = 0; i < tokens.length; i++) {
      const found = findMonth(tokens, i, words);
      if (found === null) continue;
      const parsed = readAroundMonth(text, tokens, i, found, words);
      if (parsed !== null) return parsed;
    }
  }
  return parseVietnamese(text);
}

const VIETNAMESE_MONTHS = [
  'một',
  'hai',
  'ba',
  'tư',
  'năm',
  'sáu',
  'bảy',
  'tám',
  'chín',
  'mười',
  'mười một',
  'mười hai',
];
const VIETNAMESE_MONTH = `tháng\\s+(\\d{1,2}|${VIETNAMESE_MONTHS.toReversed().join('|')})`;
const VIETNAMESE = new RegExp(`(\\d{1,2})\\s+${VIETNAMESE_MONTH},?\\s+(?:năm\\s+)?(\\d{4})`, 'iu');
const VIETNAMESE_MONTH_FIRST = new RegExp(`${VIETNAMESE_MONTH}\\s+(\\d{1,2}),?\\s+(\\d{4})`, 'iu');

function parseVietnamese(text: string): ParsedDate | null {
  const dayFirst = VIETNAMESE.exec(text);
  const match = dayFirst ?? VIETNAMESE_MONTH_FIRST.exec(text);
  if (match === null) return null;
  const [date, month] = dayFirst === null ? [match[2], match[1]] : [match[1], match[2]];
  const number = /^\d/.test(month) ? Number(month) : VIETNAMESE_MONTHS.indexOf(month.toLowerCase()) + 1;
  const day = toGregorian(Number(match[3]), number, Number(date));
  return withTrailingTime(day, match);
}

interface FoundMonth extends MonthWord {
  readonly last: number;
}

/** Reads a month word of one or two tokens, also with a Hebrew prefix ("במאי") or a Thai era suffix. */
function findMonth(tokens: readonly Token[], at: number, words: ReadonlyMap<string, MonthWord>): FoundMonth | null {
  const token = tokens[at];
  if (token.number !== null) return null;
  const next = tokens[at + 1];
  if (next !== undefined && next.number === null) {
    const pair = words.get(foldWord(`${token.text} ${next.text}`)) ?? words.get(foldWord(`${token.text}.${next.text}`));
    if (pair !== undefined) return { ...pair, last: at + 1 };
  }
  const folded = foldWord(token.text);
  const word =
    words.get(folded) ??
    (folded.startsWith('ב') ? words.get(folded.slice(1)) : undefined) ??
    words.get(stripThaiYear(folded));
  return word === undefined ? null : { ...word, last: at };
}

function stripThaiYear(word: string): string {
  return word.replace(/(?:พ|ค)$/u, '');
}

function readAroundMonth(
  text: string,
  tokens: readonly Token[],
  at: number,
  month: FoundMonth,
  words: ReadonlyMap<string, MonthWord>,
): ParsedDate | null {
  const numberBeside = (from: number, step: 1 | -1): number | null => findNumber(tokens, from, step, words);
  const before = numberBeside(at, -1);
  const secondBefore = before === null ? null : numberBeside(before, -1);
  const after = numberBeside(month.last, 1);
  const secondAfter = after === null ? null : numberBeside(after, 1);
  const orders: readonly (readonly [number | null, number | null])[] = [
    [before, after],
    [after, secondAfter],
    [after, before],
    [before, secondBefore],
  ];
  for (const [dayAt, yearAt] of orders) {
    if (dayAt === null || yearAt === null) continue;
    const year = readYear(tokens[yearAt], text);
    const date = tokens[dayAt];
    if (year === null || date.text.length > 2) continue;
    const day = toGregorian(year, month.month, date.number!, month.calendar);
    if (day === null) continue;
    const end = Math.max(date.end, tokens[yearAt].end, tokens[month.last].end);
    const start = Math.min(date.start, tokens[yearAt].start, tokens[at].start);
    return formatDay(day, readTime(text.slice(end)) ?? readTimeBefore(text.slice(0, start)), false);
  }
  // The year follows the time: "Thu Nov 30 10:20:00 GMT 2023", "May 3, 10:20, 2024".
  return readYearAfterTime(text, tokens, month, before, after);
}

function readYearAfterTime(
  text: string,
  tokens: readonly Token[],
  month: FoundMonth,
  before: number | null,
  after: number | null,
): ParsedDate | null {
  const dayAt = after ?? before;
  if (dayAt === null || tokens[dayAt].text.length > 2) return null;
  const rest = text.slice(Math.max(tokens[dayAt].end, tokens[month.last].end));
  const match = /^[\s,]*\d{1,2}:\d{2}(?::\d{2})?\s?(?:[A-Z]{2,5}|[+-]\d{4})?[\s,]+(\d{4})(?!\d)/.exec(rest);
  if (match === null) return null;
  const day = toGregorian(Number(match[1]), month.month, tokens[dayAt].number!, month.calendar);
  return day === null ? null : formatDay(day, readTime(rest), false);
}

/** The next number in a direction, across at most two filler words or a second name of the month ("أيار/مايو"). */
function findNumber(
  tokens: readonly Token[],
  from: number,
  step: 1 | -1,
  words: ReadonlyMap<string, MonthWord>,
): number | null {
  for (let i = from + step, skipped = 0; i >= 0 && i < tokens.length && skipped <= 2; i += step, skipped++) {
    const token = tokens[i];
    if (token.number !== null) return i;
    if (!FILLERS.has(token.text.toLowerCase()) && !words.has(foldWord(token.text))) return null;
  }
  return null;
}

function readYear(token: Token, text: string): number | null {
  if (token.text.length === 4) return token.number;
  // 3 May ’24, 3-May-24
  if (token.text.length === 2 && /['’]$|(?<=\p{L})-$/u.test(text.slice(Math.max(0, token.start - 2), token.start)))
    return 2000 + token.number!;
  // 3 ก.ค. 67
  if (
    /^[4-9]\d$/.test(token.text) &&
    /\p{Script=Thai}\.?\s?$/u.test(text.slice(Math.max(0, token.start - 3), token.start))
  )
    return 2500 + token.number!;
  return null;
}

/** "2024/03/05", "2024/3/5", "2024. 3. 5."; "2024.3.5.1" is a version. */
const YEAR_FIRST = /(?<![\d./-]|\d:)(\d{4})\s?([./\-‐–])\s?(\d{1,2})\s?\2\s?(\d{2}|\d(?!\.\d))(?![\d:])/;
/** Years of the Republic of China as Taiwan writes them: "113/05/03". */
const REPUBLIC_YEAR_FIRST = /(?<![\d./-]|\d:)(1\d{2})([./-])(\d{1,2})\2(\d{1,2})(?![\d./:-])/;
const YEAR_LAST = /(?<![\d./-]|\d:)(\d{1,2})\s?([./\-‐–])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})(?![\d:]|\.\d)/;

function parseNumbers(text: string, hints: DateHints): ParsedDate | null {
  const yearFirst = YEAR_FIRST.exec(text);
  const yearLast = YEAR_LAST.exec(text);
  const isYearFirst = yearFirst !== null && (yearLast === null || yearFirst.index < yearLast.index);
  const match = isYearFirst ? yearFirst : yearLast;
  if (match === null) return countsFromRepublic(hints) ? parseRepublicYear(text) : null;
  const time = readTime(text.slice(match.index + match[0].length)) ?? readTimeBefore(text.slice(0, match.index));
  if (!isYearFirst) return readYearLast(match, time, hints);
  const year = Number(match[1]);
  return withTime(toGregorian(year, Number(match[3]), Number(match[4]), getCalendar(year, hints)), time, false);
}

function countsFromRepublic({ language, topLevelDomain }: DateHints): boolean {
  return /^zh-(?:TW|Hant)\b/i.test(language ?? '') || (topLevelDomain === 'tw' && /^zh\b/i.test(language ?? ''));
}

function parseRepublicYear(text: string): ParsedDate | null {
  const match = REPUBLIC_YEAR_FIRST.exec(text);
  if (match === null) return null;
  const day = toGregorian(1911 + Number(match[1]), Number(match[3]), Number(match[4]));
  return withTrailingTime(day, match);
}

/** Arabic pages also write the Islamic calendar in numbers: "1445/10/24". */
function getCalendar(year: number, hints: DateHints): Calendar {
  return year >= 1400 && year <= 1500 && /^ar\b/i.test(hints.language ?? '') ? 'islamic-umalqura' : 'gregory';
}

/** The numbers decide the order of day and month, else region and language. */
function readYearLast(match: RegExpExecArray, time: Time | null, hints: DateHints): ParsedDate | null {
  const [, first, separator, middle, last] = match as unknown as [string, string, string, string, string];
  const year = last.length === 4 ? Number(last) : 2000 + Number(last);
  const a = Number(first);
  const b = Number(middle);
  if (last.length === 2 && separator === '-') return null;
  if (last.length === 2 && separator === '.' && looksLikeVersion(match, hints)) return null;
  if (last.length === 2 && putsYearFirst(hints)) return withTime(toGregorian(2000 + a, b, Number(last)), time, false);
  // With dots the day is first, except in English.
  const isDotted = separator === '.' && hints.language !== null && !/^en\b/i.test(hints.language);
  const ambiguous = a <= 12 && b <= 12 && a !== b && !isDotted;
  const monthFirst = b > 12 || (a <= 12 && separator !== '.' && putsMonthFirst(hints));
  const calendar = getCalendar(year, hints);
  const [month, date] = monthFirst ? [a, b] : [b, a];
  return withTime(toGregorian(year, month, date, calendar), time, ambiguous);
}

const VERSION_LABEL = /(?:\bv|\bversion|\brelease)\.?\s?$/i;

/** Whether "8.4.13" is a version: English pads dates with dots ("08.04.13"). */
function looksLikeVersion(match: RegExpExecArray, hints: DateHints): boolean {
  const { input, index } = match;
  if (VERSION_LABEL.test(input.slice(Math.max(0, index - 12), index))) return true;
  const isPadded = match[1].length === 2 && match[3].length === 2;
  return !isPadded && /^en\b/i.test(hints.language ?? 'en');
}

function putsMonthFirst(hints: DateHints): boolean {
  const language = hints.language ?? 'en';
  if (/^en[-_](?!us|ph\b)[a-z]{2}\b/i.test(language)) return false;
  if (
    hints.topLevelDomain !== undefined &&
    /^[a-z]{2}$/.test(hints.topLevelDomain) &&
    !GENERIC_COUNTRY_DOMAINS.has(hints.topLevelDomain)
  )
    return false;
  return /^(?:en|fil|tl)\b/i.test(language);
}

const GENERIC_COUNTRY_DOMAINS = new Set('us io co ai me tv so to ly fm gg sh cc ph is im la vc st ws ms'.split(' '));

function putsYearFirst(hints: DateHints): boolean {
  return /^(?:ja|zh|ko|hu|lt|mn)\b/i.test(hints.language ?? '');
}

function withTrailingTime(day: Day | null, match: RegExpExecArray): ParsedDate | null {
  return withTime(day, readTime(match.input.slice(match.index + match[0].length)), false);
}

function withTime(day: Day | null, time: Time | null, ambiguous: boolean): ParsedDate | null {
  return day === null ? null : formatDay(day, time, ambiguous);
}

function formatDay(day: Day, time: Time | null, ambiguous: boolean): ParsedDate {
  const date = `${day.year}-${pad(day.month)}-${pad(day.day)}`;
  if (time === null) return { value: date, ambiguous };
  return { value: `${date}T${pad(time.hour)}:${pad(time.minute)}:${pad(time.second)}${time.zone ?? ''}`, ambiguous };
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
