/**
 * Month names from the runtime's locale data (`Intl`): no bytes to ship, always current. Built per language, on demand.
 */

import { memoize } from '../../tree/memoize.ts';

/** A month (1-12) and the calendar of its name. */
export interface MonthWord {
  readonly month: number;
  readonly calendar: Calendar;
}

export type Calendar = 'gregory' | 'persian' | 'islamic-umalqura';

const OTHER_CALENDARS: Readonly<Record<string, Calendar>> = {
  fa: 'persian',
  ps: 'persian',
  ckb: 'persian',
  ar: 'islamic-umalqura',
  ur: 'islamic-umalqura',
};

const OTHER_SCRIPTS: Readonly<Record<string, string>> = { sr: 'sr-Latn', uz: 'uz-Cyrl' };

/**
 * Forms that the locale data lacks: older spellings, abbreviations, inflections, French and Syriac months in Arabic.
 */
const EXTRA_WORDS: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  en: [['sept', 9]],
  ar: [
    ['كانون الثاني', 1],
    ['شباط', 2],
    ['آذار', 3],
    ['اذار', 3],
    ['نيسان', 4],
    ['أيار', 5],
    ['ايار', 5],
    ['حزيران', 6],
    ['تموز', 7],
    ['آب', 8],
    ['أيلول', 9],
    ['ايلول', 9],
    ['تشرين الأول', 10],
    ['تشرين الثاني', 11],
    ['كانون الأول', 12],
    ['جانفي', 1],
    ['فيفري', 2],
    ['أفريل', 4],
    ['ماي', 5],
    ['جوان', 6],
    ['جويلية', 7],
    ['أوت', 8],
    ['غشت', 8],
    ['شتنبر', 9],
    ['نونبر', 11],
    ['دجنبر', 12],
    ['ابريل', 4],
    ['اغسطس', 8],
    ['اكتوبر', 10],
  ],
  de: [
    ['jänner', 1],
    ['feber', 2],
    ['maerz', 3],
    ['mrz', 3],
  ],
  es: [
    ['setiembre', 9],
    ['set', 9],
  ],
  el: [
    ['ιανουάριος', 1],
    ['φεβρουάριος', 2],
    ['μάρτιος', 3],
    ['απρίλιος', 4],
    ['μαΐου', 5],
    ['μαίου', 5],
    ['μάιος', 5],
    ['ιούνιος', 6],
    ['ιούλιος', 7],
    ['αύγουστος', 8],
    ['σεπτέμβριος', 9],
    ['οκτώβριος', 10],
    ['νοέμβριος', 11],
    ['δεκέμβριος', 12],
    ['μαι', 5],
    ['σεπ', 9],
  ],
  ru: [
    ['сентября', 9],
    ['сен', 9],
    ['мая', 5],
    ['нояб', 11],
    ['фев', 2],
  ],
  fa: [
    ['ژانویه', 1],
    ['فوریه', 2],
    ['مارس', 3],
    ['آوریل', 4],
    ['مه', 5],
    ['می', 5],
    ['ژوئن', 6],
    ['ژوئیه', 7],
    ['جولای', 7],
    ['اوت', 8],
    ['آگوست', 8],
    ['سپتامبر', 9],
    ['اکتبر', 10],
    ['نوامبر', 11],
    ['دسامبر', 12],
  ],
  hi: [
    ['सितंबर', 9],
    ['सितम्बर', 9],
    ['अक्तूबर', 10],
    ['अक्टूबर', 10],
    ['नवम्बर', 11],
    ['दिसम्बर', 12],
    ['फ़रवरी', 2],
    ['फरवरी', 2],
    ['जुलाई', 7],
  ],
  ro: [['ian', 1]],
  id: [
    ['agustus', 8],
    ['agt', 8],
    ['nop', 11],
  ],
  ms: [['ogos', 8]],
};

/** Month words of a language (BCP 47, region optional), normalised by `foldWord`. Empty for unknown languages. */
export function getMonthWords(language: string): ReadonlyMap<string, MonthWord> {
  return monthWordsOf(/^[a-z]{2,3}(?=$|[-_])/i.exec(language)?.[0].toLowerCase() ?? '');
}

const monthWordsOf = memoize<ReadonlyMap<string, MonthWord>>(buildMonthWords, 1_000);

const PLAIN_WORD = /^[a-z .]*[a-z]$/i;

/** Lower case without final dots, accents, tatweel, vowel points and the dot of i. */
export function foldWord(word: string): string {
  // The steps below change nothing else in a plain word, and take ten times as long.
  if (PLAIN_WORD.test(word)) return word.toLowerCase();
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f\u064b-\u0652\u0640\u200c-\u200f]/g, '')
    .replaceAll('ı', 'i')
    .normalize('NFC')
    .replace(/(?<![.'’])[.'’]+$/u, '');
}

function buildMonthWords(language: string): Map<string, MonthWord> {
  const words = new Map<string, MonthWord>();
  if (language === '' || Intl.DateTimeFormat.supportedLocalesOf([language]).length === 0) return words;
  const other = OTHER_CALENDARS[language];
  addMonths(words, language, 'gregory');
  if (other !== undefined) addMonths(words, language, other);
  const script = OTHER_SCRIPTS[language];
  if (script !== undefined) addMonths(words, script, 'gregory');
  for (const [word, month] of EXTRA_WORDS[language] ?? []) addWord(words, word, month, 'gregory');
  return words;
}

/** Adds the standalone form (`май`) and the form in dates (`мая`), long and short. */
function addMonths(words: Map<string, MonthWord>, language: string, calendar: Calendar): void {
  const locale = `${language}-u-ca-${calendar}-nu-latn`;
  for (const month of ['long', 'short'] as const) {
    for (const options of [{ month }, { month, day: 'numeric', year: 'numeric' }] as const) {
      const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
      const numbers = new Intl.DateTimeFormat(`en-u-ca-${calendar}`, { month: 'numeric', timeZone: 'UTC' });
      for (let day = 0; day < 360; day += 14) {
        const date = new Date(Date.UTC(2023, 0, 5 + day));
        const word = format.formatToParts(date).find((part) => part.type === 'month')?.value;
        const number = Number(numbers.format(date));
        if (word !== undefined && number >= 1 && number <= 12) addWord(words, word, number, calendar);
      }
    }
  }
}

function addWord(words: Map<string, MonthWord>, word: string, month: number, calendar: Calendar): void {
  const folded = foldWord(word);
  if (/^\d*$|^\d+\D$/.test(folded) || words.has(folded)) return;
  words.set(folded, { month, calendar });
}
