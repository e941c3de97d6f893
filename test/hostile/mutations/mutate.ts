import { SeededRandom } from '../../../bench/templates/seeded-random.ts';

/** Numbers at which lengths, indexes and sizes overflow or become arrays of gigabytes. */
const NUMBERS =
  '-1 0 1 255 65535 65536 16777215 99999999 2147483647 2147483648 4294967295 4294967296 9007199254740993 1e308 NaN'.split(
    ' ',
  );

/** Longer inputs only show the limits of sizes, and take the time of many short ones. */
const MAX_LENGTH = 30_000;
const MAX_REPEATS = 300;
const MAX_PIECE = 200;

const NUMBER = /\d{1,19}/g;

/**
 * Returns the text with one to eight mutations, the same for a seed: numbers and characters are replaced, pieces are
 * removed, moved, repeated or taken from the vocabulary. Bytes go through it as Latin-1.
 * @param vocabulary pieces with a meaning in the format, such as tags or operators
 */
export function mutate(text: string, vocabulary: readonly string[], seed: number): string {
  const random = new SeededRandom(seed);
  let result = text;
  for (let left = random.between(1, 8); left > 0; left -= 1) result = mutateOnce(result, vocabulary, random);
  return result.slice(0, MAX_LENGTH);
}

function mutateOnce(text: string, vocabulary: readonly string[], random: SeededRandom): string {
  const at = random.between(0, text.length);
  const piece = text.slice(at, at + random.between(1, MAX_PIECE));
  const insert = (place: number, inserted: string): string => text.slice(0, place) + inserted + text.slice(place);
  switch (random.between(0, 7)) {
    case 0:
    case 1:
      return replaceNumber(text, random);
    case 2:
      return text.slice(0, at) + String.fromCharCode(random.between(0, 255)) + text.slice(at + 1);
    case 3:
      return text.slice(0, at) + text.slice(at + piece.length);
    case 4:
      return insert(random.between(0, text.length), piece);
    case 5:
      return insert(at, pick(vocabulary, random));
    case 6:
      return insert(at, pick(vocabulary, random).repeat(random.between(1, MAX_REPEATS)));
    default:
      return insert(at, piece.repeat(Math.min(random.between(1, MAX_REPEATS), MAX_LENGTH / MAX_PIECE)));
  }
}

function replaceNumber(text: string, random: SeededRandom): string {
  const found = [...text.matchAll(NUMBER)];
  const chosen = found[random.between(0, found.length - 1)];
  if (chosen === undefined) return text;
  return text.slice(0, chosen.index) + pick(NUMBERS, random) + text.slice(chosen.index + chosen[0].length);
}

function pick(items: readonly string[], random: SeededRandom): string {
  return items[random.between(0, items.length - 1)] ?? '';
}
