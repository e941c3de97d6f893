import type { ContentBlock, PageType } from '../types/extraction.ts';
import { collapse, getNodeText } from '../tree/text/node-text.ts';
import { parseDate } from '../fields/date/parse-date.ts';
import { foldName } from '../page/site-names.ts';
import { HEADING, markTags, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';

export interface StatedFields {
  readonly title: string | null;
  readonly author: string | null;
  readonly publishTime: string | null;
  readonly language: string | null;
  readonly documentTitle: string;
}

/** The badge of a manual's version. */
const VERSION = /^version[\s:]{0,3}v?\d[\w.-]{0,19}(?:\s*\(?(?:latest|current|stable|next)\)?)?$/i;
/** Limit between header lines and paragraphs, in characters. */
const MAX_LINE = 160;
const MIN_PARAGRAPH = 60;
/** Most lines such as a price between header and first paragraph. */
const MAX_FACTS = 2;
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;
const MAX_LINES = 4;
/** Most letters beside name and date: "Published on … by", the month. */
const MAX_OTHER_LETTERS = 30;

/**
 * Removes lines at the start that repeat fields: bylines, dates, and the title if a byline follows it or `<title>`
 * starts with it (otherwise the heading is content), and badges of a version. A paragraph must follow.
 */
export function leaveOutHeader(
  tree: Tree,
  blocks: readonly ContentBlock[],
  fields: StatedFields,
): readonly ContentBlock[] {
  let lines = 0;
  let hasByline = false;
  let hasVersion = false;
  let heading = '';
  for (const block of blocks.slice(0, MAX_LINES)) {
    const text = readLine(tree, block);
    if (text.length > MAX_LINE) break;
    if (VERSION.test(text)) hasVersion = true;
    else if (isTitle(text, fields)) heading = foldName(text);
    else if (isByline(text, fields)) hasByline = true;
    else break;
    lines++;
  }
  if (lines === 0 || !isParagraph(tree, findAfterFacts(tree, blocks, lines))) return blocks;
  return hasByline || hasVersion || foldName(fields.documentTitle).startsWith(heading) ? blocks.slice(lines) : blocks;
}

/** Removes headings that repeat the name of a product, which is the title, and such a first line. */
export function leaveOutName(
  tree: Tree,
  blocks: readonly ContentBlock[],
  fields: StatedFields,
): readonly ContentBlock[] {
  const isName = (block: ContentBlock, index: number): boolean =>
    isTitle(readLine(tree, block), fields) && (index === 0 || findHeading(tree, block) >= 0);
  const kept = blocks.filter((block, index) => !isName(block, index));
  return kept.length === 0 ? blocks : kept;
}

function isTitle(text: string, { title }: StatedFields): boolean {
  const name = foldName(text);
  return name !== '' && title !== null && name === foldName(title);
}

function isByline(text: string, { author, publishTime, language }: StatedFields): boolean {
  let rest = text;
  let says = false;
  for (const name of author?.split(', ') ?? []) {
    if (!rest.includes(name)) continue;
    rest = rest.replace(name, '');
    says = true;
  }
  says ||= publishTime !== null && parseDate(rest, { language })?.value.slice(0, 10) === publishTime.slice(0, 10);
  return says && (rest.match(/\p{L}/gu)?.length ?? 0) <= MAX_OTHER_LETTERS;
}

function findAfterFacts(tree: Tree, blocks: readonly ContentBlock[], from: number): ContentBlock | undefined {
  let at = from;
  while (at < from + MAX_FACTS && at < blocks.length && isFact(readLine(tree, blocks[at]))) at++;
  return blocks[at];
}

function isFact(text: string): boolean {
  return text.length < MIN_PARAGRAPH && /\d/.test(text);
}

function isParagraph(tree: Tree, block: ContentBlock | undefined): boolean {
  if (block === undefined) return false;
  const text = readLine(tree, block);
  // Scripts without spaces need half as many characters for a sentence.
  return text.length + (text.match(DENSE)?.length ?? 0) >= MIN_PARAGRAPH;
}

function readLine(tree: Tree, block: ContentBlock): string {
  let text = '';
  for (let node = block.first; node < block.end && text.length <= MAX_LINE; node++)
    if (tree.tag[node] === TEXT) text += tree.value[node].slice(0, MAX_LINE * 2);
  return collapse(text);
}

const SECTIONED: ReadonlySet<PageType> = new Set(['article', 'documentation', 'forum']);
/** Characters. Notes are also written as headings. */
const MAX_HEADING = 80;
const MAX_HEADING_LEVELS = 3;
/** What a section may consist of beside text. */
const SHOWN = markTags('audio', 'figure', 'iframe', 'img', 'object', 'picture', 'pre', 'table', 'video');
const MAX_AFTER = 40;

/** Removes a heading at the end: its section was left out. */
export function leaveOutLastHeading(
  tree: Tree,
  blocks: readonly ContentBlock[],
  pageType: PageType,
): readonly ContentBlock[] {
  if (!SECTIONED.has(pageType) || blocks.length < 3) return blocks;
  const last = blocks[blocks.length - 1];
  const heading = findHeading(tree, last);
  if (heading < 0 || findHeading(tree, blocks[blocks.length - 2]) >= 0) return blocks;
  const text = getNodeText(tree, heading);
  if (text.endsWith('.') || text.length > MAX_HEADING) return blocks;
  const stop = Math.min(tree.size, tree.end[heading] + MAX_AFTER);
  for (let node = tree.end[heading]; node < stop; node++) {
    if (tree.tag[node] === TEXT ? INK.test(tree.value[node]) : (TAG_FLAGS[tree.tag[node]] & HEADING) !== 0) break;
    if (SHOWN[tree.tag[node]] === 1) return blocks;
  }
  return blocks.slice(0, -1);
}

function findHeading({ tag, parent }: Tree, { element }: ContentBlock): number {
  for (let node = element, level = 0; node > 0 && level < MAX_HEADING_LEVELS; node = parent[node], level++)
    if ((TAG_FLAGS[tag[node]] & HEADING) !== 0) return node;
  return -1;
}

const INK = /\S/;
