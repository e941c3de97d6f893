import type { PageType } from '../../types/extraction.ts';
import { TAG, TEXT } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import {
  ELEMENT,
  END,
  FIRST,
  HASH,
  LINK_WORDS,
  LINKS,
  NUMBERS,
  STRIDE,
  TOKENS,
  type Blocks,
} from '../blocks/blocks.ts';
import { mayNameForum, namesForum, namesTopic, toTopic } from './topic-address.ts';

/** Parts of a topic index; the model decides on `none` (outside rows) and `untold` (in a row). */
export const PART = { none: 0, title: 1, description: 2, untold: 3, other: 4, around: 5 } as const;

export interface TopicPage {
  readonly url: string;
  readonly pageType: PageType;
}

/** Page types that the model predicts for indexes; a page of another type needs the address of a forum. */
const FORUM_LIKE: ReadonlySet<PageType> = new Set(['forum', 'listing', 'documentation']);

const LETTER = /\p{L}/u;
const MIN_ROWS = 3;
/** Least share of the rows of a list that differ in topic and title. */
const DISTINCT = 0.8;
const MAX_ROW_BLOCKS = 24;
const MAX_LEVELS = 12;
const MAX_LINK_LEVELS = 6;
/** "12", "3 replies", "754 / 2,831", "12 replies, 3.4K views"; most short dates match too. */
const MAX_COUNT_WORDS = 6;
const MIN_DESCRIPTION_WORDS = 3;
const MAX_LABEL_WORDS = 4;
const MIN_LABELS = 3;
export const MIN_PROSE_WORDS = 20;

/**
 * Finds the rows of topics or boards of a forum: siblings that each start with a link to another topic and have a count.
 *
 * @returns a part for each block; undefined without rows
 */
export function findTopicRows(tree: Tree, blocks: Blocks, page: TopicPage): Uint8Array | undefined {
  const own = toTopic(page.url);
  // A topic has rows of related topics below its posts.
  if (namesTopic(own) || (!FORUM_LIKE.has(page.pageType) && !namesForum(own))) return undefined;
  return new RowFinder(tree, blocks, own, page.pageType).find();
}

class RowFinder {
  readonly #tree: Tree;
  readonly #blocks: Blocks;
  readonly #own: string;
  readonly #pageType: PageType;
  /** Topic by block, for blocks whose first link leads to a topic. */
  readonly #topics = new Map<number, string>();
  /** Prefix sums. */
  readonly #titles: Int32Array;
  readonly #counts: Int32Array;

  constructor(tree: Tree, blocks: Blocks, own: string, pageType: PageType) {
    this.#tree = tree;
    this.#blocks = blocks;
    this.#own = own;
    this.#pageType = pageType;
    this.#titles = new Int32Array(blocks.count + 1);
    this.#counts = new Int32Array(blocks.count + 1);
  }

  find(): Uint8Array | undefined {
    const { rows, count } = this.#blocks;
    for (let block = 0; block < count; block++) {
      const topic = rows[block * STRIDE + LINKS] > 0 ? this.#readTopic(block) : '';
      if (topic !== '') this.#topics.set(block, topic);
      this.#titles[block + 1] = this.#topics.size;
      this.#counts[block + 1] = this.#counts[block] + (this.#isCount(block) ? 1 : 0);
    }
    const found = this.#topics.size < MIN_ROWS ? [] : this.#findRows();
    if (found.length === 0) return undefined;
    const parts = new Uint8Array(count);
    for (const row of found) {
      this.#divide(row, (block, part) => {
        parts[block] = part;
      });
    }
    this.#markAround(found, parts);
    return parts;
  }

  #readTopic(block: number): string {
    const { rows } = this.#blocks;
    const { tag, value } = this.#tree;
    const row = block * STRIDE;
    for (let node = rows[row + FIRST]; node < rows[row + END]; node++) {
      if (tag[node] !== TEXT || !LETTER.test(value[node])) continue;
      const link = this.#findLink(node);
      if (link < 0) continue;
      const topic = toTopic(getAttribute(this.#tree, link, 'href') ?? '');
      const isForum = namesForum(topic) || (this.#pageType === 'forum' && mayNameForum(topic));
      return isForum && topic !== this.#own ? topic : '';
    }
    return '';
  }

  #findLink(text: number): number {
    const { tag, parent } = this.#tree;
    let node = parent[text];
    for (let level = 0; level < MAX_LINK_LEVELS && node > 0; level++) {
      if (tag[node] === TAG.a) return node;
      node = parent[node];
    }
    return -1;
  }

  #isCount(block: number): boolean {
    const { rows } = this.#blocks;
    const words = rows[block * STRIDE + TOKENS];
    return words <= MAX_COUNT_WORDS && rows[block * STRIDE + NUMBERS] * 2 >= words;
  }

  #findRows(): number[] {
    const chains: number[][] = [];
    const lists = new Map<number, number[]>();
    for (const title of this.#topics.keys()) {
      const chain = this.#listCandidates(title);
      chains.push(chain);
      for (const node of chain) {
        const rows = lists.get(this.#keyOfList(node));
        if (rows === undefined) lists.set(this.#keyOfList(node), [node]);
        else rows.push(node);
      }
    }
    for (const [key, rows] of lists) if (!this.#isList(rows)) lists.delete(key);
    const found = new Set<number>();
    const chosen = new Map<number, number>();
    for (const chain of chains) {
      const row = chain.find((node) => lists.has(this.#keyOfList(node)));
      if (row === undefined) continue;
      found.add(row);
      chosen.set(this.#keyOfList(row), row);
    }
    for (const row of chosen.values()) this.#addUncounted(row, found);
    return [...found].toSorted((a, b) => a - b);
  }

  /** Siblings of one tag share a key. */
  #keyOfList(row: number): number {
    return this.#tree.parent[row] * 256 + this.#tree.tag[row];
  }

  /** The elements that may be the row of a title, inner ones first. */
  #listCandidates(title: number): number[] {
    const chain: number[] = [];
    let node = this.#blocks.rows[title * STRIDE + ELEMENT];
    for (let level = 0; level < MAX_LEVELS && node > 0; level++) {
      const [from, to] = this.#span(node);
      if (to - from > MAX_ROW_BLOCKS || this.#titles[from] !== this.#titles[title]) break;
      if (to - from > 1 && this.#counts[to] > this.#counts[from] && this.#isRow(node)) chain.push(node);
      node = this.#tree.parent[node];
    }
    return chain;
  }

  #span(node: number): readonly [number, number] {
    const { before } = this.#blocks;
    return [before[node], before[this.#tree.end[node]]];
  }

  /** Whether an element is a row, not a post: a post has prose before or beside its links. */
  #isRow(node: number): boolean {
    let hasProse = false;
    this.#divide(node, (block, part) => {
      hasProse ||= part === PART.other && this.#blocks.rows[block * STRIDE + TOKENS] >= MIN_PROSE_WORDS;
    });
    return !hasProse;
  }

  /** Whether siblings are rows of a list: posts of one topic link to it with the same words. */
  #isList(rows: readonly number[]): boolean {
    const titles = rows.map((row) => this.#findTitle(row));
    const topics = new Set(titles.map((title) => this.#topics.get(title)));
    const texts = new Set(titles.map((title) => this.#blocks.rows[title * STRIDE + HASH]));
    return Math.min(topics.size, texts.size) >= Math.max(MIN_ROWS, DISTINCT * rows.length);
  }

  #findTitle(node: number): number {
    const [from, to] = this.#span(node);
    let block = from;
    while (block < to && !this.#topics.has(block)) block++;
    return block;
  }

  /** Adds the list's rows without a count: announcements, links to boards elsewhere. */
  #addUncounted(row: number, found: Set<number>): void {
    const { parent, end } = this.#tree;
    const list = parent[row];
    for (let node = list + 1; node < end[list]; node = end[node]) {
      const [from, to] = this.#span(node);
      if (this.#keyOfList(node) !== this.#keyOfList(row) || to - from > MAX_ROW_BLOCKS) continue;
      if (this.#titles[to] > this.#titles[from] && this.#isRow(node)) found.add(node);
    }
  }

  #divide(row: number, assign: (block: number, part: number) => void): void {
    const [from, to] = this.#span(row);
    const title = this.#findTitle(row);
    const [cellFrom, cellTo] = this.#findCell(row, title);
    for (let block = from; block < to; block++) {
      if (block === title) assign(block, PART.title);
      else if (block < title || block < cellFrom || block >= cellTo) assign(block, PART.other);
      else assign(block, this.#judge(block, title));
    }
  }

  /** Blocks of the largest element around the title without all blocks of the row. */
  #findCell(row: number, title: number): readonly [number, number] {
    const [from, to] = this.#span(row);
    let cell: readonly [number, number] = [title, title + 1];
    let node = this.#blocks.rows[title * STRIDE + ELEMENT];
    for (let level = 0; level < MAX_LEVELS && node > row; level++) {
      const span = this.#span(node);
      if (span[0] === from && span[1] === to) break;
      cell = span;
      node = this.#tree.parent[node];
    }
    return cell;
  }

  /** Judges a block below a title: description or excerpt, board, author, day, count or pages. */
  #judge(block: number, title: number): number {
    const { rows } = this.#blocks;
    const row = block * STRIDE;
    const words = rows[row + TOKENS];
    if (words >= MIN_PROSE_WORDS) return PART.description;
    const topic = this.#topics.get(block);
    if (topic !== undefined && topic !== this.#topics.get(title) && rows[row + LINK_WORDS] * 2 >= words)
      return PART.title;
    if (rows[row + LINKS] > 0 || this.#isCount(block)) return PART.other;
    return rows[row + NUMBERS] === 0 && words >= MIN_DESCRIPTION_WORDS ? PART.description : PART.untold;
  }

  #markAround(found: readonly number[], parts: Uint8Array): void {
    const { parent, end } = this.#tree;
    const [, last] = this.#span(found[found.length - 1]);
    for (let block = last; block < parts.length; block++) if (parts[block] === PART.none) parts[block] = PART.around;
    const lists = new Set<number>();
    for (const row of found) {
      const list = parent[row];
      if (lists.has(list)) continue;
      lists.add(list);
      for (let node = list + 1; node < end[list]; node = end[node]) this.#markSibling(node, parts);
      this.#markHeaderBefore(list, parts);
    }
  }

  /** Marks siblings of rows: column headers and names of board groups. */
  #markSibling(node: number, parts: Uint8Array): void {
    const [from, to] = this.#span(node);
    if (from === to || parts[from] !== PART.none) return;
    const isName = to - from === 1 && this.#blocks.rows[from * STRIDE + TOKENS] < MIN_PROSE_WORDS;
    if (isName) parts[from] = PART.description;
    else if (this.#isHeader(from, to)) parts.fill(PART.around, from, to);
  }

  /** Column headers may be a separate element before the list. */
  #markHeaderBefore(list: number, parts: Uint8Array): void {
    const { parent, end } = this.#tree;
    const before = this.#span(list)[0] - 1;
    if (before < 0) return;
    let node = this.#blocks.rows[before * STRIDE + ELEMENT];
    while (parent[node] >= 0 && end[parent[node]] <= list) node = parent[node];
    const [from, to] = this.#span(node);
    if (this.#isHeader(from, to)) parts.fill(PART.around, from, to);
  }

  #isHeader(from: number, to: number): boolean {
    for (let block = from; block < to; block++) if (!this.#isLabel(block)) return false;
    return to - from >= MIN_LABELS;
  }

  #isLabel(block: number): boolean {
    const { rows } = this.#blocks;
    return rows[block * STRIDE + TOKENS] <= MAX_LABEL_WORDS && rows[block * STRIDE + NUMBERS] === 0;
  }
}
