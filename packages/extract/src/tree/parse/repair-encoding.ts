/**
 * Text that was UTF-8, decoded as ISO-8859-1 or windows-1252 and encoded again: "itâ€™s" for "it’s". Servers and
 * archives store pages like that, often with sound text beside the broken text.
 */

/** The characters that windows-1252 has in place of C1 controls, with their bytes. */
const WINDOWS_1252: ReadonlyMap<string, number> = new Map(
  Array.from('€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ', (character, index) => [character, 0x80 + index]),
);
const LETTERS = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';

/**
 * The bytes of one character, each as a character. Windows-1252 counts only where no sound text looks the same: as
 * punctuation (`â€™`) and behind `Ã`; `É”` is a letter before a quotation mark.
 */
const SEQUENCE = new RegExp(
  `[\\u00c2-\\u00df][\\u0080-\\u00bf]|Ã[${LETTERS}]|â[€‚„][\\u0080-\\u00bf${LETTERS}]|` +
    '[\\u00e0-\\u00ef][\\u0080-\\u00bf]{2}|[\\u00f0-\\u00f4][\\u0080-\\u00bf]{3}',
  'g',
);
/** Several of them side by side. */
const RUN = new RegExp(`(?:${SEQUENCE.source})+`, 'g');

/** First characters of the sequences of most scripts: looking for one of them takes a tenth of a match. */
const COMMON_LEADS = 'â Ã Â Ð ã å æ ì Ø × Î à'.split(' ');
/** What nearly every page lacks. */
const SUSPECT = /[\u0080-\u009f]|â[€‚„]/;
const CONTROLS = /[\u0080-\u009f]/g;
/** Sequences that sound text never has: a control character in them, or punctuation of windows-1252. */
const CERTAIN = /[\u0080-\u009f]|â[€‚„]/;
/** Sequences that sound text hardly has, taken where the page has certain ones too. `É®` and `é »` are sound. */
const LIKELY = /^(?:[ÂÃ].|[\u00c4-\u00df][\u00a1-\u00a7\u00aa\u00b1-\u00b6\u00b8-\u00ba\u00bc-\u00bf])$/;

/**
 * Returns the text with such characters repaired, and the same string when it has none. A page with as many control
 * characters outside of valid sequences as there are certain sequences is in some other encoding and stays as it is.
 */
export function repairEncoding(text: string): string {
  if (!COMMON_LEADS.some((lead) => text.includes(lead)) || !SUSPECT.test(text)) return text;
  const certain = (text.match(SEQUENCE) ?? []).filter((sequence) => CERTAIN.test(sequence));
  const controls = countControls(text) - countControls(certain.join(''));
  if (certain.length <= controls) return text;
  return text.replace(RUN, repairRun);
}

/** Letters of other scripts stand side by side: what is likely only alone is certain there. */
function repairRun(run: string): string {
  const sequences = run.match(SEQUENCE)!;
  if (sequences.length > 1 || CERTAIN.test(run) || LIKELY.test(run)) return sequences.map(decode).join('');
  return run;
}

function countControls(text: string): number {
  return text.match(CONTROLS)?.length ?? 0;
}

/** The character whose UTF-8 bytes these are; the sequence itself where UTF-8 allows no such bytes. */
function decode(sequence: string): string {
  const lead = toByte(sequence[0]!);
  let code = lead & (0xff >> (sequence.length + 1));
  for (let i = 1; i < sequence.length; i++) code = (code << 6) | (toByte(sequence[i]!) & 0x3f);
  const isOverlong = code < LEAST[sequence.length]!;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isOverlong || isSurrogate || code > 0x10_ffff ? sequence : String.fromCodePoint(code);
}

/** The least code point that takes so many bytes. */
const LEAST = [0, 0, 0x80, 0x800, 0x1_0000];

function toByte(character: string): number {
  return WINDOWS_1252.get(character) ?? character.charCodeAt(0);
}
