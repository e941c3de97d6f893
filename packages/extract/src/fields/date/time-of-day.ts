const AFTERNOON_AFTER =
  'p\\.?\\s?m\\.?|μ\\.?\\s?μ\\.?|م\\.?|مساءً?ا?|ظهر(?:ا|اً|ًا)|عصر(?:ا|اً|ًا)|ب\\.?ظ|بعد\\s?از\\s?ظهر|अपराह्न|ch|chiều|tối|öğleden sonra';
const MORNING_AFTER = 'a\\.?\\s?m\\.?|π\\.?\\s?μ\\.?|ص\\.?|صباح(?:ا|اً|ًا)|ق\\.?ظ|पूर्वाह्न|sa|sáng';
const HALF_AFTER = new RegExp(
  `(?<=(?<!\\d)\\d{1,2}:\\d{2}(?::\\d{2})?)\\s?(?:(${AFTERNOON_AFTER})|(?:${MORNING_AFTER}))(?![\\p{L}\\p{M}])`,
  'giu',
);

/** "kl. 10.20" and "10.20 Uhr": a point separates minutes only beside these words. */
const POINT_AFTER_WORD =
  /(?<=(?<!\p{L})(?:kl\.?|klo|klokken|alle|ore|pukul|jam|um|เวลา)\s?)(\d{1,2})\.([0-5]\d)(?!\d|\.\d)/giu;
const POINT_BEFORE_WORD =
  /(?<![\d.])(\d{1,2})\.([0-5]\d)(?=\s?(?:uhr|uur|น\.|น(?!\p{L})|wib|wita|wit|hrs|[ap]\.?m|gmt|bst)(?!\p{L}))/giu;
const DIGIT = /\d/;

/** Rewrites times of all languages as "3:20 pm" or "15:20". */
export function writeTimesAlike(text: string): string {
  if (!DIGIT.test(text)) return text;
  // Few texts have either character, and the expressions look back at each.
  const colons = text.includes('.')
    ? text.replace(POINT_AFTER_WORD, '$1:$2').replace(POINT_BEFORE_WORD, '$1:$2')
    : text;
  return colons.includes(':')
    ? colons.replace(HALF_AFTER, (_, afternoon: string | undefined) => (afternoon === undefined ? ' am' : ' pm'))
    : colons;
}

const AFTERNOON_BEFORE = /(?:午後|下午|오후|晚上|傍晚|夜|(?<!\p{L})ös|(?<!\p{L})du\.)\s?$/iu;
const MORNING_BEFORE = /(?:午前|上午|早上|凌晨|오전|(?<!\p{L})öö|(?<!\p{L})de\.)\s?$/iu;

/** `zone` is `Z`, `±HH:MM` or null. */
export interface Time {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly zone: string | null;
}

/** A time at most 16 characters after a date ("at", "um", "|", a weekday). */
const TIME_AFTER = /^[^\d\n]{0,16}?(\d{1,2})(?::|\s?h\s?|時|时|点|點|시\s?)(\d{2})?(?:(?::|分|분\s?)(\d{2})?)?(?!\d)/;
const TIME_BEFORE =
  /(?:^|\s)(\d{1,2}):(\d{2})(?::(\d{2}))?(\s?(?:[ap]\.?m\.?)?[\s,|·-]{0,4}(?:on\s|\p{L}{2,9},?\s)?)$/iu;

/** Words beside a duration: "5:30 listen", "Duration 12:45". */
const LENGTH_BEFORE =
  /(?<!\p{L})(?:duration|length|run ?time|dauer|laufzeit|durée|duración|duração|durata|duur|длительность)[\s:(]*$/iu;
const LENGTH_AFTER = /^[\s-]?(?:min(?:ute)?s?(?!\p{L})|(?:listen|read|watch)(?!\s*\p{L}))/iu;

export function readTime(rest: string): Time | null {
  const match = TIME_AFTER.exec(rest);
  if (match === null || match[2] === undefined) return null;
  return toTime(match, rest.slice(match[0].length));
}

/** Reads the time at the end of the text before a date. */
export function readTimeBefore(text: string): Time | null {
  const match = TIME_BEFORE.exec(text);
  return match === null ? null : toTime(match, match[4]);
}

/** Time of an ISO date, from the parts of its match (hour, minute, second, zone) and the text after it. */
export function readIsoTime(parts: readonly (string | undefined)[], rest: string): Time | null {
  const [hour, minute, second, stated] = parts;
  const zone = readZone(stated ?? '') ?? (stated === undefined ? readTrailingZone(rest) : null);
  const time = {
    hour: adjustHour(Number(hour), rest),
    minute: Number(minute),
    second: Number(second ?? 0),
    zone,
  };
  return isTime(time) && !LENGTH_AFTER.test(rest) ? time : null;
}

function toTime(match: RegExpExecArray, rest: string): Time | null {
  const timeAt = match.index + match[0].search(/\d/);
  const before = match.input.slice(Math.max(0, timeAt - 20), timeAt);
  if (LENGTH_BEFORE.test(before) || LENGTH_AFTER.test(rest)) return null;
  const stated = Number(match[1]);
  const hour = AFTERNOON_BEFORE.test(before)
    ? stated + (stated < 12 ? 12 : 0)
    : stated === 12 && MORNING_BEFORE.test(before)
      ? 0
      : stated;
  const time = {
    hour: adjustHour(hour, rest),
    minute: Number(match[2]),
    second: Number(match[3] ?? 0),
    zone: null,
  };
  if (!isTime(time)) return null;
  return match[3] === undefined && endsLater(time, rest) ? time : { ...time, zone: readTrailingZone(rest) };
}

const END = /^\s?(?:[ap]\.?m\.?)?-(\d{1,2}):(\d{2})(?!\d)(\s?[ap]\.?m\b)?/i;

/** Whether "-12:00" after "10:00" is the end of a period instead of a zone. */
function endsLater(time: Time, rest: string): boolean {
  const match = END.exec(rest);
  if (match === null) return false;
  const minutes = Number(match[1]) * 60 + Number(match[2]);
  return match[3] !== undefined || (minutes > time.hour * 60 + time.minute && minutes < 24 * 60);
}

function isTime(time: Time): boolean {
  return time.hour < 24 && time.minute < 60 && time.second < 60;
}

function adjustHour(hour: number, rest: string): number {
  const half = /^[:\d]{0,3}\s?([ap])\.?m\b/i.exec(rest)?.[1]?.toLowerCase();
  if (half === undefined || hour > 12 || hour === 0) return hour;
  return (hour % 12) + (half === 'p' ? 12 : 0);
}

/** Zone names with one meaning everywhere. */
const ZONES: Readonly<Record<string, string>> = {
  Z: 'Z',
  UTC: 'Z',
  GMT: 'Z',
  BST: '+01:00',
  WEST: '+01:00',
  CET: '+01:00',
  CEST: '+02:00',
  MEZ: '+01:00',
  MESZ: '+02:00',
  EET: '+02:00',
  EEST: '+03:00',
  MSK: '+03:00',
  МСК: '+03:00',
  SAST: '+02:00',
  EAT: '+03:00',
  PKT: '+05:00',
  WIB: '+07:00',
  ICT: '+07:00',
  WITA: '+08:00',
  HKT: '+08:00',
  SGT: '+08:00',
  WIT: '+09:00',
  JST: '+09:00',
  KST: '+09:00',
  AEST: '+10:00',
  AEDT: '+11:00',
  NZST: '+12:00',
  NZDT: '+13:00',
  EST: '-05:00',
  EDT: '-04:00',
  CDT: '-05:00',
  MST: '-07:00',
  MDT: '-06:00',
  PST: '-08:00',
  PDT: '-07:00',
};

function readTrailingZone(rest: string): string | null {
  const match =
    /^\s?(?:[ap]\.?m\.?|[AP]\.?M\.?)?,?\s?\(?((?:UTC|GMT)?\s?[+-]\d{1,2}:?\d{2}|(?:UTC|GMT)[+-]\d{1,2}|[A-ZМСК]{3,4}(?!\p{L})|Z(?!\p{L}))/u.exec(
      rest,
    );
  return match === null ? null : readZone(match[1]);
}

function readZone(text: string): string | null {
  const named = ZONES[text.toUpperCase()];
  if (named !== undefined) return named;
  const match = /([+-])(\d{1,2}):?(\d{2})?$/.exec(text);
  if (match === null) return null;
  const hours = Number(match[2]);
  const minutes = Number(match[3] ?? 0);
  if (hours > 14 || minutes > 59) return null;
  return `${match[1]}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}
