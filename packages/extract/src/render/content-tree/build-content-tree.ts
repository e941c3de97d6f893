import type { Properties, Root } from 'hast';
import type { ContentBlock } from '../../types/extraction.ts';
import { findSource, isFallback, isPlaceholder, isTrackingPixel } from '../../fields/media/images.ts';
import type { UrlResolver } from '../../tree/url-resolver.ts';
import { isImage } from '../../tree/is-image.ts';
import { OTHER, TAG, TEXT } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { classifyItems, DATA_TABLE, LINE_NUMBERS } from '../layout/classify-items.ts';
import { readAttributes } from './content-attributes.ts';
import { EDGE_RULE, getElementRule, ROLE, type ElementRule } from './content-elements.ts';
import { ContentTree } from './content-tree.ts';
import { findContentImages } from '../layout/find-content-images.ts';
import { FOOTNOTE } from './footnotes.ts';
import type { Post } from './read-posts.ts';
import { isDisplayed, readFormula } from '../../tree/text/formulas.ts';
import { isInterfaceImage, readAltText } from '../layout/interface-images.ts';
import { isUnseen } from '../../tree/text/is-unseen.ts';
import { APART, readApart } from '../layout/inline-parts.ts';
import { GAP, TAG_GAP } from '../layout/layout-rules.ts';
import { readRoles } from '../layout/read-roles.ts';
import { readPlayer } from '../layout/read-player.ts';
import { followsParenthesis } from '../layout/ruby.ts';

const INK = /\S/;

export interface TreeMarks {
  /** Labels of links and list items. */
  readonly footnotes: ReadonlyMap<number, string>;
  /** Posts by element: each starts with a rule, its author and date. */
  readonly posts: ReadonlyMap<number, Post>;
}

/**
 * The selected blocks as a hast tree of allow-listed elements and attributes: no scripts, styles, handlers or classes
 * (except the language of code), only absolute http(s) addresses, and the content's images.
 */
export function buildContentTree(
  tree: Tree,
  blocks: readonly ContentBlock[],
  urls: UrlResolver,
  marks: TreeMarks = NO_MARKS,
): Root {
  return new ContentWalker(readRoles(tree, blocks), blocks, urls, marks).walk(blocks);
}

const NO_MARKS: TreeMarks = { footnotes: new Map(), posts: new Map() };
/** Elements of these roles are only layout if they contain posts. */
const HOLDERS: ReadonlySet<number> = new Set([ROLE.group, ROLE.item, ROLE.textBlock, ROLE.flow]);

/** An element to close at the end of its subtree. */
interface Opened {
  readonly end: number;
  readonly kind: 'block' | 'format' | 'reading' | 'edge' | 'gap' | 'line' | 'note';
}

class ContentWalker {
  readonly #tree: Tree;
  readonly #urls: UrlResolver;
  readonly #footnotes: ReadonlyMap<number, string>;
  readonly #posts: ReadonlyMap<number, Post>;
  readonly #aroundPosts: ReadonlySet<number>;
  readonly #kinds: Uint8Array;
  readonly #images: Set<number>;
  readonly #content = new ContentTree();
  readonly #open: Opened[] = [];
  #rowEnd = 0;
  readonly #sources = new Set<string>();
  /** The last image; -1 if none, or if it has no source. */
  #lastImage = -1;

  constructor(tree: Tree, blocks: readonly ContentBlock[], urls: UrlResolver, marks: TreeMarks) {
    this.#tree = tree;
    this.#urls = urls;
    this.#footnotes = marks.footnotes;
    this.#posts = marks.posts;
    this.#aroundPosts = listAround(tree, marks.posts.keys());
    this.#kinds = classifyItems(tree, blocks);
    this.#images = findContentImages(tree, blocks);
  }

  walk(blocks: readonly ContentBlock[]): Root {
    let node = 0;
    for (const block of blocks) {
      while (node < block.end) node = this.#enter(node, block.first);
    }
    // Images and empty cells may follow the last text.
    const lastImage = [...this.#images].at(-1) ?? -1;
    while (node <= lastImage || node < this.#rowEnd) node = this.#enter(node, Infinity);
    while (this.#open.length > 0) this.#close(this.#open.pop()!.kind);
    return this.#content.finish();
  }

  /** Processes a node and returns the next; `first` is the first node of this block or the next. */
  #enter(node: number, first: number): number {
    const isContent = node >= first;
    while (this.#open.length > 0 && this.#open.at(-1)!.end <= node) this.#close(this.#open.pop()!.kind);
    const tag = this.#tree.tag[node];
    if (tag === TEXT) {
      const text = this.#tree.value[node];
      if (isContent) this.#content.writeText(text);
      else if (INK.test(text)) this.#content.leaveOut();
      return node + 1;
    }
    if (this.#kinds[node] === LINE_NUMBERS) return this.#tree.end[node];
    if (TAG_GAP[tag] === GAP.soft) this.#openGap(node, tag);
    if (tag === TAG.iframe && this.#images.has(node)) this.#writePlayer(node);
    if (isUnseen(this.#tree, node, isContent)) return this.#tree.end[node];
    if (tag === TAG.math) {
      if (this.#tree.end[node] > first) this.#writeFormula(node);
      return this.#tree.end[node];
    }
    const apart = readApart(this.#tree, node);
    if (apart !== APART.none) this.#openApart(node, apart, isContent);
    const rule = this.#getRule(node, tag);
    if (rule !== undefined) this.#openElement(node, rule, isContent);
    const post = this.#posts.get(node);
    if (post !== undefined) this.#openPost(post);
    // The content of an image is its fallback.
    return rule?.role === ROLE.image ? this.#tree.end[node] : node + 1;
  }

  #openPost({ author, day }: Post): void {
    this.#content.writeRule();
    if (author !== null) {
      this.#content.openFormat('strong', {});
      this.#content.writeText(author);
      this.#content.closeFormat();
    }
    if (day !== null) this.#content.writeText(author === null ? day : `, ${day}`);
    this.#content.part();
  }

  #openApart(node: number, apart: number, isContent: boolean): void {
    const end = this.#tree.end[node];
    if (apart === APART.word) this.#content.partWords();
    else if (apart === APART.phrase) this.#content.writeText(' ');
    else if (apart === APART.line) {
      this.#content.endLine();
      this.#open.push({ end, kind: 'line' });
    } else if (isContent) {
      this.#content.writeText(' (');
      this.#open.push({ end, kind: 'note' });
    }
  }

  #openGap(node: number, tag: number): void {
    if (tag === OTHER && !this.#tree.value[node].includes('-')) return;
    this.#content.partWords();
    if (tag === OTHER) this.#open.push({ end: this.#tree.end[node], kind: 'gap' });
  }

  #openElement(node: number, rule: ElementRule, isContent: boolean): void {
    const { role } = rule;
    if (role === ROLE.image) this.#writeImage(node);
    else if (role === ROLE.rule) this.#content.writeRule();
    else if (role === ROLE.lineBreak) this.#content.writeBreak();
    else if (role === ROLE.wordBreak) this.#content.join();
    else if (role === ROLE.input) this.#openInput(node);
    else if (role === ROLE.reading) this.#openReading(node, isContent);
    else if (role === ROLE.inline) this.#openFormat(node, rule);
    else this.#openBlock(node, rule);
  }

  #openBlock(node: number, rule: ElementRule): void {
    const isOpen = rule.role !== ROLE.edge && this.#content.openBlock(rule, this.#readProperties(node));
    if (!isOpen) this.#content.part();
    const end = this.#tree.end[node];
    this.#open.push({ end, kind: isOpen ? 'block' : 'edge' });
    if (isOpen && rule.name === 'tr') this.#rowEnd = Math.max(this.#rowEnd, end);
  }

  #openFormat(node: number, rule: ElementRule): void {
    const properties = this.#readProperties(node);
    // A link without an address is text.
    if (rule.name === 'a' && properties['href'] === undefined) return;
    this.#content.openFormat(rule.name, properties);
    this.#open.push({ end: this.#tree.end[node], kind: 'format' });
  }

  #readProperties(node: number): Properties {
    const properties = readAttributes(this.#tree, node, this.#urls);
    const footnote = this.#footnotes.get(node);
    return footnote === undefined ? properties : { ...properties, [FOOTNOTE]: footnote };
  }

  /** Readers without `<ruby>` need parentheses around a reading. */
  #openReading(node: number, isContent: boolean): void {
    const isBare = isContent && !followsParenthesis(this.#tree, node);
    if (isBare) this.#writeParenthesis('(');
    this.#content.openFormat('rt', {});
    this.#open.push({ end: this.#tree.end[node], kind: isBare ? 'reading' : 'format' });
  }

  #writeParenthesis(sign: string): void {
    this.#content.openFormat('rp', {});
    this.#content.writeText(sign);
    this.#content.closeFormat();
  }

  #openInput(node: number): void {
    if (getAttribute(this.#tree, node, 'type')?.toLowerCase() !== 'checkbox') return;
    this.#content.writeBox(getAttribute(this.#tree, node, 'checked') !== undefined);
  }

  #close(kind: Opened['kind']): void {
    if (kind === 'block') this.#content.closeBlock();
    else if (kind === 'edge') this.#content.part();
    else if (kind === 'gap') this.#content.partWords();
    else if (kind === 'line') this.#content.endLine();
    else if (kind === 'note') this.#content.writeText(')');
    else this.#content.closeFormat();
    if (kind === 'reading') this.#writeParenthesis(')');
  }

  /** Layout tables and code listings only separate their parts. */
  #getRule(node: number, tag: number): ElementRule | undefined {
    if (tag === TAG.table && this.#kinds[node] !== DATA_TABLE) return EDGE_RULE;
    const rule = getElementRule(isImage(this.#tree, node) ? TAG.img : tag);
    return rule !== undefined && HOLDERS.has(rule.role) && this.#aroundPosts.has(node) ? EDGE_RULE : rule;
  }

  /** Marks formulas as remark and rehype do: `<code class="language-math">`, displayed ones `math-display`. */
  #writeFormula(node: number): void {
    const isApart = isDisplayed(this.#tree, node);
    if (isApart) this.#content.endLine();
    this.#content.openFormat('code', { className: isApart ? ['language-math', 'math-display'] : ['language-math'] });
    this.#content.writeText(readFormula(this.#tree, node));
    this.#content.closeFormat();
    if (isApart) this.#content.endLine();
  }

  /** Neither Markdown nor clean HTML has frames. */
  #writePlayer(node: number): void {
    const { href, title } = readPlayer(this.#tree, node, this.#urls);
    // Lazy players have a copy for readers without scripts.
    if (href === null || this.#sources.has(href)) return;
    this.#sources.add(href);
    this.#content.part();
    this.#content.openFormat('a', { href });
    this.#content.writeText(title === '' ? href : title);
    this.#content.closeFormat();
    this.#content.part();
  }

  #writeImage(node: number): void {
    if (!this.#images.has(node) || isTrackingPixel(this.#tree, node) || isInterfaceImage(this.#tree, node)) return;
    const isCopy = this.#lastImage >= 0 && isFallback(this.#tree, node, this.#lastImage);
    const src = isCopy ? null : findSource(this.#tree, node, this.#urls);
    this.#lastImage = isCopy || src !== null ? node : -1;
    if (src === null || isPlaceholder(src) || this.#sources.has(src)) return;
    this.#sources.add(src);
    const properties: Properties = { src, alt: readAltText(this.#tree, node) };
    for (const name of ['width', 'height']) {
      const size = getAttribute(this.#tree, node, name);
      if (size !== undefined && /^\d{1,5}$/.test(size)) properties[name] = Number(size);
    }
    this.#content.writeImage(properties);
  }
}

function listAround({ parent }: Tree, nodes: Iterable<number>): ReadonlySet<number> {
  const around = new Set<number>();
  for (const node of nodes) for (let at = node; at >= 0 && !around.has(at); at = parent[at]) around.add(at);
  return around;
}
