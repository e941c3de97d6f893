import type { Cell, Table } from './find-tables.ts';
import { isSpaced, type Line } from './lines.ts';
import { isLine, isTable, type Flow } from './order-columns.ts';
import { greatestOf, leastOf, median } from './page-content.ts';

export interface Inline {
  readonly text: string;
  readonly href?: string | undefined;
}

interface TextBlock<Kind> {
  readonly kind: Kind;
  readonly inlines: readonly Inline[];
  readonly size: number;
  readonly isBold: boolean;
}

export type Heading = TextBlock<'heading'>;

export type Block =
  | Heading
  | TextBlock<'paragraph'>
  | {
      readonly kind: 'item';
      readonly inlines: readonly Inline[];
      readonly size: number;
      readonly marker: Marker;
      readonly indent: number;
    }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly BlockCell[])[] };

export interface BlockCell extends Omit<Cell, 'lines'> {
  readonly inlines: readonly Inline[];
}

/** Null for a bullet. */
interface Marker {
  readonly number: number | null;
}

/** Relative to the size of the text. */
const HEADING_SIZE = 1.12;
const MAX_HEADING_LENGTH = 250;
const MAX_BOLD_HEADING_LENGTH = 120;
/** Relative to the usual gap; a larger one ends a paragraph. */
const PARAGRAPH_GAP = 1.3;
/** In font sizes. */
const INDENT = 0.8;

const BULLET = /^([•◦▪‣■□●○◆➢✓\u{F0B7}\u{F0A7}\u{F0D8}–—-]) (?=.)/u;
const NUMBERED = /^\(?(\d{1,3})[.)] (?=.)/;
const SENTENCE_END = /[.!?:;…。！？؟۔]["'”’»)\]]*$/u;

/** Properties of the whole document. */
export interface TextFacts {
  /** Font size of most text. */
  readonly bodySize: number;
  /** Lower-case words within lines, which show how divided words are spelled. */
  readonly words: ReadonlySet<string>;
}

export function buildBlocks(flow: Flow, facts: TextFacts): Block[] {
  const lines = flow.filter(isLine);
  const measure = measureColumn(lines);
  const blocks: Block[] = [];
  let open: Line[] = [];
  const close = (): void => {
    if (open.length > 0) blocks.push(toBlock(open, measure, facts));
    open = [];
  };
  for (const [index, part] of flow.entries()) {
    if (isTable(part)) {
      close();
      blocks.push(toTableBlock(part, facts));
      continue;
    }
    const next = flow[index + 1];
    if (open.length > 0 && begins(part, open, measure, next === undefined || isTable(next) ? undefined : next)) close();
    open.push(part);
  }
  close();
  return blocks;
}

interface Measure {
  readonly start: number;
  readonly end: number;
  readonly leading: number;
}

/** Returns the start of a line, mirrored for right-to-left text. */
function startOf(line: Line): number {
  return line.isRtl ? -line.x1 : line.x0;
}

function endOf(line: Line): number {
  return line.isRtl ? -line.x0 : line.x1;
}

function measureColumn(lines: readonly Line[]): Measure {
  const steps = lines.slice(1).map((line, index) => (line.y - (lines[index]?.y ?? 0)) / line.size);
  return {
    start: leastOf(lines, startOf),
    end: greatestOf(lines, endOf),
    leading: median(steps.filter((step) => step > 0.5 && step < 3)) || 1.2,
  };
}

/** Tests whether a line starts a new block. */
function begins(line: Line, open: readonly Line[], measure: Measure, next: Line | undefined): boolean {
  const before = open.at(-1) ?? line;
  const [first = line] = open;
  const size = Math.max(line.size, before.size);
  if (Math.abs(line.size - before.size) > 0.12 * size) return true;
  if (line.isMono !== before.isMono) return true;
  if (line.y - before.y > PARAGRAPH_GAP * Math.min(measure.leading, 1.9) * size) return true;
  if (line.isMono) return false;
  if (readMarker(line.text) !== undefined && (readMarker(first.text) !== undefined || SENTENCE_END.test(before.text)))
    return true;
  if (line.isBold !== before.isBold && (open.every(({ isBold }) => isBold) || line.isBold)) return true;
  if (isCentred(line, before)) return false;
  return endsByIndent(line, open, measure, next);
}

function isCentred(line: Line, before: Line): boolean {
  const isAligned = Math.abs((line.x0 + line.x1) / 2 - (before.x0 + before.x1) / 2) < 0.25 * line.size;
  return isAligned && Math.abs(line.x0 - before.x0) > line.size;
}

function endsByIndent(line: Line, open: readonly Line[], measure: Measure, next: Line | undefined): boolean {
  const before = open.at(-1) ?? line;
  const isItem = readMarker(open[0]?.text ?? '') !== undefined;
  const shift = startOf(line) - startOf(before);
  const isShort = endOf(before) < measure.end - 0.2 * (measure.end - measure.start);
  const isComplete = SENTENCE_END.test(before.text);
  const indent = INDENT * line.size;
  if (shift > indent) {
    // Second lines of list items and bibliography entries are indented.
    const hangs = open.length === 1 && (isItem || (next !== undefined && Math.abs(startOf(next) - startOf(line)) < 1));
    return !(hangs && !(isComplete && isShort));
  }
  if (shift < -indent) return open.length > 1 || isItem;
  return isShort && isComplete && /^[\p{Lu}\p{N}"“«(]/u.test(line.text);
}

/** Returns the marker of a list item and the offset of its text. */
function readMarker(text: string): { readonly marker: Marker; readonly length: number } | undefined {
  const bullet = BULLET.exec(text);
  if (bullet) return { marker: { number: null }, length: bullet[0].length };
  const numbered = NUMBERED.exec(text);
  return numbered ? { marker: { number: Number(numbered[1]) }, length: numbered[0].length } : undefined;
}

function toBlock(lines: readonly Line[], measure: Measure, facts: TextFacts): Block {
  const [first] = lines;
  if (first === undefined) throw new TypeError('a block has at least one line');
  if (lines.every(({ isMono }) => isMono)) return { kind: 'code', text: layOut(lines) };
  const inlines = joinLines(lines, facts.words);
  const text = inlines.map((inline) => inline.text).join('');
  const isBold = lines.every((line) => line.isBold);
  if (isHeading(text, lines, facts)) return { kind: 'heading', inlines, size: first.size, isBold };
  const found = readMarker(text);
  if (found !== undefined)
    return {
      kind: 'item',
      inlines: cutStart(inlines, found.length),
      size: first.size,
      marker: found.marker,
      indent: startOf(first) - measure.start,
    };
  return { kind: 'paragraph', inlines, size: first.size, isBold };
}

const CAPITAL_HEADING = /^(?:[IVX]+\.|\d+(?:\.\d+)*\.?)?\s?[\p{Lu}\s\d:&,'-]{5,80}$/u;

function isHeading(text: string, lines: readonly Line[], { bodySize }: TextFacts): boolean {
  const [first] = lines;
  if (first === undefined || !/\p{L}/u.test(text) || BULLET.test(text)) return false;
  const isLarge = first.size >= HEADING_SIZE * bodySize;
  if (isLarge && text.length <= MAX_HEADING_LENGTH && lines.length <= 4) return true;
  if (first.size < 0.95 * bodySize || lines.length > 2 || /[.,;]$/.test(text)) return false;
  if (lines.every(({ isBold }) => isBold)) return text.length <= MAX_BOLD_HEADING_LENGTH;
  return lines.length === 1 && CAPITAL_HEADING.test(text) && /\p{Lu}{4}/u.test(text);
}

/** Joins lines of code with estimated indents. */
function layOut(lines: readonly Line[]): string {
  const left = leastOf(lines, ({ x0 }) => x0);
  return lines
    .map(({ x0, size, text }) => ' '.repeat(Math.min(80, Math.round((x0 - left) / (0.6 * size)))) + text)
    .join('\n');
}

function joinLines(lines: readonly Line[], words: ReadonlySet<string>): Inline[] {
  const inlines: Inline[] = [];
  const add = (text: string, href: string | undefined): void => {
    const last = inlines.at(-1);
    if (last !== undefined && last.href === href) inlines[inlines.length - 1] = { text: last.text + text, href };
    else inlines.push({ text, href });
  };
  for (const line of lines) {
    const last = inlines.at(-1);
    if (last !== undefined) {
      const [head, separator] = joinHyphenated(last.text, line.text, words);
      inlines[inlines.length - 1] = { ...last, text: head + (last.href === undefined ? separator : '') };
      if (last.href !== undefined && separator !== '')
        add(separator, line.runs[0]?.href === last.href ? last.href : undefined);
    }
    for (const [index, run] of line.runs.entries()) {
      const before = line.runs[index - 1];
      const text = index === 0 ? run.text.trimStart() : run.text;
      add(
        (before !== undefined && isSpaced(before, run) ? ' ' : '') +
          (index === line.runs.length - 1 ? text.trimEnd() : text),
        run.href,
      );
    }
  }
  return inlines;
}

function cutStart(inlines: readonly Inline[], length: number): Inline[] {
  let left = length;
  return inlines.flatMap((inline) => {
    const text = inline.text.slice(left);
    left = Math.max(0, left - inline.text.length);
    return text === '' ? [] : [{ ...inline, text }];
  });
}

function toTableBlock({ rows }: Table, { words }: TextFacts): Block {
  return {
    kind: 'table',
    rows: rows.map((row) => row.map(({ lines, ...cell }) => ({ ...cell, inlines: joinLines(lines, words) }))),
  };
}

/** Joins paragraphs that continue in the next column or page. */
export function joinContinued(flows: readonly (readonly Block[])[], words: ReadonlySet<string>): Block[] {
  const joined: Block[] = [];
  for (const blocks of flows) {
    const [first] = blocks;
    const at = first === undefined ? -1 : findContinued(joined, first);
    const open = joined[at];
    if (first === undefined || open === undefined || !('inlines' in open) || !('inlines' in first)) {
      for (const block of blocks) joined.push(block);
      continue;
    }
    joined[at] = { ...open, inlines: concatenate(open.inlines, first.inlines, words) };
    for (const block of blocks.slice(1)) joined.push(block);
  }
  return joined;
}

/** Blocks searched backwards: footnotes follow the paragraph that continues. */
const MAX_NOTES = 4;

function findContinued(blocks: readonly Block[], next: Block): number {
  if (next.kind !== 'paragraph' || !/^\p{Ll}/u.test(textOf(next.inlines))) return -1;
  for (let back = 1; back <= MAX_NOTES && back <= blocks.length; back += 1) {
    const block = blocks[blocks.length - back];
    if (block === undefined || !('size' in block) || block.kind === 'heading') return -1;
    if (Math.abs(block.size - next.size) < 0.3)
      return SENTENCE_END.test(textOf(block.inlines)) ? -1 : blocks.length - back;
    if (block.size > next.size) return -1;
  }
  return -1;
}

export function textOf(inlines: readonly Inline[]): string {
  return inlines.map(({ text }) => text).join('');
}

function concatenate(one: readonly Inline[], other: readonly Inline[], words: ReadonlySet<string>): Inline[] {
  const last = one.at(-1);
  if (last === undefined) return [...other];
  const [head, separator] = joinHyphenated(last.text, textOf(other), words);
  return [...one.slice(0, -1), { ...last, text: head }, ...(separator === '' ? [] : [{ text: separator }]), ...other];
}

const DIVIDED = /(?<!\p{L})(\p{L}+)[-\u2010\u00AD]$/u;
/** Bounded: each part takes memory of the matcher, which ends with a stack overflow. */
const WORD = /[\p{L}\p{M}]{1,200}(?:-[\p{L}\p{M}]{1,200}){0,20}/gu;
/** Scripts without spaces between words. */
const UNSPACED_END = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}、。，]$/u;
const UNSPACED_START = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}、。，]/u;

/**
 * Joins a line's end with the next line. Divided words are joined; they keep the hyphen if the document spells them so
 * elsewhere.
 * @param words of the document, in lower case
 */
function joinHyphenated(line: string, next: string, words: ReadonlySet<string>): [line: string, separator: string] {
  if (line.endsWith('\u00AD')) return [line.slice(0, -1), ''];
  const before = DIVIDED.exec(line)?.[1];
  const after = /^\p{L}+/u.exec(next)?.[0];
  if (before !== undefined && after !== undefined) {
    if (!/^\p{Ll}/u.test(after)) return [line, ''];
    const whole = `${before}${after}`.toLowerCase();
    const isHyphenated = !words.has(whole) && words.has(`${before}-${after}`.toLowerCase());
    return [isHyphenated ? line : line.slice(0, -1), ''];
  }
  if (UNSPACED_END.test(line) && UNSPACED_START.test(next)) return [line, ''];
  return [line, line === '' || line.endsWith(' ') || next.startsWith(' ') ? '' : ' '];
}

/** Collects lower-case words, without possible word parts at line ends. */
export function collectWords(lines: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const line of lines) {
    for (const [word] of line.replace(DIVIDED, '').matchAll(WORD)) words.add(word.toLowerCase());
  }
  return words;
}
