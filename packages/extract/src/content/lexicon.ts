/**
 * Learned weights of class, id and element names: how much a name on a block's own elements (level 0), on the
 * scope above (1), the next (2) and any further out (3) speaks for content. Log-odds, see `training/`.
 */
export type Lexicon = ReadonlyMap<string, Float32Array>;

/** Names as `ElementNames.listTokens` gives them, with their weights. */
const HUNDREDTHS = 100;

/** Reads a lexicon from lines of a name and its weights in hundredths, apart by spaces. */
export function parseLexicon(text: string): Lexicon {
  const lexicon = new Map<string, Float32Array>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [name, ...weights] = line.split(' ');
    lexicon.set(
      name!,
      Float32Array.from(weights, (weight) => Number(weight) / HUNDREDTHS),
    );
  }
  return lexicon;
}
