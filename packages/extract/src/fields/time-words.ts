/** How languages write a time of day beside "15:20" and "3:20 pm". */

/** Words behind a time that put it in one half of the day. */
const AFTERNOON_BEHIND =
  'p\\.?\\s?m\\.?|μ\\.?\\s?μ\\.?|م\\.?|مساءً?ا?|ظهر(?:ا|اً|ًا)|عصر(?:ا|اً|ًا)|ب\\.?ظ|بعد\\s?از\\s?ظهر|अपराह्न|ch|chiều|tối|öğleden sonra';
const MORNING_BEHIND = 'a\\.?\\s?m\\.?|π\\.?\\s?μ\\.?|ص\\.?|صباح(?:ا|اً|ًا)|ق\\.?ظ|पूर्वाह्न|sa|sáng';
const HALF_BEHIND = new RegExp(
  `(?<=(?<!\\d)\\d{1,2}:\\d{2}(?::\\d{2})?)\\s?(?:(${AFTERNOON_BEHIND})|(?:${MORNING_BEHIND}))(?![\\p{L}\\p{M}])`,
  'giu',
);

/** "kl. 10.20" and "10.20 Uhr": a point parts the minutes where words beside them say that it is a time. */
const POINT_BEHIND_WORD =
  /(?<=(?<!\p{L})(?:kl\.?|klo|klokken|alle|ore|pukul|jam|um|เวลา)\s?)(\d{1,2})\.([0-5]\d)(?!\d|\.\d)/giu;
const POINT_BEFORE_WORD =
  /(?<![\d.])(\d{1,2})\.([0-5]\d)(?=\s?(?:uhr|uur|น\.|น(?!\p{L})|wib|wita|wit|hrs|[ap]\.?m|gmt|bst)(?!\p{L}))/giu;
const DIGIT = /\d/;

/** Writes times as "3:20 pm" and "15:20" where a text writes them in the way of its language. */
export function writeTimesAlike(text: string): string {
  if (!DIGIT.test(text)) return text;
  return text
    .replace(POINT_BEHIND_WORD, '$1:$2')
    .replace(POINT_BEFORE_WORD, '$1:$2')
    .replace(HALF_BEHIND, (_, afternoon: string | undefined) => (afternoon === undefined ? ' am' : ' pm'));
}

/** Words before a time that put it in one half of the day. */
export const AFTERNOON_BEFORE: RegExp = /(?:午後|下午|오후|晚上|傍晚|夜|(?<!\p{L})ös|(?<!\p{L})du\.)\s?$/iu;
export const MORNING_BEFORE: RegExp = /(?:午前|上午|早上|凌晨|오전|(?<!\p{L})öö|(?<!\p{L})de\.)\s?$/iu;
