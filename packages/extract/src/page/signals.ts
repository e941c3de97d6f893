import { isImage } from '../tree/is-image.ts';
import { memoize } from '../tree/memoize.ts';
import { indexLengths, mayBeName, mayStartName } from '../tree/name-lengths.ts';
import { OTHER, TAG, TEXT } from '../tree/tags.ts';
import type { Attribute, Tree } from '../tree/tree.ts';
import { readLinkedData, type LinkedData } from './json-ld.ts';
import { codeAt } from '../tree/code-at.ts';
import { cut } from '../tree/text/node-text.ts';

/** More candidates add nothing. */
const MAX_MARKED = 400;
const MAX_META = 1_000;
const MAX_META_LENGTH = 5_000;
const MAX_LABEL_LENGTH = 160;
/** Maximum length including surrounding white space. */
const MAX_PADDED_LENGTH = 1_000;
const MAX_SCRIPTS = 200;
const MAX_NAMES = 10_000;

export interface Property {
  readonly names: readonly string[];
  readonly node: number;
}

/** Findings of one pass over the tree, in document order. */
export interface Signals {
  /** `meta` contents by lower-case name, property, itemprop or http-equiv. */
  readonly meta: ReadonlyMap<string, readonly string[]>;
  readonly htmlLang: string | null;
  readonly baseHref: string | null;
  /** -1 without a `<title>`. */
  readonly titleElement: number;
  readonly linkedData: LinkedData;
  readonly properties: readonly Property[];
  readonly h1s: readonly number[];
  readonly h2s: readonly number[];
  readonly times: readonly number[];
  readonly bylines: readonly number[];
  readonly authorAttributes: readonly { readonly node: number; readonly value: string }[];
  readonly dateAttributes: readonly { readonly node: number; readonly value: string }[];
  readonly datelines: readonly number[];
  /** Text nodes that start with "By" or the like in other languages. */
  readonly bylineTexts: readonly number[];
  readonly dateTexts: readonly number[];
  readonly dataScripts: readonly number[];
  readonly anchors: readonly number[];
  readonly images: readonly number[];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

type Collected = Omit<Writable<Signals>, 'linkedData' | 'meta'> & {
  meta: Map<string, string[]>;
  linkedScripts: string[];
  /** Class names repeat over a page. */
  readMarks: (name: string) => number;
};

const AUTHOR_MARK =
  /auth?or|byline|by-line|written-?by|posted-?by|writer|creator|contributor|columnist|journalist|reporter|user-?(?:name|info|details)|nick-?name|poster\b|post-?(?:left|profile|user)|auteur|verfasser|redakt|redact[eo]u?r|skribent|yazar/i;
const DATE_MARK = /date|time|publish|posted|-meta|meta-|\bmeta\b|datum|fecha|byline|\bage\b/i;
/** First words of bylines; the few texts that pass are read fully later. */
const BYLINE_WORDS: ReadonlySet<string> = new Set(
  `by written posted author authors contributor contributors thread topic original words story text article report published reviewed medically this from created submitted contributed started asked
  von par por di door av af da od przez autor autora autorka autorzy autoren autorin autores auteur auteurs auteure autrice autore szerző skribent tekst texto foto
  verfasst geschrieben ein scritto a escrito publicado rédigé écrit publié geschreven skrevet skriven kirjoittanut napisał napisała írta
  автор авторы автори текст опубликовал опубликовала написал συντάκτης συντάκτρια γράφει του της από yazan yazar haber ditulis oleh penulis tác bởi đăng theo
  作者 文 責任編輯 责任编辑 责编 撰文 記者 记者 編輯 编辑 編集 執筆 執筆者 著者 ライター 投稿者 글 글쓴이 작성자 지은이 기자 기자명 本报记者 本報記者 本网记者 本刊记者 بقلم كتب كتبه كتبت الكاتب المؤلف نویسنده به تحریر
  מאת נכתב लेखक लेखिका द्वारा লেখক লিখেছেন ผู้เขียน เขียนโดย โดย`.split(/\s+/),
);
const LONGEST_BYLINE_WORD = 14;
/** Thai has no space after the word. */
const THAI_OPENING = /^\s*(?:โดย|เขียนโดย)/;
/** Cheap pre-check for `YEAR`. */
const MAYBE_YEAR =
  /[12]\d{3}|\d[./-]\d|['’]\d\d|[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59令平二民]/;
const YEAR =
  /(?<![\p{Nd}$€£.,])(?:(?:19|20)\d{2}|25[5-9]\d|1[34]\d{2}|[\u0661\u06f1][\u0663\u0664\u06f3\u06f4\u0669\u06f9]|[\u0662\u06f2][\u0660\u06f0]|[\u096f\u0967]\u096f|\u0968\u0966|\u0e52\u0e55)|\d[./-]\d{1,2}[./-](?:\d{4}|\d{2})\b|[令平]|二〇|民國|['’]\d\d\b/u;

/** Collects the signals; all lists except links and images are bounded. */
export function collectSignals(tree: Tree): Signals {
  const found: Collected = createCollected();
  const { tag, attributes, size } = tree;
  for (let node = 1; node < size; node++) {
    const code = tag[node];
    if (code === TEXT) {
      collectText(tree, node, found);
      continue;
    }
    const list = attributes[node];
    if (list !== undefined && code !== TAG.meta && code !== TAG.link) collectMarks(node, code, list, found);
    collectElement(tree, node, code, list, found);
  }
  const { linkedScripts, readMarks: _readMarks, ...signals } = found;
  return { ...signals, linkedData: readLinkedData(linkedScripts) };
}

function createCollected(): Collected {
  return {
    meta: new Map(),
    htmlLang: null,
    baseHref: null,
    titleElement: -1,
    linkedScripts: [],
    readMarks: memoize(readMarks, MAX_NAMES),
    properties: [],
    h1s: [],
    h2s: [],
    times: [],
    bylines: [],
    authorAttributes: [],
    dateAttributes: [],
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
    case OTHER:
      if (list !== undefined && isImage(tree, node)) found.images.push(node);
      break;
    case TAG.meta:
      if (list !== undefined) collectMeta(list, found);
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
  const text = tree.value[node];
  let { length } = text;
  if (length > MAX_PADDED_LENGTH || length < 2) return;
  let start = 0;
  while (start < length && codeAt(text, start) <= 0x20) start++;
  while (length > start && codeAt(text, length - 1) <= 0x20) length--;
  if (length - start > MAX_LABEL_LENGTH) return;
  // Most short texts are white space between elements.
  if (length - start < 2) return;
  if (opensLikeByline(text, start) && found.bylineTexts.length < MAX_MARKED) found.bylineTexts.push(node);
  if (length - start < 6 || !MAYBE_YEAR.test(text) || found.dateTexts.length >= MAX_MARKED) return;
  if (YEAR.test(text) && isShown(tree, node)) found.dateTexts.push(node);
}

function opensLikeByline(text: string, from: number): boolean {
  const start = isBracket(codeAt(text, from)) ? from + 1 : from;
  const first = codeAt(text, start) | 0x20;
  // Most texts end here, before their first word is copied.
  if (!mayStartName(BYLINE_LENGTHS, first)) return false;
  let end = start;
  while (end < text.length && end - start <= LONGEST_BYLINE_WORD && !isWordEnd(codeAt(text, end))) end++;
  const length = end - start;
  if (length === 0) return false;
  if (!mayBeName(BYLINE_LENGTHS, first, length)) return false;
  if (length <= LONGEST_BYLINE_WORD && BYLINE_WORDS.has(text.slice(start, end).toLowerCase())) return true;
  return first >> 8 === 0x0e && THAI_OPENING.test(text);
}

/** "(责编：王小明)" */
function isBracket(code: number): boolean {
  return code === 0x28 || code === 0x5b || code === 0xff08 || code === 0x3010;
}

const BYLINE_LENGTHS = indexLengths(BYLINE_WORDS);

function isWordEnd(code: number): boolean {
  if (code < 0x80) return code <= 0x20 || code === 0x3a || code === 0x2f || code === 0x7c || code === 0x28;
  return code === 0xa0 || code === 0x3000 || code === 0xff1a || code === 0xff0f || code === 0xff5c || code === 0x30fb;
}

function isShown(tree: Tree, node: number): boolean {
  const code = tree.tag[tree.parent[node]];
  return code !== TAG.script && code !== TAG.style && code !== TAG.title;
}

const NAMES = 1;
const AUTHOR_VALUE = 2;
const DATE_VALUE = 3;
const REL = 4;
const PROPERTY = 5;

const ATTRIBUTES: ReadonlyMap<string, number> = new Map([
  ...listNames(NAMES, 'class id data-testid data-component'),
  ...listNames(AUTHOR_VALUE, 'author data-author data-author-name data-author-username data-poster-name data-username'),
  ...listNames(
    DATE_VALUE,
    'created-timestamp datetime published-at publishdate publish-date data-created-at data-date-published data-publish-date data-pubdate data-publishdate data-published data-published-at',
  ),
  ...listNames(REL, 'rel'),
  ...listNames(PROPERTY, 'itemprop property'),
]);

const ATTRIBUTE_LENGTHS = indexLengths(ATTRIBUTES.keys());

function listNames(kind: number, names: string): [string, number][] {
  return names.split(' ').map((name) => [name, kind]);
}

function collectMarks(node: number, code: number, list: readonly Attribute[], found: Collected): void {
  let marks = 0;
  for (let i = 0; i < list.length; i++) {
    const { name, value } = list[i];
    const first = codeAt(name, 0);
    // The length is slower to read than the first character.
    if (!mayStartName(ATTRIBUTE_LENGTHS, first) || !mayBeName(ATTRIBUTE_LENGTHS, first, name.length)) continue;
    const kind = name === 'class' ? NAMES : ATTRIBUTES.get(name);
    if (kind === undefined) continue;
    if (kind === NAMES) {
      if (value.length >= 2 && value.length <= 240) marks |= found.readMarks(value);
    } else if (kind === AUTHOR_VALUE) {
      if (found.authorAttributes.length < MAX_MARKED) found.authorAttributes.push({ node, value });
    } else if (kind === DATE_VALUE) {
      // `<time>` is read elsewhere; this is for custom elements (`<relative-time datetime>`).
      if (name === 'datetime' && (code === TAG.time || code === TAG.ins || code === TAG.del)) continue;
      if (found.dateAttributes.length < MAX_MARKED) found.dateAttributes.push({ node, value });
    } else if (kind === REL) {
      if (value === 'author') marks |= AUTHOR;
    } else if (value !== '' && value.length < 200 && found.properties.length < MAX_MARKED * 5) {
      found.properties.push({ names: value.split(/\s+/).map(stripVocabulary), node });
    }
  }
  if (code === TAG.body || code === TAG.html || code === TAG.script) return;
  if ((marks & AUTHOR) !== 0 && found.bylines.length < MAX_MARKED) found.bylines.push(node);
  if ((marks & DATE) !== 0 && found.datelines.length < MAX_MARKED) found.datelines.push(node);
}

const AUTHOR = 1;
const DATE = 2;

function readMarks(name: string): number {
  return (AUTHOR_MARK.test(name) ? AUTHOR : 0) | (DATE_MARK.test(name) ? DATE : 0);
}

/** Reduces `schema:author` and `http://schema.org/author` to `author`. */
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
    if (values === undefined) found.meta.set(key, [cut(content, MAX_META_LENGTH)]);
    else if (values.length < 50) values.push(cut(content, MAX_META_LENGTH));
  }
}

function collectScript(tree: Tree, node: number, list: readonly Attribute[] | undefined, found: Collected): void {
  const child = node + 1;
  if (child >= tree.end[node] || tree.tag[child] !== TEXT) return;
  const type = find(list, 'type');
  if (type !== undefined && /^\s*application\/ld\+json/i.test(type)) {
    if (found.linkedScripts.length < MAX_SCRIPTS) found.linkedScripts.push(tree.value[child]);
  } else if (found.dataScripts.length < MAX_SCRIPTS) found.dataScripts.push(child);
}

function find(list: readonly Attribute[] | undefined, name: string): string | undefined {
  if (list === undefined) return undefined;
  for (const attribute of list) if (attribute.name === name) return attribute.value;
  return undefined;
}
