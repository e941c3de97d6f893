import { TAG } from '../tree/tags.ts';
import { getNodeText } from '../tree/text/node-text.ts';
import { getAttribute, type Attribute, type Tree } from '../tree/tree.ts';

export interface PostMarks {
  readonly software: string;
  readonly post: { readonly name: 'class' | 'id' | 'itemtype' | 'component'; readonly pattern: RegExp };
  /** Classes of the element with the author's name, the best first, or the attribute of the post that has it. */
  readonly author: readonly RegExp[];
  readonly authorAttribute?: string;
  /** Class of the element with the day, where no `<time>` or property states it. */
  readonly day: RegExp;
}

const NONE = /^(?!)/;
const USERNAME = /^username(?:-coloured)?$/;

/** From the most explicit vocabulary to the least; the first row with two posts on a page counts. */
const MARKS: readonly PostMarks[] = [
  {
    software: 'schema.org',
    post: { name: 'itemtype', pattern: /^https?:\/\/schema\.org\/(?:DiscussionForumPosting|Comment|Question|Answer)$/ },
    author: [],
    day: NONE,
  },
  {
    software: 'XenForo 2',
    post: { name: 'class', pattern: /^message--post$/ },
    author: [USERNAME],
    authorAttribute: 'data-author',
    day: NONE,
  },
  {
    software: 'Invision Community',
    post: { name: 'class', pattern: /^(?:cPost|ipsComment)$/ },
    author: [/^cAuthorPane_author$/, /^ipsComment_author$/],
    day: NONE,
  },
  {
    software: 'Discourse',
    post: { name: 'class', pattern: /^(?:topic-post|crawler-post)$/ },
    author: [/^creator$/, USERNAME],
    day: /^(?:relative-date|crawler-post-infos)$/,
  },
  {
    software: 'Vanilla',
    post: { name: 'class', pattern: /^Item(?:Comment|Discussion)$/ },
    author: [/^Username$/, /^Author$/],
    day: NONE,
  },
  {
    software: 'Flarum',
    post: { name: 'class', pattern: /^CommentPost$/ },
    author: [USERNAME, /^PostUser-name$/],
    day: NONE,
  },
  {
    software: 'NodeBB',
    post: { name: 'component', pattern: /^post$/ },
    author: [],
    authorAttribute: 'data-username',
    day: /^timeago$/,
  },
  {
    software: 'Khoros',
    post: { name: 'class', pattern: /^lia-message-view-wrapper$/ },
    author: [/^lia-user-name-link$/, /^lia-user-name$/],
    day: /^(?:local-date|DateTime)$/,
  },
  {
    software: 'Simple Machines',
    post: { name: 'class', pattern: /^post_wrapper$/ },
    author: [/^poster$/],
    day: /^(?:smalltext|postinfo)$/,
  },
  {
    software: 'vBulletin 4',
    post: { name: 'class', pattern: /^postcontainer$/ },
    author: [USERNAME],
    day: /^(?:postdate|date)$/,
  },
  {
    software: 'vBulletin 3',
    post: { name: 'id', pattern: /^post\d{1,12}$/ },
    author: [/^bigusername$/],
    day: /^(?:thead|tcat)$/,
  },
  {
    software: 'phpBB 3, FluxBB',
    post: { name: 'id', pattern: /^p\d{1,12}$/ },
    author: [USERNAME, /^postprofile$/, /^postleft$/],
    day: /^(?:author|postdate)$/,
  },
  {
    software: 'XenForo 1, WoltLab',
    post: { name: 'id', pattern: /^post-?\d{1,12}$/ },
    author: [USERNAME],
    authorAttribute: 'data-author',
    day: /^DateTime$/,
  },
  {
    software: 'MyBB',
    post: { name: 'id', pattern: /^post_\d{1,12}$/ },
    author: [/^author_information$/, /^post_author$/, USERNAME],
    day: /^(?:post_date|postdate|date)$/,
  },
  {
    software: 'Discuz',
    post: { name: 'id', pattern: /^pid\d{1,12}$/ },
    author: [/^authi$/],
    day: NONE,
  },
];

const LEAST_POSTS = 2;
const MAX_POSTS = 2_000;
const MAX_VALUE = 300;
/** Most nodes of a post to search for author and date. */
const MAX_NODES = 600;
const MAX_NAME = 60;

export interface MarkedPosts {
  readonly marks: PostMarks;
  readonly nodes: readonly number[];
}

/** Finds the elements that forum software or schema.org marks as posts; undefined for fewer than two. */
export function findMarkedPosts({ size, attributes }: Tree): MarkedPosts | undefined {
  const found = MARKS.map((): number[] => []);
  for (let node = 1; node < size; node++) {
    for (const attribute of attributes[node] ?? []) {
      if (MARKING.has(attribute.name)) addPost(node, attribute, found);
    }
  }
  const row = found.findIndex((nodes) => nodes.length >= LEAST_POSTS);
  return row < 0 ? undefined : { marks: MARKS[row], nodes: found[row] };
}

const MARKING: ReadonlySet<string> = new Set(MARKS.map(({ post }) => post.name));
/** Letters that a marking value contains, tested before its words are split. */
const MAY_MARK = /post|comment|message|^p(?:id)?\d|Question|Answer|Discussion/i;

function addPost(node: number, { name, value }: Attribute, found: readonly number[][]): void {
  if (value.length > MAX_VALUE || !MAY_MARK.test(value)) return;
  const words = value.split(/\s+/);
  for (let row = 0; row < MARKS.length; row++) {
    const nodes = found[row];
    const { post } = MARKS[row];
    if (post.name !== name || nodes.length >= MAX_POSTS || nodes.at(-1) === node) continue;
    if (words.some((word) => post.pattern.test(word))) nodes.push(node);
  }
}

/** The name of a post's author; the post's nodes are `post … end - 1`. */
export function readPostAuthor(
  tree: Tree,
  post: number,
  end: number,
  { author, authorAttribute }: PostMarks,
): string | null {
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

/** The first node of a post that passes a test, or -1. */
export function findElement(tree: Tree, node: number, end: number, test: (inner: number) => boolean): number {
  const stop = Math.min(end, node + MAX_NODES);
  for (let inner = node + 1; inner < stop; inner++) {
    if (tree.attributes[inner] !== undefined && test(inner)) return inner;
  }
  return -1;
}

export function hasWord(tree: Tree, node: number, name: string, pattern: RegExp): boolean {
  const value = getAttribute(tree, node, name);
  return value !== undefined && value.split(/\s+/).some((word) => pattern.test(word));
}
