import { TAG, TEXT } from '../tree/tags.ts';
import type { Attribute, Tree } from '../tree/tree.ts';
import { readLinkedData, type LinkedData } from './json-ld.ts';

/** Candidates beyond these counts add nothing to a page's fields; pages of a million elements stay cheap. */
const MAX_MARKED = 400;
const MAX_META = 1_000;
const MAX_META_LENGTH = 5_000;
const MAX_LABEL_LENGTH = 160;
const MAX_SCRIPTS = 200;

/** A microdata or RDFa property: its names without vocabulary, and the element that bears it. */
export interface Property {
  readonly names: readonly string[];
  readonly node: number;
}

/** What one pass over the tree finds that says something about the page as a whole. Nodes are in document order. */
export interface Signals {
  /** `meta` contents by lower-case name, property, itemprop or http-equiv. */
  readonly meta: ReadonlyMap<string, readonly string[]>;
  /** First target of each `link` relation. */
  readonly linkRels: ReadonlyMap<string, string>;
  readonly htmlLang: string | null;
  readonly baseHref: string | null;
  /** Element `<title>`, or -1. */
  readonly titleElement: number;
  readonly linkedData: LinkedData;
  readonly properties: readonly Property[];
  readonly h1s: readonly number[];
  readonly h2s: readonly number[];
  readonly times: readonly number[];
  /** Elements whose class, id, rel or the like speaks of an author. */
  readonly bylines: readonly number[];
  /** Values of attributes that name an author, with their elements. */
  readonly authorAttributes: readonly { readonly node: number; readonly value: string }[];
  /** Elements whose class or id speaks of a date. */
  readonly datelines: readonly number[];
  /** Text nodes that open with "By" or its like in other languages. */
  readonly bylineTexts: readonly number[];
  /** Short text nodes that contain a year. */
  readonly dateTexts: readonly number[];
  /** Inline scripts with data of the page's own (embedded state). */
  readonly dataScripts: readonly number[];
  readonly anchors: readonly number[];
  readonly images: readonly number[];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

type Collected = Omit<Writable<Signals>, 'linkedData' | 'meta' | 'linkRels'> & {
  meta: Map<string, string[]>;
  linkRels: Map<string, string>;
  linkedScripts: string[];
};

const AUTHOR_MARK =
  /auth?or|byline|by-line|written-?by|posted-?by|writer|creator|contributor|columnist|journalist|reporter|user-?name|nick-?name|poster\b|auteur|verfasser|redakt|redact[eo]u?r|skribent|yazar/i;
const DATE_MARK = /date|time|publish|posted|-meta|meta-|\bmeta\b|datum|fecha|published|byline|\bposted|\bage\b/i;
const BYLINE_OPENING =
  /^\s*(?:by|written by|posted by|authors?|words by|story by|text by|von|par|por|di|door|av|af|autor\w*|auteur|text|foto|tekst|автор\w*|текст|作者|文|撰文|記者|记者|編集|執筆|著者|ライター|글|글쓴이|작성자|기자|بقلم|كتب|كتبه|نویسنده|מאת|לבקר|लेखक|द्वारा|โดย|ผู้เขียน|yazan|yazar|του|της|γράφει|tác giả|bởi|oleh|penulis|autore|scritto da|escrito por|publicado por|rédigé par|écrit par|geschrieben von|napisał|автори|skrevet av|skriven av|kirjoittanut|írta)(?=[\s:：／/・|｜]|$)/i;
const YEAR =
  /(?<![\p{Nd}$€£.,])(?:(?:19|20)\d{2}|25[5-9]\d|1[34]\d{2}|[\u0661\u06f1][\u0663\u0664\u06f3\u06f4\u0669\u06f9]|[\u0662\u06f2][\u0660\u06f0]|[\u096f\u0967]\u096f|\u0968\u0966|\u0e52\u0e55)|\d[./-]\d{1,2}[./-]\d{2}\b|[令平]|二〇|民國|['’]\d\d\b/u;

/** One pass over the tree. Bounded in what it keeps, except links and images, which it lists all. */
export function collectSignals(tree: Tree): Signals {
  const found: Collected = createCollected();
  const { tag, attributes, size } = tree;
  for (let node = 1; node < size; node++) {
    const code = tag[node]!;
    if (code === TEXT) {
      collectText(tree, node, found);
      continue;
    }
    const list = attributes[node];
    if (list !== undefined && code !== TAG.meta && code !== TAG.link) collectMarks(node, code, list, found);
    collectElement(tree, node, code, list, found);
  }
  const { linkedScripts, ...signals } = found;
  return { ...signals, linkedData: readLinkedData(linkedScripts) };
}

function createCollected(): Collected {
  return {
    meta: new Map(),
    linkRels: new Map(),
    htmlLang: null,
    baseHref: null,
    titleElement: -1,
    linkedScripts: [],
    properties: [],
    h1s: [],
    h2s: [],
    times: [],
    bylines: [],
    authorAttributes: [],
    datelines: [],
    bylineTexts: [],
    dateTexts: [],
    dataScripts: [],
    anchors: [],
    images: [],
  };
}

function collectElement(
  tree: Tree,
  node: number,
  code: number,
  list: readonly Attribute[] | undefined,
  found: Collected,
): void {
  switch (code) {
    case TAG.a:
      if (list !== undefined) found.anchors.push(node);
      break;
    case TAG.img:
      if (list !== undefined) found.images.push(node);
      break;
    case TAG.meta:
      if (list !== undefined) collectMeta(list, found);
      break;
    case TAG.link:
      if (list !== undefined) collectLinkRel(list, found);
      break;
    case TAG.script:
      collectScript(tree, node, list, found);
      break;
    case TAG.time:
      if (found.times.length < MAX_MARKED) found.times.push(node);
      break;
    case TAG.h1:
      if (found.h1s.length < MAX_MARKED) found.h1s.push(node);
      break;
    case TAG.h2:
      if (found.h2s.length < MAX_MARKED) found.h2s.push(node);
      break;
    case TAG.title:
      if (found.titleElement < 0) found.titleElement = node;
      break;
    case TAG.base:
      found.baseHref ??= find(list, 'href') ?? null;
      break;
    case TAG.html:
      found.htmlLang = find(list, 'lang') || find(list, 'xml:lang') || null;
      break;
  }
}

function collectText(tree: Tree, node: number, found: Collected): void {
  const text = tree.value[node]!;
  if (text.length > MAX_LABEL_LENGTH || text.length < 2) return;
  if (found.bylineTexts.length < MAX_MARKED && BYLINE_OPENING.test(text)) found.bylineTexts.push(node);
  if (found.dateTexts.length < MAX_MARKED && text.length >= 6 && YEAR.test(text) && isShown(tree, node)) {
    found.dateTexts.push(node);
  }
}

function isShown(tree: Tree, node: number): boolean {
  const code = tree.tag[tree.parent[node]!]!;
  return code !== TAG.script && code !== TAG.style && code !== TAG.title;
}

function collectMarks(node: number, code: number, list: readonly Attribute[], found: Collected): void {
  let author = false;
  let date = false;
  for (let i = 0; i < list.length; i++) {
    const { name, value } = list[i]!;
    switch (name) {
      case 'class':
      case 'id':
      case 'data-testid':
      case 'data-component':
        if (value.length < 2 || value.length > 400) break;
        author ||= AUTHOR_MARK.test(value);
        date ||= DATE_MARK.test(value);
        break;
      case 'author':
      case 'data-author':
      case 'data-author-name':
      case 'data-author-username':
      case 'data-poster-name':
      case 'data-username':
        if (found.authorAttributes.length < MAX_MARKED) found.authorAttributes.push({ node, value });
        break;
      case 'rel':
        author ||= value === 'author';
        break;
      case 'itemprop':
      case 'property':
        if (value !== '' && value.length < 200 && found.properties.length < MAX_MARKED * 5) {
          found.properties.push({ names: value.split(/\s+/).map(stripVocabulary), node });
        }
        break;
    }
  }
  if (code === TAG.body || code === TAG.html || code === TAG.script) return;
  if (author && found.bylines.length < MAX_MARKED) found.bylines.push(node);
  if (date && found.datelines.length < MAX_MARKED) found.datelines.push(node);
}

/** `schema:author`, `http://schema.org/author` and `author` are one property. */
function stripVocabulary(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf(':'), name.lastIndexOf('#')) + 1);
}

function collectMeta(list: readonly Attribute[], found: Collected): void {
  const content = find(list, 'content');
  if (content === undefined || content === '' || found.meta.size >= MAX_META) return;
  for (const { name, value } of list) {
    if (name !== 'name' && name !== 'property' && name !== 'itemprop' && name !== 'http-equiv') continue;
    const key = value.trim().toLowerCase();
    const values = found.meta.get(key);
    if (values === undefined) found.meta.set(key, [content.slice(0, MAX_META_LENGTH)]);
    else if (values.length < 50) values.push(content.slice(0, MAX_META_LENGTH));
  }
}

function collectLinkRel(list: readonly Attribute[], found: Collected): void {
  const rel = find(list, 'rel');
  const href = find(list, 'href');
  if (rel === undefined || href === undefined || found.linkRels.size >= MAX_META) return;
  for (const name of rel.slice(0, 200).toLowerCase().split(/\s+/)) {
    if (!found.linkRels.has(name)) found.linkRels.set(name, href);
  }
}

function collectScript(tree: Tree, node: number, list: readonly Attribute[] | undefined, found: Collected): void {
  const child = node + 1;
  if (child >= tree.end[node]! || tree.tag[child] !== TEXT) return;
  const type = find(list, 'type');
  if (type !== undefined && /^\s*application\/ld\+json/i.test(type)) {
    if (found.linkedScripts.length < MAX_SCRIPTS) found.linkedScripts.push(tree.value[child]!);
  } else if (found.dataScripts.length < MAX_SCRIPTS) found.dataScripts.push(child);
}

function find(list: readonly Attribute[] | undefined, name: string): string | undefined {
  if (list === undefined) return undefined;
  for (const attribute of list) if (attribute.name === name) return attribute.value;
  return undefined;
}
