import type { ContentBlock } from '../../types/extraction.ts';
import { BLOCK, DROPPED, TAG, TAG_FLAGS, TEXT } from '../../tree/tags.ts';
import { getTextContent, type Attribute, type Tree } from '../../tree/tree.ts';
import { CHAR_CLASS, DENSE, DIGIT, JOINER, LOWER, PUNCTUATION, SPACE, UPPER } from '../words/char-classes.ts';
import { getHiddenBits } from '../../tree/hiding/hidden.ts';
import { codeAt } from '../../tree/code-at.ts';
import { readAscii } from '../../tree/read-ascii.ts';
import { FAMILY_BITS, hashWord } from '../words/word-families.ts';

/** The page's text as blocks: runs of text without block elements inside, one row of `STRIDE` integers each. */
export interface Blocks {
  readonly count: number;
  readonly rows: Int32Array;
  /** Hashes of each block's first `WORDS_KEPT` words. */
  readonly firstWords: Int32Array;
  /** Number of blocks whose first word is before node `i`; `tree.size + 1` entries. */
  readonly before: Int32Array;
  /** `RUN_STRIDE` numbers each. */
  readonly symbolRuns: number[];
  /** Nodes of `<img>`, `<input>` (not hidden), `<button>`, `<p>`, in document order. */
  readonly images: number[];
  readonly inputs: number[];
  readonly buttons: number[];
  readonly paragraphs: number[];
}

/** First and one past the last text node, and the lowest element around them. */
export const FIRST = 0;
export const END = 1;
export const ELEMENT = 2;
/** Two letters of a script without spaces count as one word. */
export const WORDS = 3;
/** Words as counted for word F1. */
export const TOKENS = 4;
export const LINK_WORDS = 5;
export const BOLD_WORDS = 6;
export const CAPITALIZED = 7;
export const NUMBERS = 8;
export const LETTERS = 9;
export const UPPERS = 10;
export const STOPS = 11;
export const COMMAS = 12;
export const SYMBOLS = 13;
export const TITLE_WORDS = 14;
export const HASH = 15;
/** Class of the last visible character: 0 none, 1 stop, 2 colon, 3 other punctuation, 4 word. */
export const LAST = 16;
/** 1 for a capital, 2 for a digit as first letter. */
export const OPENING = 17;
/** Hidden bits of all ancestors, see `hidden.ts`. */
export const HIDDEN = 18;
/** See `word-families.ts`. */
export const FAMILIES = 19;
export const PRICES = 20;
export const LINKS = 21;
/** Tag code of the nearest block element. */
export const HOLDER = 22;
export const NOSCRIPT = 23;
export const CODE_WORDS = 24;
export const STRIDE = 25;

/** Nodes and lowest element of a symbol run, and the number of blocks before it. */
export const RUN_FIRST = 0;
export const RUN_END = 1;
export const RUN_ELEMENT = 2;
export const RUN_BEFORE = 3;
export const RUN_HIDDEN = 4;
/** Place of the run: `RUN_IN_LINK`, `RUN_IN_CODE`, `RUN_IN_BUTTON`. */
export const RUN_PLACE = 5;
export const RUN_STRIDE = 6;
export const RUN_IN_LINK = 1;
export const RUN_IN_CODE = 2;
export const RUN_IN_BUTTON = 4;

export const WORDS_KEPT = 8;

const NONE = -1;

const MARK_STOP = 1;
const MARK_COMMA = 2;
const MARK_CURRENCY = 3;
const MARK_COLON = 4;

const MARK_CHARS: readonly (readonly [number, string])[] = [
  [MARK_STOP, '.!?…。！？؟।'],
  [MARK_COMMA, ',;、，；،'],
  [MARK_CURRENCY, '$€£¥₹₽₩₺₫฿₴₦'],
  [MARK_COLON, ':：'],
];

/** Kind of each punctuation mark, by UTF-16 code unit. */
const MARKS: Uint8Array = new Uint8Array(65536);
for (const [mark, chars] of MARK_CHARS) for (const char of chars) MARKS[char.charCodeAt(0)] = mark;

/** Sums over the blocks before each block, and over all. */
export function sumUp(count: number, measure: (block: number) => number): Float64Array {
  const sums = new Float64Array(count + 1);
  for (let block = 0; block < count; block++) sums[block + 1] = sums[block] + measure(block);
  return sums;
}

export function locateBlock({ rows }: Blocks, block: number): ContentBlock {
  const row = block * STRIDE;
  return { first: rows[row + FIRST], end: rows[row + END], element: rows[row + ELEMENT] };
}

export function listBlocks(blocks: Blocks): ContentBlock[] {
  return Array.from({ length: blocks.count }, (_, block) => locateBlock(blocks, block));
}

export function findBlocks(tree: Tree): Blocks {
  return new BlockScanner(tree).scan();
}

class BlockScanner {
  readonly #tree: Tree;
  readonly #before: Int32Array;
  readonly #symbolRuns: number[] = [];
  readonly #images: number[] = [];
  readonly #inputs: number[] = [];
  readonly #buttons: number[] = [];
  readonly #paragraphs: number[] = [];
  readonly #titleWords = new Set<number>();
  #rows: Int32Array = new Int32Array(STRIDE * 128);
  #firstWords: Int32Array = new Int32Array(WORDS_KEPT * 128);
  #count = 0;

  // The open block: row offset (-1: none) and end of its element.
  #row = -1;
  #openEnd = 0;

  // The current word, which may span text nodes (`<b>W</b>ord`).
  #length = 0;
  #dense = 0;
  #hash = 0;
  #first = SPACE;
  #last = SPACE;

  // Ends of open elements by kind: node `i` is inside iff `i < end`.
  #link = 0;
  #linkEnd = 0;
  #lastLink = 0;
  #boldEnd = 0;
  #codeEnd = 0;
  #noscriptEnd = 0;
  #buttonEnd = 0;

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#before = new Int32Array(tree.size + 1);
  }

  scan(): Blocks {
    const { tag, end, parent, size, attributes } = this.#tree;
    const before = this.#before;
    const holder = new Int32Array(size);
    const hidden = new Uint8Array(size);
    let lineBroken = false;
    for (let i = 1; i < size; i++) {
      if (this.#row >= 0 && i >= this.#openEnd) this.#close();
      before[i] = this.#countBegun();
      const code = tag[i];
      const above = parent[i];
      if (code === TEXT) {
        if (!hasNonSpace(this.#tree.value[i])) {
          this.#endWord();
          continue;
        }
        const block = holder[above];
        if (this.#row < 0 || this.#rows[this.#row + ELEMENT] !== block) {
          this.#close();
          this.#openBlock(i, block, hidden[above]);
        }
        lineBroken = false;
        this.#scanText(i);
        continue;
      }
      hidden[i] = hidden[above];
      if (attributes[i] !== undefined || code === TAG.dialog) hidden[i] |= getHiddenBits(this.#tree, i);
      const flags = TAG_FLAGS[code];
      if ((flags & BLOCK) !== 0) {
        holder[i] = i;
        this.#close();
        before[i] = this.#count;
        this.#noteBlockElement(i, code);
        continue;
      }
      holder[i] = holder[above];
      if ((flags & DROPPED) !== 0) {
        if (code === TAG.title && this.#titleWords.size === 0) this.#readTitle(i);
        if (code === TAG.template) continue;
        for (const last = end[i]; i + 1 < last; i++) before[i + 1] = before[i];
        continue;
      }
      if (code === TAG.br) {
        if (lineBroken) this.#close();
        lineBroken = true;
        this.#endWord();
      } else {
        this.#noteInlineElement(i, code);
      }
    }
    this.#close();
    before[size] = this.#count;
    return {
      count: this.#count,
      rows: this.#rows,
      firstWords: this.#firstWords,
      before,
      symbolRuns: this.#symbolRuns,
      images: this.#images,
      inputs: this.#inputs,
      buttons: this.#buttons,
      paragraphs: this.#paragraphs,
    };
  }

  #countBegun(): number {
    const begun = this.#row >= 0 && (this.#length > 0 || this.#rows[this.#row + TOKENS] > 0);
    return begun ? this.#count + 1 : this.#count;
  }

  #noteBlockElement(node: number, code: number): void {
    const end = this.#tree.end[node];
    if (code === TAG.p) this.#paragraphs.push(node);
    else if (code === TAG.button) {
      this.#buttons.push(node);
      this.#buttonEnd = Math.max(this.#buttonEnd, end);
    } else if (code === TAG.noscript) this.#noscriptEnd = Math.max(this.#noscriptEnd, end);
    else if (code === TAG.pre) this.#codeEnd = Math.max(this.#codeEnd, end);
  }

  #noteInlineElement(node: number, code: number): void {
    const end = this.#tree.end[node];
    if (code === TAG.a) {
      this.#endWord();
      if (node >= this.#linkEnd && !isAnchor(this.#tree.attributes[node])) {
        this.#link = node;
        this.#linkEnd = end;
      }
    } else if (code === TAG.b || code === TAG.strong) this.#boldEnd = Math.max(this.#boldEnd, end);
    else if (code === TAG.code) this.#codeEnd = Math.max(this.#codeEnd, end);
    else if (code === TAG.img) {
      this.#images.push(node);
      this.#endWord();
    } else if (code === TAG.input) this.#inputs.push(node);
  }

  #openBlock(node: number, block: number, hiddenBits: number): void {
    const row = this.#count * STRIDE;
    if (row + STRIDE > this.#rows.length) {
      const larger = new Int32Array(this.#rows.length * 2);
      larger.set(this.#rows);
      this.#rows = larger;
      const moreWords = new Int32Array(this.#firstWords.length * 2);
      moreWords.set(this.#firstWords);
      this.#firstWords = moreWords;
    }
    this.#rows.fill(0, row, row + STRIDE);
    this.#rows[row + FIRST] = node;
    this.#rows[row + ELEMENT] = block;
    this.#rows[row + HOLDER] = this.#tree.tag[block];
    this.#rows[row + HIDDEN] = hiddenBits;
    this.#rows[row + NOSCRIPT] = node < this.#noscriptEnd ? 1 : 0;
    this.#row = row;
    this.#openEnd = this.#tree.end[block];
    this.#last = SPACE;
    this.#lastLink = 0;
  }

  /** Ends the open block; a run without a word (bullets, separators, brackets) is only recorded. */
  #close(): void {
    this.#endWord();
    if (this.#row >= 0) {
      this.#lowerElement();
      if (this.#rows[this.#row + TOKENS] > 0) this.#count++;
      else this.#recordSymbolRun();
    }
    this.#row = -1;
  }

  #recordSymbolRun(): void {
    const rows = this.#rows;
    const row = this.#row;
    const first = rows[row + FIRST];
    const place =
      (rows[row + LINKS] > 0 ? RUN_IN_LINK : 0) |
      (first < this.#codeEnd ? RUN_IN_CODE : 0) |
      (first < this.#buttonEnd ? RUN_IN_BUTTON : 0);
    this.#symbolRuns.push(first, rows[row + END], rows[row + ELEMENT], this.#count, rows[row + HIDDEN], place);
  }

  #lowerElement(): void {
    const { parent, end } = this.#tree;
    const rows = this.#rows;
    const last = rows[this.#row + END] - 1;
    let element = parent[rows[this.#row + FIRST]];
    while (end[element] <= last) element = parent[element];
    rows[this.#row + ELEMENT] = element;
  }

  #scanText(node: number): void {
    const text = this.#tree.value[node];
    const rows = this.#rows;
    const row = this.#row;
    rows[row + END] = node + 1;
    if (node < this.#linkEnd && this.#lastLink !== this.#link) {
      this.#lastLink = this.#link;
      rows[row + LINKS]++;
    }
    const tokensBefore = rows[row + WORDS];
    const size = text.length;
    const firstClass = CHAR_CLASS[codeAt(text, 0)];
    if (this.#last === LOWER && (firstClass === UPPER || firstClass === DIGIT)) this.#endWord();
    // Local variables: writing to object and row for each character took a sixth of the scan.
    let length = this.#length;
    let dense = this.#dense;
    let hash = this.#hash;
    let last = NONE;
    let letters = 0;
    let uppers = 0;
    const bytes = readAscii(text);
    for (let k = 0; k < size; k++) {
      const char = bytes === undefined ? codeAt(text, k) : bytes[k];
      const kind = CHAR_CLASS[char];
      if (kind === JOINER) continue;
      if (kind === SPACE || kind === PUNCTUATION) {
        if (length > 0) {
          this.#length = length;
          this.#dense = dense;
          this.#hash = hash;
          length = dense = hash = 0;
          if (kind === SPACE) this.#endWord();
        }
        if (kind === PUNCTUATION) {
          last = NONE;
          this.#readMark(char);
        }
        continue;
      }
      if (length === 0) {
        this.#first = kind;
        if (letters === 0 && rows[row + LETTERS] === 0)
          rows[row + OPENING] = kind === UPPER ? 1 : kind === DIGIT ? 2 : 0;
      }
      length++;
      letters++;
      if (kind === UPPER) uppers++;
      else if (kind === DENSE) dense++;
      hash = (Math.imul(hash, 31) + (kind === UPPER && char < 0xdf ? char + 32 : char)) | 0;
      last = kind;
      if (bytes === undefined) continue;
      // Lower-case letters need none of the checks above, which take a third of the scan.
      const start = k;
      while (k + 1 < size && CHAR_CLASS[bytes[k + 1]] === LOWER) hash = (Math.imul(hash, 31) + bytes[++k]) | 0;
      if (k === start) continue;
      length += k - start;
      letters += k - start;
      last = LOWER;
    }
    this.#length = length;
    this.#dense = dense;
    this.#hash = hash;
    if (last !== NONE) this.#last = last;
    rows[row + LETTERS] += letters;
    rows[row + UPPERS] += uppers;
    const added = rows[row + WORDS] - tokensBefore + (this.#length > 0 ? 1 : 0);
    if (node < this.#linkEnd) rows[row + LINK_WORDS] += added;
    if (node < this.#boldEnd) rows[row + BOLD_WORDS] += added;
    if (node < this.#codeEnd) rows[row + CODE_WORDS] += added;
  }

  #readMark(char: number): void {
    const rows = this.#rows;
    const row = this.#row;
    const wasWord = this.#length > 0;
    if (wasWord) this.#endWord();
    const mark = MARKS[char];
    this.#last = PUNCTUATION;
    rows[row + LAST] = mark === MARK_STOP ? 1 : mark === MARK_COLON ? 2 : 3;
    if (mark === MARK_STOP) rows[row + STOPS] += wasWord ? 1 : 0;
    else if (mark === MARK_COMMA) rows[row + COMMAS]++;
    else if (mark === MARK_CURRENCY) rows[row + PRICES]++;
    else rows[row + SYMBOLS]++;
  }

  #endWord(): void {
    if (this.#length === 0) return;
    const rows = this.#rows;
    const row = this.#row;
    const hash = this.#hash;
    const index = rows[row + TOKENS]++;
    if (index < WORDS_KEPT) this.#firstWords[this.#count * WORDS_KEPT + index] = hash;
    rows[row + WORDS] += this.#dense > 2 ? (this.#dense + 1) >> 1 : 1;
    if (this.#first === UPPER) rows[row + CAPITALIZED]++;
    else if (this.#first === DIGIT) rows[row + NUMBERS]++;
    if (this.#titleWords.has(hash)) rows[row + TITLE_WORDS]++;
    rows[row + HASH] = (Math.imul(rows[row + HASH], 1000003) + hash) | 0;
    const families = FAMILY_BITS.get(hash);
    if (families !== undefined) rows[row + FAMILIES] |= families;
    rows[row + LAST] = 4;
    this.#length = this.#dense = this.#hash = 0;
  }

  #readTitle(node: number): void {
    const text = getTextContent(this.#tree, node).slice(0, 1000).toLowerCase();
    for (const word of text.match(/[\p{L}\p{N}_]+/gu) ?? []) this.#titleWords.add(hashWord(word));
  }
}

/** The target of links, which old pages leave open around whole texts. */
function isAnchor(attributes: readonly Attribute[] | undefined): boolean {
  return attributes === undefined || attributes.every(({ name }) => name === 'name' || name === 'id');
}

function hasNonSpace(text: string): boolean {
  const { length } = text;
  for (let k = 0; k < length; k++) if (CHAR_CLASS[codeAt(text, k)] !== SPACE) return true;
  return false;
}
