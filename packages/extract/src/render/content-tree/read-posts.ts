import type { ContentBlock } from '../../types/extraction.ts';
import { parseDate } from '../../fields/date/parse-date.ts';
import { findElement, findMarkedPosts, hasWord, readPostAuthor, type PostMarks } from '../../page/post-marks.ts';
import { TAG } from '../../tree/tags.ts';
import { getNodeText } from '../../tree/text/node-text.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';

/** A post of a discussion. */
export interface Post {
  readonly author: string | null;
  /** `YYYY-MM-DD`. */
  readonly day: string | null;
}

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
    posts.set(node, { author: readPostAuthor(tree, node, end, marks), day: readDay(tree, node, end, marks, language) });
  });
  const authors = Array.from(posts.values()).filter(({ author }) => author !== null);
  return posts.size < 2 || authors.length * 2 < posts.size ? NO_POSTS : posts;
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

function readLanguage(tree: Tree): string | null {
  const html = tree.tag.indexOf(TAG.html);
  return html < 0 ? null : (getAttribute(tree, html, 'lang') ?? null);
}
