import {
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter as dom,
  html as spec,
  parse,
  parseFragment,
  serialize,
} from 'parse5';
import type { BenchmarkPage } from '../quality/benchmark-page.ts';
import { listDatePairs } from './page-dates.ts';
import { SeededRandom } from './seeded-random.ts';

type Document = DefaultTreeAdapterTypes.Document;
type Element = DefaultTreeAdapterTypes.Element;
type TextNode = DefaultTreeAdapterTypes.TextNode;
type Node = DefaultTreeAdapterTypes.ChildNode;

/** Content of one generated page, which is also its truth. */
export interface Story {
  readonly title: string;
  readonly author: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly text: string;
}

export interface SitePage {
  readonly url: string;
  readonly html: string;
  readonly story: Story;
}

/** A real page as a layout, and the fields of a story that it has places for. */
export interface Layout {
  readonly id: string;
  readonly html: string;
  readonly page: BenchmarkPage;
  readonly hasTitle: boolean;
  readonly hasAuthor: boolean;
  readonly hasDate: boolean;
}

/**
 * Makes a layout of a real page. Undefined if its main text is not in one place, or its title is not found.
 */
export function readLayout(page: BenchmarkPage, html: string): Layout | undefined {
  const document = parse(html, { scriptingEnabled: false });
  const container = findContainer(document, page.truth.mainContent);
  if (container === undefined) return undefined;
  const { title, author, publishDate } = page.truth;
  const hasTitle = title !== null && countInBody(document, title) > 0;
  if (!hasTitle) return undefined;
  // Fields inside the main text disappear with it.
  takeOut(container, page.truth.mainContent);
  // A layout has a place for one name only.
  const hasAuthor =
    author !== null && author.length > 4 && !/,| and | & /.test(author) && showsAuthor(document, author);
  const hasDate = publishDate !== null && /^\d{4}-\d\d-\d\d$/.test(publishDate) && showsDate(document, publishDate);
  return { id: page.id, html, page, hasTitle, hasAuthor, hasDate };
}

/** Renders one page of a site: the layout with a story and noise that differs by page; if `changed`, with the new markup. */
export function makePage(
  layout: Layout,
  story: Story,
  others: readonly Story[],
  seed: number,
  host: string,
  changed: boolean,
): SitePage {
  const document = parse(layout.html, { scriptingEnabled: false });
  const site = new SeededRandom(seed);
  const page = new SeededRandom(hashText(story.title) ^ seed);
  const { truth } = layout.page;
  const url = makeUrl(host, story, seed);
  const container = findContainer(document, truth.mainContent);
  if (container === undefined) throw new Error(`layout ${layout.id} has no container`);
  replaceContent(container, truth.mainContent, story, page);
  const replacements: [string, string][] = [];
  if (truth.title !== null) replacements.push([truth.title, story.title]);
  if (layout.hasAuthor && truth.author !== null) replacements.push([truth.author, story.author]);
  if (layout.hasDate && truth.publishDate !== null) replacements.push(...listDatePairs(truth.publishDate, story.day));
  if (layout.page.url !== undefined) replacements.push([layout.page.url, url]);
  replaceEverywhere(document, replacements, container);
  replaceMetadata(document, layout, story);
  addNoise(container, others, site, page, host);
  if (changed) changeMarkup(document, container, layout.hasAuthor ? story.author : undefined);
  return { url, html: serialize(document), story };
}

/* -------------------------------------------------------------- content */

const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head', 'title']);

/** Returns the lowest element with nearly all of the text; undefined if the text is scattered or missing. */
function findContainer(document: Document, text: string): Element | undefined {
  const truth = fold(text);
  const total = truth.split(' ').length;
  if (total < 60) return undefined;
  const held = new Map<Node, number>();
  let matched = 0;
  for (const node of listTexts(document)) {
    const words = fold(node.value);
    const count = words === '' ? 0 : words.split(' ').length;
    if (count < 4 || !truth.includes(words)) continue;
    matched += count;
    for (let above = node.parentNode; above !== null && 'tagName' in above; above = above.parentNode) {
      held.set(above, (held.get(above) ?? 0) + count);
    }
  }
  if (matched < 0.6 * total || matched > 1.3 * total) return undefined;
  let best: Element | undefined;
  for (const [node, count] of held) {
    if (count >= 0.9 * matched && 'tagName' in node && (best === undefined || isInside(node, best))) best = node;
  }
  return best === undefined || ['body', 'html', 'main'].includes(best.tagName) ? undefined : best;
}

function isInside(node: Node, holder: Element): boolean {
  for (let above = node.parentNode; above !== null; above = 'parentNode' in above ? above.parentNode : null)
    if (above === holder) return true;
  return false;
}

/** Replaces the old text in the container by the story, and keeps other nodes. */
function replaceContent(container: Element, oldText: string, story: Story, random: SeededRandom): void {
  const before = takeOut(container, oldText);
  const after =
    before === undefined ? container.childNodes[0] : container.childNodes[container.childNodes.indexOf(before) + 1];
  for (const node of parseFragment(renderStory(story, random)).childNodes) {
    if (after === undefined) dom.appendChild(container, node);
    else dom.insertBefore(container, node, after);
  }
}

/** Removes the text from the container; returns the last node before it. */
function takeOut(container: Element, oldText: string): Node | undefined {
  const truth = fold(oldText);
  let before: Node | undefined;
  let found = false;
  for (const child of container.childNodes.slice()) {
    const words = fold(readText(child));
    const count = words === '' ? 0 : words.split(' ').length;
    const share = count === 0 ? 0 : countMatched(child, truth) / count;
    if (share > 0.3 || (count > 0 && count < 12 && truth.includes(words))) {
      dom.detachNode(child);
      found = true;
    } else if (!found) before = child;
  }
  return before;
}

function countMatched(node: Node, truth: string): number {
  let sum = 0;
  for (const text of listTexts(node)) {
    const words = fold(text.value);
    if (words !== '' && truth.includes(words)) sum += words.split(' ').length;
  }
  return sum;
}

/** Renders paragraphs with some inline markup, and a short line before a long one as a heading. */
function renderStory(story: Story, random: SeededRandom): string {
  const parts = story.text
    .split(/\n+/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return parts
    .map((part, index) => {
      const words = part.split(/\s+/);
      if (words.length <= 9 && !/[.!?:,;]$/.test(part) && (parts[index + 1]?.length ?? 0) > 80)
        return `<h2>${escape(part)}</h2>`;
      return `<p>${decorate(words, random)}</p>`;
    })
    .join('\n');
}

function decorate(words: readonly string[], random: SeededRandom): string {
  if (words.length < 15 || random.next() < 0.6) return escape(words.join(' '));
  const from = random.between(2, words.length - 8);
  const to = from + random.between(1, 4);
  const [open, close] =
    random.next() < 0.5 ? ['<a href="https://elsewhere.example/x">', '</a>'] : ['<strong>', '</strong>'];
  return `${escape(words.slice(0, from).join(' '))} ${open}${escape(words.slice(from, to).join(' '))}${close} ${escape(words.slice(to).join(' '))}`;
}

/* ------------------------------------------------------------ replacing */

function replaceEverywhere(
  document: Document,
  pairs: readonly (readonly [string, string])[],
  container: Element,
): void {
  const stories = new Set(container.childNodes);
  const walk = (node: Node | Document, inScript: boolean): void => {
    if ('value' in node) {
      for (const [from, to] of pairs)
        node.value = inScript ? replaceAll(node.value, toJson(from), toJson(to)) : replaceAll(node.value, from, to);
      return;
    }
    if ('attrs' in node) {
      for (const attribute of node.attrs)
        for (const [from, to] of pairs) attribute.value = replaceAll(attribute.value, from, to);
    }
    if (!('childNodes' in node)) return;
    for (const child of node.childNodes) {
      // The story itself is not changed.
      if (
        node === container &&
        stories.has(child) &&
        'tagName' in child &&
        (child.tagName === 'p' || child.tagName === 'h2') &&
        child.attrs.length === 0
      )
        continue;
      walk(child, 'tagName' in node && node.tagName === 'script');
    }
  };
  walk(document, false);
}

/** Replaces metadata whose wording differs from the truth, as the site's software would. */
function replaceMetadata(document: Document, layout: Layout, story: Story): void {
  const old = layout.page.truth;
  const fill = (content: string, oldValue: string | null, newValue: string): string =>
    content.includes(newValue) || overlap(content, oldValue ?? '') < 0.5 ? content : newValue;
  const walk = (node: Node | Document): void => {
    if ('tagName' in node) {
      const [first] = node.childNodes;
      if (node.tagName === 'meta') fillMeta(node, layout, story, fill);
      else if (node.tagName === 'title' && first !== undefined && 'value' in first)
        first.value = fill(first.value, old.title, `${story.title} | ${layout.id}`);
      else if (
        node.tagName === 'script' &&
        first !== undefined &&
        'value' in first &&
        first.value.includes('schema.org')
      )
        first.value = fillJsonLd(first.value, layout, story, fill);
    }
    if ('childNodes' in node) for (const child of node.childNodes) walk(child);
  };
  walk(document);
}

type Fill = (content: string, oldValue: string | null, newValue: string) => string;

function fillMeta(node: Element, layout: Layout, story: Story, fill: Fill): void {
  const key =
    node.attrs
      .find((one) => one.name === 'property' || one.name === 'name' || one.name === 'itemprop')
      ?.value.toLowerCase() ?? '';
  const content = node.attrs.find((one) => one.name === 'content');
  if (content === undefined) return;
  if (/title$|headline/.test(key)) content.value = fill(content.value, layout.page.truth.title, story.title);
  else if (key.endsWith('description')) content.value = story.text.replace(/\s+/g, ' ').slice(0, 150);
  else if (/published_time|datepublished|date(?![a-z])/.test(key) && layout.hasDate)
    content.value = content.value.replace(/^\d{4}-\d\d-\d\d/, story.day);
  else if (/author/.test(key) && layout.hasAuthor)
    content.value = fill(content.value, layout.page.truth.author, story.author);
}

function fillJsonLd(source: string, layout: Layout, story: Story, fill: Fill): string {
  const { title, author } = layout.page.truth;
  let text = source.replace(
    /("headline"\s*:\s*")((?:[^"\\]|\\.)*)/g,
    (_all, before: string, value: string) => before + fill(value, title, toJson(story.title)),
  );
  if (layout.hasDate) text = text.replace(/("datePublished"\s*:\s*")\d{4}-\d\d-\d\d/g, `$1${story.day}`);
  if (!layout.hasAuthor) return text;
  return text.replace(
    /("author"\s*:\s*(?:\[\s*)?\{[^{}]*?"name"\s*:\s*")((?:[^"\\]|\\.)*)/g,
    (_all, before: string, value: string) => before + fill(value, author, toJson(story.author)),
  );
}

/** Returns the share of the second text's words that are in the first. */
function overlap(text: string, other: string): number {
  const words = fold(other).split(' ');
  const have = new Set(fold(text).split(' '));
  return words.filter((word) => have.has(word)).length / words.length;
}

function replaceAll(text: string, from: string, to: string): string {
  return text.includes(from) ? text.split(from).join(to) : text;
}

function toJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/* ---------------------------------------------------------------- noise */

/** Class names of noise; each site draws one of each list. */
const RELATED_NAMES = ['related-posts', 'more-stories', 'recommended', 'read-next', 'also-like'];
const META_NAMES = ['stats', 'post-meta-extra', 'counters', 'reactions', 'tools'];
const SIDE_NAMES = ['popular', 'trending-list', 'latest-news', 'most-read', 'sidebar-posts'];

/** Adds non-content that differs on every page: related links, dates, counters. */
function addNoise(
  container: Element,
  others: readonly Story[],
  site: SeededRandom,
  page: SeededRandom,
  host: string,
): void {
  const names = [RELATED_NAMES, META_NAMES, SIDE_NAMES].map((list) => list[site.between(0, list.length - 1)] ?? '');
  const insideRelated = site.next() < 0.6;
  const list = (count: number): string =>
    page
      .shuffle(others)
      .slice(0, count)
      .map(
        (other) =>
          `<li><a href="https://${host}/${slugify(other.title)}">${escape(other.title)}</a> <span class="when">${other.day}</span></li>`,
      )
      .join('');
  const related = `<div class="${names[0]}"><h3>You may also like</h3><ul>${list(page.between(3, 6))}</ul></div>`;
  const counters = `<div class="${names[1]}"><span>${page.between(100, 99_999)} views</span> <span>${page.between(0, 300)} comments</span> <span>${page.between(1, 59)} minutes ago</span></div>`;
  const side = `<aside class="${names[2]}"><h4>Most read this week</h4><ol>${list(5)}</ol></aside>`;
  const parent = container.parentNode;
  append(container, counters);
  if (insideRelated || parent === null || !('tagName' in parent)) append(container, related);
  else append(parent, related);
  if (parent !== null && 'tagName' in parent) append(parent, side);
}

function append(parent: Element, source: string): void {
  for (const node of parseFragment(source).childNodes) dom.appendChild(parent, node);
}

/* --------------------------------------------------------------- change */

/** Changes class names and ids, adds a wrapper, and moves the author's name. */
function changeMarkup(document: Document, container: Element, author: string | undefined): void {
  if (author !== undefined) moveAuthor(document, container, author);
  const walk = (node: Node | Document): void => {
    if ('attrs' in node) {
      for (const attribute of node.attrs) {
        if (attribute.name === 'class')
          attribute.value = attribute.value.split(/\s+/).filter(Boolean).map(renameToken).join(' ');
        else if (attribute.name === 'id') attribute.value = renameToken(attribute.value);
      }
    }
    if ('childNodes' in node) for (const child of node.childNodes) walk(child);
  };
  walk(document);
  const wrapper = dom.createElement('div', spec.NS.HTML, [{ name: 'class', value: 'layout-shell' }]);
  const parent = container.parentNode;
  if (parent === null) return;
  dom.insertBefore(parent, wrapper, container);
  dom.detachNode(container);
  dom.appendChild(wrapper, container);
}

/** Returns another token of the same form. */
function renameToken(token: string): string {
  if (!/^[a-z]/i.test(token)) return token;
  const turned = token.split('').toReversed().join('');
  return `n-${turned.replace(/^[^a-z]+/i, 'x')}`;
}

function moveAuthor(document: Document, container: Element, author: string): void {
  const text = listTexts(document).find((node) => node.value.includes(author) && !isInside(node, container));
  const holder = text?.parentNode;
  if (
    holder === null ||
    holder === undefined ||
    !('tagName' in holder) ||
    ['body', 'html', 'title'].includes(holder.tagName) ||
    isInside(container, holder)
  )
    return;
  dom.detachNode(holder);
  const parent = container.parentNode;
  if (parent === null) return;
  const box = dom.createElement('div', spec.NS.HTML, [{ name: 'class', value: 'written-by' }]);
  dom.appendChild(box, holder);
  dom.insertBefore(parent, box, container);
}

/* -------------------------------------------------------------- helpers */

function makeUrl(host: string, story: Story, seed: number): string {
  const slug = slugify(story.title);
  const [year, month] = story.day.split('-');
  const paths = [
    `/${slug}`,
    `/blog/${slug}`,
    `/${year}/${month}/${slug}`,
    `/articles/${hashText(story.title) % 1_000_000}/${slug}`,
    `/news/${slug}.html`,
  ];
  return `https://${host}${paths[seed % paths.length]}`;
}

function slugify(title: string): string {
  return (
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 70) || 'a-page'
  );
}

function hashText(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return Math.abs(hash);
}

function countInBody(document: Document, text: string): number {
  return listTexts(document).filter((node) => node.value.includes(text)).length;
}

/** Whether the page names the author in metadata or in a text marked as a byline. */
function showsAuthor(document: Document, author: string): boolean {
  return someNode(document, (node) => {
    if ('value' in node) {
      const parent = node.parentNode;
      const script = parent !== null && 'tagName' in parent && parent.tagName === 'script';
      if (script) return node.value.includes(`"author"`) && node.value.includes(toJson(author));
      if (!node.value.includes(author) || node.value.length > author.length + 60) return false;
      return (
        /^\s*(?:posted |written )?by\b/i.test(node.value) || isMarked(node, /auth?or|byline|writer|posted|creator/i)
      );
    }
    return isMeta(node, /author|creator/i) && readAttribute(node, 'content').includes(author);
  });
}

/** Whether a text, a time element or metadata of the page contains the day. */
function showsDate(document: Document, day: string): boolean {
  const spellings = listDatePairs(day, day).map(([text]) => text);
  return someNode(document, (node) => {
    const value = 'value' in node ? node.value : readAttribute(node, 'datetime') || readAttribute(node, 'content');
    return spellings.some((text) => value.includes(text));
  });
}

function someNode(document: Document, test: (node: TextNode | Element) => boolean): boolean {
  const waiting: Node[] = document.childNodes.slice();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (('tagName' in node || isText(node)) && test(node)) return true;
    if ('childNodes' in node) waiting.push(...node.childNodes);
  }
  return false;
}

function isText(node: Node): node is TextNode {
  return node.nodeName === '#text';
}

function isMarked(node: TextNode, names: RegExp): boolean {
  let above: Node | DefaultTreeAdapterTypes.ParentNode | null = node.parentNode;
  for (let level = 0; level < 3 && above !== null && 'attrs' in above; level++) {
    const element: Element = above;
    if (element.attrs.some(({ name, value }) => /^(?:class|id|itemprop|rel)$/.test(name) && names.test(value)))
      return true;
    above = element.parentNode;
  }
  return false;
}

function isMeta(node: TextNode | Element, names: RegExp): node is Element {
  return (
    'tagName' in node &&
    node.tagName === 'meta' &&
    names.test(readAttribute(node, 'name') || readAttribute(node, 'property'))
  );
}

function readAttribute(node: TextNode | Element, name: string): string {
  return ('attrs' in node ? node.attrs.find((one) => one.name === name)?.value : undefined) ?? '';
}

function listTexts(node: Node | Document): TextNode[] {
  if ('value' in node) return [node];
  if (!('childNodes' in node) || ('tagName' in node && SKIPPED.has(node.tagName))) return [];
  return node.childNodes.flatMap(listTexts);
}

function readText(node: Node): string {
  return listTexts(node)
    .map((text) => text.value)
    .join(' ');
}

function fold(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
