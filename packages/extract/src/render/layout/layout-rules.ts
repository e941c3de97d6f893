import { BLOCK, OTHER, TAG, TAG_COUNT, TAG_FLAGS, type KnownTag } from '../../tree/tags.ts';

/** Separators between two texts; the strongest wins. */
export const GAP = {
  none: 0,
  /** A space, only between two letters or digits. */
  soft: 1,
  space: 2,
  cell: 3,
  line: 4,
  /** A blank line. */
  paragraph: 5,
} as const;

/** Each of these is a separate line. */
const LINES: readonly KnownTag[] = [
  'button',
  'caption',
  'dd',
  'dt',
  'legend',
  'li',
  'optgroup',
  'option',
  'select',
  'tbody',
  'tfoot',
  'thead',
  'tr',
];

/** Visible elements without text between words. */
const REPLACED: readonly KnownTag[] = [
  'audio',
  'canvas',
  'embed',
  'iframe',
  'img',
  'input',
  'object',
  'picture',
  'svg',
  'video',
];

export const TAG_GAP: Uint8Array = gapsByCode();

function gapsByCode(): Uint8Array {
  const gaps = new Uint8Array(256);
  for (let code = 0; code < TAG_COUNT; code++) gaps[code] = TAG_FLAGS[code] & BLOCK ? GAP.paragraph : GAP.none;
  for (const name of LINES) gaps[TAG[name]] = GAP.line;
  for (const name of REPLACED) gaps[TAG[name]] = GAP.soft;
  // Labels of tabs and choices, separated by style sheets.
  gaps[TAG.label] = GAP.soft;
  // Custom elements are assumed to separate words.
  gaps[OTHER] = GAP.soft;
  return gaps;
}
