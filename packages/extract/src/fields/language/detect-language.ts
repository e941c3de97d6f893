import { rankLanguages } from './rank-languages.ts';

const MIN_LETTERS = 40;
const SAMPLE_LENGTH = 1_200;
/** The detector's cost grows with its sample; half this length is reliable. */
const DETECTOR_SAMPLE = 700;

const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/[\u3040-\u30ff]/g, 'ja'],
  [/[\uac00-\ud7af\u1100-\u11ff]/g, 'ko'],
  [/[\u0e00-\u0e7f]/g, 'th'],
  [/[\u0590-\u05ff]/g, 'he'],
  [/[\u0370-\u03ff]/g, 'el'],
  [/[\u10a0-\u10ff]/g, 'ka'],
  [/[\u0530-\u058f]/g, 'hy'],
  [/[\u0980-\u09ff]/g, 'bn'],
  [/[\u0a00-\u0a7f]/g, 'pa'],
  [/[\u0a80-\u0aff]/g, 'gu'],
  [/[\u0b80-\u0bff]/g, 'ta'],
  [/[\u0c00-\u0c7f]/g, 'te'],
  [/[\u0c80-\u0cff]/g, 'kn'],
  [/[\u0d00-\u0d7f]/g, 'ml'],
  [/[\u0d80-\u0dff]/g, 'si'],
  [/[\u0e80-\u0eff]/g, 'lo'],
  [/[\u1000-\u109f]/g, 'my'],
  [/[\u1200-\u137f]/g, 'am'],
  [/[\u1780-\u17ff]/g, 'km'],
];
const HAN = /[\u3400-\u9fff]/g;
const LETTER = /\p{L}/gu;
const LETTERS = /\p{L}+/gu;
const SURROGATE = /[\ud800-\udfff]/;

/**
 * Detector codes (ISO 639-3) to BCP 47, without rare languages, which mislead the detector. `scripts/write-trigrams.ts`
 * writes the data of a new one.
 */
export const SHARED_SCRIPTS: readonly SharedScript[] = [
  {
    script: 'Latin',
    pattern: /[\u0041-\u024f\u1e00-\u1eff]{1,99}/g,
    languages: {
      eng: 'en',
      spa: 'es',
      fra: 'fr',
      deu: 'de',
      ita: 'it',
      por: 'pt',
      nld: 'nl',
      pol: 'pl',
      swe: 'sv',
      dan: 'da',
      nob: 'no',
      fin: 'fi',
      tur: 'tr',
      ces: 'cs',
      ron: 'ro',
      hun: 'hu',
      vie: 'vi',
      ind: 'id',
      cat: 'ca',
      hrv: 'hr',
      slk: 'sk',
      slv: 'sl',
      lit: 'lt',
      lvs: 'lv',
      ekk: 'et',
      afr: 'af',
      swh: 'sw',
      tgl: 'tl',
      zlm: 'ms',
      azj: 'az',
      uzn: 'uz',
      glg: 'gl',
    },
  },
  {
    script: 'Cyrillic',
    pattern: /[\u0400-\u052f]{1,99}/g,
    languages: { rus: 'ru', ukr: 'uk', bul: 'bg', bel: 'be', srp: 'sr', mkd: 'mk', kaz: 'kk' },
  },
  {
    script: 'Arabic',
    pattern: /[\u0600-\u06ff\u0750-\u077f]{1,99}/g,
    languages: { arb: 'ar', pes: 'fa', urd: 'ur', pbu: 'ps' },
  },
  { script: 'Devanagari', pattern: /[\u0900-\u097f]{1,99}/g, languages: { hin: 'hi', mar: 'mr', npi: 'ne' } },
];

interface SharedScript {
  /** Name in `trigrams.ts`. */
  readonly script: string;
  /** Matches runs of its characters; bounded only for the linter. */
  readonly pattern: RegExp;
  readonly languages: Readonly<Record<string, string>>;
}

/** Frequent words by language. */
const COMMON_WORDS: Readonly<Record<string, string>> = {
  en: 'the and of to that with for this you your are is from have how',
  es: 'el los las una del por para con que más como está muy según y',
  fr: 'les des une est dans pour que qui sur pas avec vous nous plus du',
  de: 'der die das und ist nicht ein eine mit von für auf den sich im',
  it: 'il che di della per non una con sono gli nel anche più e le',
  pt: 'os uma não do da para com que em mais você dos são e as',
  ca: 'el els la les amb per que més és van al un una del dels aquest també com segons ha',
  nl: 'het een van de en dat niet voor met zijn op aan ook naar om',
  pl: 'się nie jest na do że przez oraz dla jak czy są który w i',
  sv: 'och att det som en för är på inte med av till har år i',
  da: 'og at det er ikke en til af på for med der den i år',
  no: 'og å det er ikke en til av på for med som den i fra',
  fi: 'ja on ei se että oli hän mutta myös kun ovat tai mukaan joka vuonna',
  et: 'ja on ei see et oli ta aga ka kui või mis järgmisel aasta oma',
  tr: 've bir bu için ile da de olarak daha çok olan gibi en ne',
  cs: 'se na je že to v s do ale jako pro jsou který podle k',
  sk: 'sa na je že to v s do ale ako pre sú ktorý podľa k',
  sl: 'se na je da in v z za ki ne so tudi pa od po',
  hr: 'se na je da i u s za koji ne su od kao što će',
  hu: 'az és hogy nem egy van meg szerint csak még volt vagy mint lesz',
  ro: 'și de la în cu pe nu care este din mai sunt pentru un o',
  lt: 'ir yra kad į iš su ne bet kaip tai už jo per pasak prie',
  lv: 'un ir ka ar no uz par bet kā tas pēc gada pie arī lai',
  id: 'yang dan di untuk dengan ini dari pada itu tidak akan ke adalah dalam oleh',
  vi: 'và của là các cho trong được có không với một những đã này để',
  ru: 'и в не на что с как по это для из от он о а',
  uk: 'і в не на що з як до та це для від він про у',
  bg: 'и в не на че с за да е от се по са това',
  sr: 'и у не на да с за је од се су по као које ће',
};

/** Language of a text (BCP 47); null if too short or undecided. */
export function detectLanguage(text: string, declared: readonly string[]): string | null {
  const sample = takeSample(text);
  const words = countCommonWords(sample.toLowerCase().match(/\p{L}[\p{L}\p{M}]*/gu) ?? []);
  const bases = declared.map((tag) => normalizeBase(tag));
  for (const base of bases) if (shareOfCommonWords(words, base) >= CONFIRMING_SHARE) return base;
  const letters = countLetters(sample);
  if (letters < MIN_LETTERS) return null;
  const byScript = readScript(sample, letters);
  if (byScript !== null) return byScript;
  for (const shared of SHARED_SCRIPTS) {
    if (sumLengths(sample, shared.pattern) * 2 > letters) return chooseWithin(sample, words, shared, bases);
  }
  return null;
}

/** Letters that a language lacks; a few of them refute it. */
const FOREIGN_LETTERS: Readonly<Record<string, RegExp>> = {
  sv: /[øæõšžčñç]/gi,
  da: /[äöõšžčñç]/gi,
  no: /[äöõšžčñç]/gi,
  id: /[^\p{ASCII}\p{P}\p{S}\s]/gu,
  ms: /[^\p{ASCII}\p{P}\p{S}\s]/gu,
  es: /[äöõåøæšžčėųğşàèâêç]/gi,
  pt: /[äöåøæšžčėųğşñè]/gi,
  en: /[äöüõåøæšžčėųğşñàèâêçłęą]/gi,
  fi: /[õøæšžčñçüß]/gi,
  et: /[åøæñçß]/gi,
};

const CONFIRMING_SHARE = 0.1;
/** The beginning often has names and menus. */
function takeSample(text: string): string {
  const start = Math.min(Math.max(0, text.length - SAMPLE_LENGTH), 200);
  return text.slice(start, start + SAMPLE_LENGTH);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** Matching runs allocates fewer strings than matching letters. */
function countLetters(text: string): number {
  return SURROGATE.test(text) ? count(text, LETTER) : sumLengths(text, LETTERS);
}

function sumLengths(text: string, runs: RegExp): number {
  let sum = 0;
  for (const run of text.match(runs) ?? []) sum += run.length;
  return sum;
}

function readScript(sample: string, letters: number): string | null {
  if (!/[\u0370-\u03ff\u0530-\u05ff\u0980-\u1fff\u3040-\u9fff\uac00-\ud7af]/.test(sample)) return null;
  const han = count(sample, HAN);
  const kana = count(sample, SCRIPTS[0][0]);
  // Japanese mixes both; a Chinese text has の only in names.
  if ((han + kana) * 3 > letters) return kana * 12 > han ? 'ja' : 'zh';
  for (const [pattern, language] of SCRIPTS) if (count(sample, pattern) * 3 > letters) return language;
  return null;
}

function chooseWithin(
  sample: string,
  words: WordCounts,
  { script, languages }: SharedScript,
  bases: readonly string[],
): string | null {
  if (words.words < MIN_WORDS) return null;
  const byWords = decideByWords(words, Object.values(languages), bases);
  if (byWords !== null) return byWords;
  const only = Object.keys(languages).filter((code) => !hasForeignLetters(sample, languages[code]));
  let best: string | null = null;
  let bestScore = 0;
  for (const [code, score] of rankLanguages(sample.slice(0, DETECTOR_SAMPLE), script, only)) {
    const language = languages[code];
    if (language === undefined) continue;
    const bonus = WORDS_POINTS * Math.min(MAX_SHARE, shareOfCommonWords(words, language, 1));
    const total = score + bonus + (bases.includes(language) ? DECLARED_POINTS : 0);
    if (total > bestScore) {
      bestScore = total;
      best = language;
    }
  }
  return best;
}

const WORDS_POINTS = 3;
const MAX_SHARE = 0.3;
/** A declaration decides between relatives, not between unrelated languages. */
const DECLARED_POINTS = 0.4;

/** Returns the language with clearly the most common words, so that most texts need no detector. */
function decideByWords(words: WordCounts, languages: readonly string[], bases: readonly string[]): string | null {
  let best: string | null = null;
  let first = 0;
  let second = 0;
  for (const language of languages) {
    const share = shareOfCommonWords(words, language);
    if (share > first) {
      second = first;
      first = share;
      best = language;
    } else if (share > second) second = share;
  }
  for (const base of bases) {
    const share = shareOfCommonWords(words, base, 2);
    if (share >= HOLDING_SHARE && first <= share * 2) return base;
  }
  return first >= DECIDING_SHARE && first >= second * DECIDING_LEAD ? best : null;
}

const DECIDING_SHARE = 0.15;
/** Pages of code or tables have few common words; this share still confirms the declaration. */
const HOLDING_SHARE = 0.03;
const DECIDING_LEAD = 1.6;

function hasForeignLetters(sample: string, language: string): boolean {
  const letters = FOREIGN_LETTERS[language];
  return letters !== undefined && count(sample, letters) >= 2 + sample.length / 150;
}

const MIN_WORDS = 12;

function normalizeBase(tag: string): string {
  const base = tag.split('-')[0];
  return { nb: 'no', nn: 'no', iw: 'he', in: 'id', fil: 'tl', bs: 'hr', sh: 'hr' }[base] ?? base;
}

const LANGUAGES = Object.keys(COMMON_WORDS);

/** Indexes in `LANGUAGES` by common word. */
const LANGUAGES_OF = new Map<string, number[]>();
for (const [place, language] of LANGUAGES.entries()) {
  for (const word of new Set(COMMON_WORDS[language].split(' '))) {
    // Single Latin letters also occur in formulas, lists and counts ("2.1k").
    if (word.length === 1 && word <= 'z') continue;
    const known = LANGUAGES_OF.get(word);
    if (known === undefined) LANGUAGES_OF.set(word, [place]);
    else known.push(place);
  }
}

/** By index in `LANGUAGES`. */
interface WordCounts {
  readonly words: number;
  readonly hits: Uint16Array;
  readonly distinct: Uint16Array;
}

function countCommonWords(words: readonly string[]): WordCounts {
  const hits = new Uint16Array(LANGUAGES.length);
  const distinct = new Uint16Array(LANGUAGES.length);
  const seen = new Set<string>();
  for (const word of words) {
    const languages = LANGUAGES_OF.get(word);
    if (languages === undefined) continue;
    const isNew = !seen.has(word);
    if (isNew) seen.add(word);
    for (const place of languages) {
      hits[place]++;
      if (isNew) distinct[place]++;
    }
  }
  return { words: words.length, hits, distinct };
}

/** Returns 0 if too few different words are common. */
function shareOfCommonWords({ words, hits, distinct }: WordCounts, language: string, atLeast = 4): number {
  const place = LANGUAGES.indexOf(language);
  if (place < 0 || words < MIN_WORDS) return 0;
  return distinct[place] >= Math.min(atLeast, words / 8) ? hits[place] / words : 0;
}
