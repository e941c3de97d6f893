/** Matches characters that need cleaning, and double spaces. */
const NEEDS_CLEANING =
  /[^ !-~\u00a1-\u00ac\u00ae-\u034e\u0350-\u167f\u1681-\u180d\u180f-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff\uf900-\ufdff\uff01-\uffee]| {2}/;

/** Without U+3000, a deliberate space in Japanese and Chinese. */
const SPACES = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f]+/g;

/**
 * Invisible characters that do not affect joining: controls, soft hyphen, combining grapheme joiner, Mongolian vowel
 * separator, zero-width space, bidirectional embeddings, overrides and isolates, word joiner, invisible operators,
 * byte-order mark, object replacement.
 */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- matches each character separately
  /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u034f\u180e\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufffc]+/g;

const SMUGGLED = /[\ufe00-\ufe0f\u{e0000}-\u{e01ef}]/u;

/** Unicode tags (except in flag emoji) and stacked variation selectors can carry hidden text. */
const SMUGGLING =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})|[\u{e0000}-\u{e007f}]+|(?<=[\ufe00-\ufe0f\u{e0100}-\u{e01ef}])[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]+/gu;

const JOINER = /[\u200c\u200d]/;

/**
 * Joiners at the edge of a word, or between letters of a script that does not join. After a combining mark, a joiner
 * selects the half form of an Indic letter.
 */
const IDLE_JOINERS =
  /(?<![\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d]+|(?<!\p{M})[\u200c\u200d]+(?![\p{L}\p{M}\p{N}\p{Extended_Pictographic}])|(?<=[\p{Lu}\p{Ll}\p{N}])[\u200c\u200d]+(?=[\p{Lu}\p{Ll}\p{N}])/gu;

/** Collapses white space and removes invisible characters; keeps joiners that a script needs. */
export function collapseSpaces(text: string): string {
  if (!NEEDS_CLEANING.test(text)) return text;
  return removeInvisible(text).replace(SPACES, ' ');
}

/** Keeps white space, with LF line ends; removes invisible characters. */
export function keepSpaces(text: string): string {
  if (!NEEDS_CLEANING.test(text)) return text;
  return removeInvisible(text.replace(/\r\n?/g, '\n')).replaceAll('\u00a0', ' ');
}

function removeInvisible(text: string): string {
  const shown = text.replace(INVISIBLE, '');
  const visible = SMUGGLED.test(shown) ? shown.replace(SMUGGLING, '$1') : shown;
  return JOINER.test(visible) ? visible.replace(IDLE_JOINERS, '') : visible;
}
