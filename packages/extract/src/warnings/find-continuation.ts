import { TAG, TEXT } from '../tree/tags.ts';
import { loadsOnScroll } from '../tree/parse/scroll-scripts.ts';
import { getNodeText } from '../tree/text/node-text.ts';
import { getAttribute, getTextContent, type Tree } from '../tree/tree.ts';
import type { PageType } from '../types/extraction.ts';
import type { PageWarning } from '../types/warnings.ts';
import { LOAD_MORE } from './wall-phrases.ts';

/** Message of the warning whose evidence is the page's own script, attribute or rows. */
export const LOADS_ON_SCROLL =
  'the page loads more as it is scrolled: an engine that scrolls, such as stable, finds more';

const ON_SCROLL: PageWarning = { code: 'continues_on_scroll', message: LOADS_ON_SCROLL };
const NAMED: PageWarning = {
  code: 'continues_on_scroll',
  message: 'the list on the page has the marks of one that loads more as it is scrolled',
};
const ENDED_EARLY: PageWarning = {
  code: 'continues_on_scroll',
  message: 'scrolling ended at its limit while the page still grew: options.scroll sets other limits',
};
const ON_CLICK: PageWarning = {
  code: 'continues_on_click',
  message: 'a button of the page loads more of its list',
};

/** Attribute that captures set on the root element after scrolling: `end`, or `limit` if the page still grew. */
const SCROLLED = 'data-winnow-scrolled';

/** Attributes that request the next part of a list, each with what its value mentions. */
const REQUESTING: ReadonlyMap<string, RegExp> = new Map([
  ['hx-trigger', /\b(?:revealed|intersect)\b/],
  ['data-hx-trigger', /\b(?:revealed|intersect)\b/],
  ['ic-trigger-on', /scrolled-into-view/],
  ['x-intersect', /more|next|page|fetch|append/i],
  ['x-intersect.full', /more|next|page|fetch|append/i],
  ['x-intersect:enter', /more|next|page|fetch|append/i],
  ['v-intersect', /more|next|page|fetch|append/i],
  ['v-observe-visibility', /more|next|page|fetch|append/i],
  ['v-infinite-scroll', /\S/],
  ['infinite-scroll', /\S/],
  ['data-infinite-scroll', /\S/],
  ['infinitescroll', /^/],
]);
/** Elements of libraries that load more. */
const LOADERS = /^(?:ion-infinite-scroll|infinite-loading|infinite-scroll|[a-z]+-infinite-(?:scroll|loading))$/;
const LOADER_NAME =
  /(?:^|[\s_-])(?:infinite-?(?:scroll|loading|loader|list)|endless-?(?:scroll|list)|scroll-?(?:sentinel|trigger|loader|observer)|(?:bottom|list|feed|load|page|end|infinite)-?sentinel|sentinel|load-?more-(?:trigger|sentinel|observer))/i;
const OTHER_LIST =
  /comment|repl(?:y|ies)|review|related|recommend|similar|upsell|crosssell|sidebar|footer|widget|(?:^|[\s_-])(?:nav|menu|ads?)(?:$|[\s_-])|carousel|slider/i;
const BESIDE: ReadonlySet<number> = new Set([TAG.nav, TAG.aside, TAG.footer, TAG.header, TAG.form]);

const LIST_TYPES: ReadonlySet<PageType> = new Set(['collection', 'listing', 'forum']);
/** Share of the main text that a list needs on other pages. */
const MOST = 0.6;
const LEAST_ITEMS = 3;
const MAX_LEVELS = 3;
const MAX_ABOVE = 8;
const MAX_LABEL = 60;

/** A list that shows only the rows in sight: its height, and the places of its rows. */
const HEIGHT = /(?:^|;)\s*height\s*:\s*([\d.]{1,9})px/i;
const PLACE =
  /(?:^|;)\s*(?:top\s*:\s*([\d.]{1,9})px|transform\s*:\s*translate(?:Y\(\s*|(?:3d)?\([^,()]{1,20},\s*)([\d.]{1,9})px)/i;
const LEAST_HEIGHT = 2_000;
/** Share of the height that the shown rows must leave. */
const MISSING = 0.4;

/** The content that was found on the page. */
export interface FoundList {
  readonly mainText: string;
  readonly pageType: PageType;
}

/** Finds what says that the page has more of its content than its markup: at most one warning. */
export function findContinuation(tree: Tree, found: FoundList): PageWarning | undefined {
  const scrolled = readScrolled(tree);
  if (scrolled === 'limit') return ENDED_EARLY;
  let [named, button]: (PageWarning | undefined)[] = [];
  for (let node = 1; node < tree.size; node++) {
    const tag = tree.tag[node];
    if (tag === TEXT) continue;
    if (scrolled === undefined) {
      if (
        tag === TAG.script
          ? loadsOnScroll(getTextContent(tree, node))
          : isWindowed(tree, node) || requestsMore(tree, node)
      )
        return ON_SCROLL;
      if (named === undefined && isLoader(tree, node) && endsContent(tree, node, found, true)) named = NAMED;
    }
    if (button === undefined && isButton(tree, node, tag) && endsContent(tree, node, found, false)) button = ON_CLICK;
  }
  return named ?? button;
}

function readScrolled(tree: Tree): string | undefined {
  for (let node = 1; node < tree.size && node < 10; node++)
    if (tree.tag[node] === TAG.html) return getAttribute(tree, node, SCROLLED);
  return undefined;
}

/** Whether attributes request the next part of a list when the element comes into sight. */
function requestsMore(tree: Tree, node: number): boolean {
  const attributes = tree.attributes[node];
  if (attributes === undefined) return false;
  for (const { name, value } of attributes)
    if (REQUESTING.get(name)?.test(value) === true) return findList(tree, node, true) !== undefined;
  return false;
}

function isLoader(tree: Tree, node: number): boolean {
  if (LOADERS.test(tree.value[node])) return true;
  const attributes = tree.attributes[node];
  if (attributes === undefined) return false;
  for (const { name, value } of attributes)
    if ((name === 'class' || name === 'id') && value.length < 300 && LOADER_NAME.test(value)) return true;
  return false;
}

/** Whether a list has a height for many more rows than it holds. */
function isWindowed(tree: Tree, node: number): boolean {
  const height = Number(HEIGHT.exec(getAttribute(tree, node, 'style') ?? '')?.[1] ?? 0);
  if (height < LEAST_HEIGHT) return false;
  let last = 0;
  let rows = 0;
  for (const child of listChildren(tree, node)) {
    const [, top, moved = top] = PLACE.exec(getAttribute(tree, child, 'style') ?? '') ?? [];
    if (moved === undefined) continue;
    rows += 1;
    last = Math.max(last, Number(moved));
  }
  return rows >= LEAST_ITEMS && last < height * (1 - MISSING);
}

function isButton(tree: Tree, node: number, tag: number): boolean {
  if (tag !== TAG.button && !(tag === TAG.a && isActing(tree, node)) && getAttribute(tree, node, 'role') !== 'button')
    return false;
  if (tree.hidden[node] === 1 || tree.end[node] - node > 30) return false;
  const label = getNodeText(tree, node);
  return label.length <= MAX_LABEL && LOAD_MORE.test(label);
}

/** A link that leads nowhere. */
function isActing(tree: Tree, node: number): boolean {
  const href = getAttribute(tree, node, 'href') ?? '';
  return href === '' || href.startsWith('#') || href.startsWith('javascript:');
}

/** Whether an element stands at the end of a list that is the content of the page, or, for loaders, around it. */
function endsContent(tree: Tree, node: number, { mainText, pageType }: FoundList, mayBeAround: boolean): boolean {
  const list = findList(tree, node, mayBeAround);
  if (list === undefined) return false;
  return LIST_TYPES.has(pageType) || getNodeText(tree, list).length >= MOST * mainText.length;
}

/** Finds the list that an element ends or contains. */
function findList(tree: Tree, node: number, mayBeAround: boolean): number | undefined {
  for (let above = node, level = 0; above > 0 && level < MAX_ABOVE; above = tree.parent[above], level++) {
    if (BESIDE.has(tree.tag[above])) return undefined;
    if (tree.tag[above] === TAG.body) break;
    if (OTHER_LIST.test(`${getAttribute(tree, above, 'class') ?? ''} ${getAttribute(tree, above, 'id') ?? ''}`))
      return undefined;
  }
  const inside = mayBeAround ? findItems(tree, node) : undefined;
  if (inside !== undefined) return inside;
  for (let above = node, level = 0; above > 0 && level < MAX_LEVELS; above = tree.parent[above], level++) {
    const before = listChildren(tree, tree.parent[above]).filter((child) => child < above);
    if (countAlike(tree, before) >= LEAST_ITEMS) return tree.parent[above];
    for (const child of before.slice(-LEAST_ITEMS).toReversed()) {
      const list = findItems(tree, child);
      if (list !== undefined) return list;
    }
  }
  return undefined;
}

function findItems(tree: Tree, node: number): number | undefined {
  for (let list = node, level = 0; level < MAX_LEVELS; level++) {
    const children = listChildren(tree, list);
    if (countAlike(tree, children) >= LEAST_ITEMS) return list;
    if (children.length === 0) return undefined;
    list = children.reduce((one, other) => (tree.end[other] - other > tree.end[one] - one ? other : one));
  }
  return undefined;
}

/** The most elements with one name that have children or text. */
function countAlike(tree: Tree, nodes: readonly number[]): number {
  const counts = new Map<string, number>();
  let most = 0;
  for (const node of nodes) {
    const tag = tree.tag[node];
    if (tag === TAG.script || tag === TAG.style || tag === TAG.p || tree.end[node] === node + 1) continue;
    const count = (counts.get(tree.value[node]) ?? 0) + 1;
    counts.set(tree.value[node], count);
    most = Math.max(most, count);
  }
  return most;
}

function listChildren(tree: Tree, node: number): number[] {
  const children: number[] = [];
  for (let child = node + 1; child < tree.end[node] && children.length < 500; child = tree.end[child])
    if (tree.tag[child] !== TEXT) children.push(child);
  return children;
}
