/** Places to cut a text, best first; each pattern matches the characters before the cut. */
const CUTS: readonly RegExp[] = [/\n\n/g, /\n/g, /[.!?…](?=\s)|[。！？]/g, /\s/g];
/** For pieces below this share of the limit, worse places to cut are tried. */
const LEAST = 0.5;

/**
 * Cuts a text into pieces of at most `limit` characters: between paragraphs, else lines, sentences or words, else
 * between any two characters. Drops white space at the cuts.
 */
export function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > limit) {
    const end = start + findCut(text.slice(start, start + limit));
    addPiece(pieces, text.slice(start, end));
    start = end;
  }
  addPiece(pieces, text.slice(start));
  return pieces;
}

function addPiece(pieces: string[], text: string): void {
  const piece = text.replace(/^\s*\n/, '').trimEnd();
  if (piece.trim() !== '') pieces.push(piece);
}

function findCut(piece: string): number {
  let best = 0;
  for (const cut of CUTS) {
    for (const match of piece.matchAll(cut)) best = Math.max(best, match.index + match[0].length);
    if (best >= LEAST * piece.length) return best;
  }
  if (best > 0) return best;
  const isInPair = (piece.charCodeAt(piece.length - 1) & 0xfc00) === 0xd800;
  return isInPair && piece.length > 1 ? piece.length - 1 : piece.length;
}
