import { memoize } from '../tree/memoize.ts';
import { TAG } from '../tree/tags.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';

/** Surroundings of a node, as bits. */
export const IN_NAV = 1;
export const IN_FOOTER = 2;
export const IN_ASIDE = 4;
export const IN_COMMENT = 8;
/** In a list or card that links to other pages. */
export const IN_RELATED = 16;
export const IN_ARTICLE = 32;
export const IN_HEADER = 64;
export const IN_LINK = 256;
export const IN_HIDDEN = 512;
/** In the part about the author at an article's end. */
export const IN_BIO = 1024;

const BY_TAG: Readonly<Record<number, number>> = {
  [TAG.nav]: IN_NAV,
  [TAG.footer]: IN_FOOTER,
  [TAG.aside]: IN_ASIDE,
  [TAG.article]: IN_ARTICLE,
  [TAG.header]: IN_HEADER,
  [TAG.a]: IN_LINK,
  [TAG.template]: IN_HIDDEN,
};

const BY_NAME: readonly (readonly [RegExp, number])[] = [
  [/(?:^|[-_\s])(?:nav|navbar|menu|breadcrumbs?|topbar|toolbar)(?:$|[-_\s])/i, IN_NAV],
  [/(?:^|[-_\s])(?<!(?:article|entry|post|story)[-_])(?:footer|copyright|colophon)(?:$|[-_\s])/i, IN_FOOTER],
  [/(?:^|[-_\s])(?:sidebar|aside|widget|rail)(?:$|[-_\s])/i, IN_ASIDE],
  [/comment|(?:^|[-_\s])(?:repl(?:y|ies)|reviews?|responses?|disqus|testimonials?)(?:$|[-_\s])/i, IN_COMMENT],
  [
    /related|recommend|(?:^|[-_\s])(?:cards?|teasers?|tiles?|trending|popular|latest|more-(?:stories|posts|articles|from)|recent|read-?(?:next|more)|you-may|up-?next|carousel|slider|loop|suggest\w*|similar|prev|next|pagination)(?:$|[-_\s])/i,
    IN_RELATED,
  ],
  [/(?:^|[-_\s])(?:hidden|sr-only|visually-hidden|screen-reader\w*)(?:$|[-_\s])/i, IN_HIDDEN],
  [/(?:about-?(?:the-?)?author|author-?(?:bio|box|info|card|description|section)|bio(?:graphy)?(?:$|[-_\s]))/i, IN_BIO],
];

/** Microdata types of replies below the page's own text. */
const REPLY = /\/(?:Comment|Answer|UserComments|Review)$/;

/** Higher ancestors add nothing; the limit keeps deep nesting cheap. */
const MAX_STEPS = 80;

const MAX_CHILDREN = 100;
const MAX_ENTRY_NODES = 60;
const LEAST_OTHERS = 2;

/** Whether an `<article>` is one of several siblings whose headings link: an entry of a list of other pages. */
function isCard(tree: Tree, node: number): boolean {
  if (!hasLinkedHeading(tree, node)) return false;
  const parent = tree.parent[node];
  let others = 0;
  for (let child = parent + 1, seen = 0; child < tree.end[parent] && seen < MAX_CHILDREN; child = tree.end[child]) {
    seen++;
    if (tree.tag[child] !== TAG.article || child === node) continue;
    if (hasLinkedHeading(tree, child)) others++;
    if (others >= LEAST_OTHERS) return true;
  }
  return false;
}

function hasLinkedHeading(tree: Tree, article: number): boolean {
  const stop = Math.min(tree.end[article], article + MAX_ENTRY_NODES);
  for (let node = article + 1; node < stop; node++) {
    const code = tree.tag[node];
    if (code !== TAG.h1 && code !== TAG.h2 && code !== TAG.h3 && code !== TAG.h4) continue;
    return (
      isLink(tree, tree.parent[node]) || isLink(tree, node + 1) || (node + 2 < tree.end[node] && isLink(tree, node + 2))
    );
  }
  return false;
}

function isLink(tree: Tree, node: number): boolean {
  return tree.tag[node] === TAG.a && getAttribute(tree, node, 'href') !== undefined;
}

const MAX_NAMES = 10_000;

function readName(name: string): number {
  let bits = 0;
  for (const [pattern, bit] of BY_NAME) if (pattern.test(name)) bits |= bit;
  return bits;
}

/** Describes the surroundings of nodes and caches the answers of ancestors. One instance per page. */
export class PageContext {
  readonly #tree: Tree;
  /** Names repeat over a page. */
  readonly #readName = memoize(readName, MAX_NAMES);
  /** The last title and its surroundings. */
  #title = -1;
  #aroundTitle = 0;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** Surroundings of a node that the title does not share: a title may be in a "card" or a "slider" too. */
  getBeside(node: number, title: number): number {
    if (title <= 0) return this.get(node);
    if (title !== this.#title) {
      this.#title = title;
      this.#aroundTitle = this.get(title);
    }
    return this.get(node) & ~this.#aroundTitle;
  }

  get(node: number): number {
    let bits = 0;
    for (let at = node, step = 0; at > 0 && step < MAX_STEPS; at = this.#tree.parent[at], step++) {
      const code = this.#tree.tag[at];
      if (code === TAG.body || code === TAG.html) break;
      bits |= this.#getOwn(at);
    }
    return bits;
  }

  /** Elements around most of the page are named after their content ("with-sidebar", "nav-open"). */
  #isWrapper(node: number): boolean {
    return (this.#tree.end[node] - node) * 2 > this.#tree.size;
  }

  /** The footer of an article names its author and day. */
  #isInArticle(node: number): boolean {
    for (let at = this.#tree.parent[node], step = 0; at > 0 && step < MAX_STEPS; at = this.#tree.parent[at], step++)
      if (this.#tree.tag[at] === TAG.article) return true;
    return false;
  }

  readonly #getOwn = memoize((node: number): number => {
    let bits = BY_TAG[this.#tree.tag[node]] ?? 0;
    if (this.#tree.tag[node] === TAG.article && isCard(this.#tree, node)) bits |= IN_RELATED;
    if (this.#tree.tag[node] === TAG.footer && this.#isInArticle(node)) bits &= ~IN_FOOTER;
    const name = `${getAttribute(this.#tree, node, 'class') ?? ''} ${getAttribute(this.#tree, node, 'id') ?? ''}`.slice(
      0,
      400,
    );
    if (name.length > 1 && !this.#isWrapper(node)) bits |= this.#readName(name);
    if (getAttribute(this.#tree, node, 'hidden') !== undefined) bits |= IN_HIDDEN;
    const type = getAttribute(this.#tree, node, 'itemtype');
    if (type !== undefined && REPLY.test(type)) bits |= IN_COMMENT;
    const role = getAttribute(this.#tree, node, 'role');
    if (role === 'navigation') bits |= IN_NAV;
    else if (role === 'article') bits |= IN_ARTICLE;
    return bits;
  }, Infinity);
}
