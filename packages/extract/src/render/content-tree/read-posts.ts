import type { ContentBlock } from '../../types/extraction.ts';
import { parseDate } from '../../fields/date/parse-date.ts';
import { findMarkedPosts, type PostMarks } from '../../page/post-marks.ts';
import { TAG } from '../../tree/tags.ts';
import { getNodeText } from '../../tree/text/node-text.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';

/** A post of a discussion. */
export interface Post {
  readonly author: string | null;
  /** `YYYY-MM-DD`. */
  readonly day: string | null;
}

/** Most nodes of a post to search for author and date. */
const MAX_NODES = 600;
const MAX_NAME = 60;
const DAY_PROPERTY = /^(?:datePublished|dateCreated)$/;
const DAY_LENGTH = 'YYYY-MM-DD'.length;
const NO_POSTS: ReadonlyMap<number, Post> = new Map();

/**
 * Returns the posts with selected blocks, by element. Empty for fewer than two posts, or if fewer than half have an
 * author: shops and blogs have the same marks.
 */
export function readPosts(tree: Tree, blocks: readonly ContentBlock[]): ReadonlyMap<number, Post> {
  const marked = blocks.length === 0 ? undefined : findMarkedPosts(tree);
  if (marked === undefined) return NO_POSTS;
  const { marks, nodes } = marked;
  const posts = new Map<number, Post>();
  const language = readLanguage(tree);
  let block = 0;
  nodes.forEach((node, index) => {
    // A question holds its answers, a comment its replies.
    const end = Math.min(tree.end[node], nodes[index + 1] ?? Infinity);
    while (block < blocks.length && blocks[block].first <= node) block++;
    if (block === blocks.length || blocks[block].first >= end) return;
    posts.set(node, { author: readAuthor(tree, node, end, marks), day: readDay(tree, node, end, marks, language) });
  });
  const authors = Array.from(posts.values()).filter(({ author }) => author !== null);
  return posts.size < 2 || authors.length * 2 < posts.size ? NO_POSTS : posts;
}

function readAuthor(tree: Tree, post: number, end: number, { author, authorAttribute }: PostMarks): string | null {
  const stated = authorAttribute === undefined ? undefined : getAttribute(tree, post, authorAttribute);
  if (stated !== undefined && stated.trim() !== '') return checkName(stated.trim());
  const byProperty = findElement(tree, post, end, (node) => hasWord(tree, node, 'itemprop', /^author$/));
  if (byProperty >= 0) {
    const inside = tree.end[byProperty];
    const name = findElement(tree, byProperty, inside, (node) => hasWord(tree, node, 'itemprop', /^name$/));
    const node = name < 0 ? byProperty : name;
    const text = checkName(getAttribute(tree, node, 'content') ?? getNodeText(tree, node));
    if (text !== null) return text;
  }
  for (const pattern of author) {
    const byClass = findElement(tree, post, end, (node) => hasWord(tree, node, 'class', pattern));
    if (byClass >= 0) return checkName(readLinkedName(tree, byClass));
  }
  return null;
}

/** Text of the first link or strong element, because details of the author follow it; else all text. */
function readLinkedName(tree: Tree, node: number): string {
  const stop = Math.min(tree.end[node], node + MAX_NODES);
  for (let inner = node + 1; inner < stop; inner++) {
    if (tree.tag[inner] !== TAG.a && tree.tag[inner] !== TAG.strong) continue;
    const name = getNodeText(tree, inner);
    if (name !== '') return name;
  }
  return getNodeText(tree, node);
}

function checkName(text: string): string | null {
  return text === '' || text.length > MAX_NAME ? null : text;
}

function readDay(tree: Tree, post: number, end: number, marks: PostMarks, language: string | null): string | null {
  const isDated = (node: number): boolean =>
    tree.tag[node] === TAG.time ||
    tree.value[node] === 'relative-time' ||
    hasWord(tree, node, 'itemprop', DAY_PROPERTY) ||
    hasWord(tree, node, 'class', marks.day);
  const node = findElement(tree, post, end, isDated);
  if (node < 0) return null;
  const stated = ['datetime', 'content', 'title'].map((name) => getAttribute(tree, node, name));
  for (const text of [...stated, getNodeText(tree, node)]) {
    const date = text === undefined ? null : parseDate(text, { language });
    if (date !== null && !date.ambiguous) return date.value.slice(0, DAY_LENGTH);
  }
  return null;
}

function findElement(tree: Tree, node: number, end: number, test: (inner: number) => boolean): number {
  const stop = Math.min(end, node + MAX_NODES);
  for (let inner = node + 1; inner < stop; inner++) {
    if (tree.attributes[inner] !== undefined && test(inner)) return inner;
  }
  return -1;
}

function hasWord(tree: Tree, node: number, name: string, pattern: RegExp): boolean {
  const value = getAttribute(tree, node, name);
  return value !== undefined && value.split(/\s+/).some((word) => pattern.test(word));
}

function readLanguage(tree: Tree): string | null {
  const html = tree.tag.indexOf(TAG.html);
  return html < 0 ? null : (getAttribute(tree, html, 'lang') ?? null);
}
