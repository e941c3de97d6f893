/** Where a text may be cut, best first. Each matches the characters before the cut. */
const CUTS: readonly RegExp[] = [/\n\n/g, /\n/g, /[.!?…](?=\s)|[。！？]/g, /\s/g];
/** A piece has at least this share of the limit, if a worse place to cut allows it. */
const LEAST = 0.5;

/**
 * Cuts a text into pieces of at most `limit` characters: between paragraphs, else lines, sentences or words, else anywhere
 * but within a character. White space at the cuts is left out.
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
