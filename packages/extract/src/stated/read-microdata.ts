import { getNodeText } from '../tree/text/node-text.ts';
import type { UrlResolver } from '../tree/url-resolver.ts';
import { TEXT } from '../tree/tags.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';

const MAX_ITEMS = 1_000;
const MAX_PROPERTIES = 10_000;
const MAX_DEPTH = 30;

/** Value attributes by element (HTML Living Standard, 5.2.4). */
const VALUE_ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    meta: 'content',
    audio: 'src',
    embed: 'src',
    iframe: 'src',
    img: 'src',
    source: 'src',
    track: 'src',
    video: 'src',
    a: 'href',
    area: 'href',
    link: 'href',
    object: 'data',
    data: 'value',
    meter: 'value',
    time: 'datetime',
  }),
);
const ADDRESSES: ReadonlySet<string> = new Set(['src', 'href', 'data']);

type Item = Record<string, unknown>;

interface OpenItem {
  readonly end: number;
  readonly item: Item;
}

/**
 * Top-level microdata items in document order, as JSON-LD: `@type` without vocabulary, one value or an array for each
 * property. One pass; `itemref` is not followed.
 */
export function readMicrodata(tree: Tree, urls: UrlResolver): Item[] {
  const top: Item[] = [];
  const open: OpenItem[] = [];
  let items = 0;
  let properties = 0;
  for (let node = 1; node < tree.size && properties < MAX_PROPERTIES; node++) {
    if (tree.tag[node] === TEXT || tree.attributes[node] === undefined) continue;
    const names = getAttribute(tree, node, 'itemprop');
    const isItem = getAttribute(tree, node, 'itemscope') !== undefined;
    if (names === undefined && !isItem) continue;
    while (open.length > 0 && open.at(-1)!.end <= node) open.pop();
    const holder = open.at(-1)?.item;
    let item: Item | undefined;
    if (isItem && items < MAX_ITEMS && open.length < MAX_DEPTH) {
      items++;
      item = readType(getAttribute(tree, node, 'itemtype'));
      open.push({ end: tree.end[node], item });
    }
    if (names === undefined || holder === undefined) {
      if (item !== undefined) top.push(item);
      continue;
    }
    const value = item ?? readValue(tree, node, urls);
    for (const name of names.split(/\s+/).filter(isName)) {
      properties++;
      addProperty(holder, name, value);
    }
  }
  return top;
}

function readType(types: string | undefined): Item {
  const names = (types ?? '').split(/\s+/).filter((type) => type !== '');
  const bare = names.slice(0, 5).map((type) => type.slice(Math.max(type.lastIndexOf('/'), type.lastIndexOf('#')) + 1));
  return bare.length === 0 ? {} : { '@type': bare.length === 1 ? bare[0] : bare };
}

function isName(name: string): boolean {
  return name !== '' && name !== '__proto__' && name.length <= 200;
}

function readValue(tree: Tree, node: number, urls: UrlResolver): string {
  const attribute = VALUE_ATTRIBUTES.get(tree.value[node]);
  // Elements other than `<meta>` may have `content` too.
  const stated = getAttribute(tree, node, 'content') ?? (attribute && getAttribute(tree, node, attribute));
  if (stated === undefined) return getNodeText(tree, node);
  const isAddress = attribute !== undefined && ADDRESSES.has(attribute);
  return isAddress ? (urls.resolve(stated) ?? stated.trim()) : stated.trim();
}

function addProperty(item: Item, name: string, value: unknown): void {
  const known = Object.hasOwn(item, name) ? item[name] : undefined;
  if (known === undefined) item[name] = value;
  else if (Array.isArray(known)) known.push(value);
  else item[name] = [known, value];
}
