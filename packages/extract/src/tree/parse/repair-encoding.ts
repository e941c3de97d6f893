/**
 * Repairs UTF-8 that was decoded as ISO-8859-1 or windows-1252 and encoded again: "itâ€™s" for "it’s". Often only a
 * part of a page is broken.
 */

/** Characters of windows-1252 in place of C1 controls, with their bytes. */
const WINDOWS_1252: ReadonlyMap<string, number> = new Map(
  Array.from('€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ', (character, index) => [character, 0x80 + index]),
);
const LETTERS = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';

/**
 * The bytes of one character. Windows-1252 only counts where correct text never looks so: punctuation (`â€™`) and
 * after `Ã`; `É”` may be a letter and a quotation mark.
 */
const SEQUENCE = new RegExp(
  `[\\u00c2-\\u00df][\\u0080-\\u00bf]|Ã[${LETTERS}]|â[€‚„][\\u0080-\\u00bf${LETTERS}]|` +
    '[\\u00e0-\\u00ef][\\u0080-\\u00bf]{2}|[\\u00f0-\\u00f4][\\u0080-\\u00bf]{3}',
  'g',
);
const RUN = new RegExp(`(?:${SEQUENCE.source})+`, 'g');

/** Searching for these is ten times faster than matching the pattern. */
const COMMON_LEADS = 'â Ã Â Ð ã å æ ì Ø × Î à'.split(' ');
const SUSPECT = /[\u0080-\u009f]|â[€‚„]/;
const CONTROLS = /[\u0080-\u009f]/g;
/** Sequences that correct text never has: with a control character, or punctuation of windows-1252. */
const CERTAIN = /[\u0080-\u009f]|â[€‚„]/;
/** Sequences that correct text rarely has; they count if the page has certain ones too. `É®` and `é »` are correct. */
const LIKELY = /^(?:[ÂÃ].|[\u00c4-\u00df][\u00a1-\u00a7\u00aa\u00b1-\u00b6\u00b8-\u00ba\u00bc-\u00bf])$/;

/**
 * Returns the same string if nothing is broken, or if at least as many other control characters show another encoding.
 */
export function repairEncoding(text: string): string {
  if (!COMMON_LEADS.some((lead) => text.includes(lead)) || !SUSPECT.test(text)) return text;
  const certain = (text.match(SEQUENCE) ?? []).filter((sequence) => CERTAIN.test(sequence));
  const controls = countControls(text) - countControls(certain.join(''));
  if (certain.length <= controls) return text;
  return text.replace(RUN, repairRun);
}

function repairRun(run: string): string {
  const sequences = run.match(SEQUENCE)!;
  if (sequences.length > 1 || CERTAIN.test(run) || LIKELY.test(run)) return sequences.map(decode).join('');
  return run;
}

function countControls(text: string): number {
  return text.match(CONTROLS)?.length ?? 0;
}

/** Returns invalid sequences unchanged. */
function decode(sequence: string): string {
  const lead = toByte(sequence[0]);
  let code = lead & (0xff >> (sequence.length + 1));
  for (let i = 1; i < sequence.length; i++) code = (code << 6) | (toByte(sequence[i]) & 0x3f);
  const isOverlong = code < LEAST[sequence.length];
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isOverlong || isSurrogate || code > 0x10_ffff ? sequence : String.fromCodePoint(code);
}

/** Smallest code point of a sequence by its length. */
const LEAST = [0, 0, 0x80, 0x800, 0x1_0000];

function toByte(character: string): number {
  return WINDOWS_1252.get(character) ?? character.charCodeAt(0);
}
