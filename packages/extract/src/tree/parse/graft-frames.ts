import { html } from 'parse5';
import { DROPPED, markTags, TAG, TAG_FLAGS, TEXT } from '../tags.ts';
import type { Attribute } from '../tree.ts';
import { isShadowRoot, LightNode, mayBeFrame } from './light-tree-adapter.ts';

/** Parses the document of a frame; undefined if the page already has too many nodes. */
export type FrameParser = (srcdoc: string) => LightNode | undefined;

/** Characters. A page with more text of its own is read without its frames, which are advertisements and widgets. */
const MUCH_TEXT = 400;
/** Characters. Frames with less text are buttons and counters. */
const LEAST_TEXT = 100;
const MAX_FRAMES = 20;
const MAX_DEPTH = 4;

/** Text that surrounds any content. */
const AROUND = markTags('nav', 'footer', 'aside', 'a', 'button', 'select', 'noframes', 'noscript', 'textarea');
/** Attributes of a frame that its document replaces. */
const ADDRESSING: ReadonlySet<string> = new Set(['srcdoc', 'src', 'data']);
const ADDRESSES: ReadonlySet<string> = new Set(['href', 'src', 'poster', 'cite', 'data-src']);
const MAX_STYLE = 1000;
const HIDING_STYLE =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:width|height)\s*:\s*[01](?:px)?(?:[;\s]|$))/i;
const ABSOLUTE = /^(?:[a-z][a-z\d+.-]{0,30}:|\/\/)/i;
/** Stands for the unknown address of the page (RFC 2606). */
const UNKNOWN = 'http://page.invalid/';

/** Replaces the frames of a page with little text of its own by their documents (`srcdoc`). Changes the tree. */
export function graftFrames(root: LightNode, parse: FrameParser, depth = 0): void {
  const frames: LightNode[] = [];
  const sets: LightNode[] = [];
  const ownText = measureText(root, MUCH_TEXT, (node) => {
    if (node.kind === TAG.frameset) sets.push(node);
    else if (isFrame(node)) frames.push(node);
    // The text of an object is shown where its document is not.
    return AROUND[node.kind] === 1 || node === frames.at(-1);
  });
  if (ownText >= MUCH_TEXT) return;
  let isChanged = false;
  for (const frame of frames.slice(0, MAX_FRAMES)) {
    const document = parse(readAttribute(frame, 'srcdoc') ?? '');
    if (document === undefined) break;
    if (depth < MAX_DEPTH) graftFrames(document, parse, depth + 1);
    const { body, base } = findParts(document);
    if (body === undefined || measureText(body, LEAST_TEXT) < LEAST_TEXT) continue;
    resolveAddresses(body, joinAddress(readAttribute(frame, 'src') ?? readAttribute(frame, 'data') ?? '', base));
    const kept = frame.attributes.filter(({ name }) => !ADDRESSING.has(name));
    replaceNode(frame, new LightNode(TAG.div, 'div', html.NS.HTML, kept), body);
    isChanged = true;
  }
  if (!isChanged) return;
  for (const set of sets.toReversed())
    replaceNode(set, new LightNode(TAG.body, 'body', html.NS.HTML, set.attributes), set);
}

function isFrame(node: LightNode): boolean {
  if (!mayBeFrame(node.kind, node.value)) return false;
  return readAttribute(node, 'srcdoc') !== undefined && !node.attributes.some(isHiding);
}

/** A frame that a style hides can be most of the page's text, which counts as shown elsewhere. */
function isHiding({ name, value }: Attribute): boolean {
  if (name === 'style') return HIDING_STYLE.test(value.slice(0, MAX_STYLE));
  if (name === 'width' || name === 'height') return /^[01](?:px)?$/.test(value);
  return name === 'hidden' || name === 'data-winnow-unrendered';
}

function readAttribute(node: LightNode, name: string): string | undefined {
  return node.attributes.find((attribute) => attribute.name === name)?.value;
}

/** Counts characters of text, up to a bit more than `enough`. */
function measureText(root: LightNode, enough: number, isSkipped: (node: LightNode) => boolean = () => false): number {
  let length = 0;
  // Visits append shadow roots.
  const scopes = [root];
  for (const scope of scopes)
    walk(scope, (node) => {
      if (node.kind === TEXT) length += node.value.trim().length;
      if (length >= enough) return 'stop';
      if (node.content !== null && isShadowRoot(node)) scopes.push(node.content);
      return isSkipped(node) || (TAG_FLAGS[node.kind] & DROPPED) !== 0 ? 'skip' : 'enter';
    });
  return length;
}

interface FrameParts {
  readonly body: LightNode | undefined;
  readonly base: string;
}

function findParts(document: LightNode): FrameParts {
  let body: LightNode | undefined;
  let base = '';
  walk(document, (node) => {
    if (node.kind === TAG.base) base ||= readAttribute(node, 'href') ?? '';
    if (node.kind === TAG.body) body ??= node;
    return body === undefined ? 'enter' : 'stop';
  });
  return { body, base };
}

function resolveAddresses(body: LightNode, base: string): void {
  if (base === '') return;
  walk(body, ({ attributes }) => {
    for (const attribute of attributes)
      if (ADDRESSES.has(attribute.name)) attribute.value = joinAddress(base, attribute.value);
    return 'enter';
  });
}

/** Resolves an address of a frame's document for the page, whose own address is unknown. */
function joinAddress(base: string, address: string): string {
  if (base === '' || ABSOLUTE.test(address)) return address;
  if (address === '') return base;
  const joined = URL.parse(address, URL.parse(base, UNKNOWN) ?? UNKNOWN)?.href ?? address;
  if (!joined.startsWith(UNKNOWN)) return joined;
  const path = joined.slice(UNKNOWN.length - 1);
  return base.startsWith('/') || address.startsWith('/') ? path : path.slice(1);
}

/** Puts `node` with the children of `source` in the place of `old`. */
function replaceNode(old: LightNode, node: LightNode, source: LightNode): void {
  node.firstChild = source.firstChild;
  node.lastChild = source.lastChild;
  for (let child = node.firstChild; child !== null; child = child.next) child.parent = node;
  source.firstChild = source.lastChild = null;
  const { parent, previous, next } = old;
  node.parent = parent;
  node.previous = previous;
  node.next = next;
  if (previous !== null) previous.next = node;
  else if (parent !== null) parent.firstChild = node;
  if (next !== null) next.previous = node;
  else if (parent !== null) parent.lastChild = node;
  old.parent = old.previous = old.next = null;
}

/** Visits a node and its descendants in document order, without recursion. */
function walk(root: LightNode, visit: (node: LightNode) => 'enter' | 'skip' | 'stop'): void {
  let node = root;
  for (;;) {
    const step = visit(node);
    if (step === 'stop') return;
    if (step === 'enter' && node.firstChild !== null) {
      node = node.firstChild;
      continue;
    }
    while (node.next === null || node === root) {
      if (node === root || node.parent === null) return;
      node = node.parent;
    }
    node = node.next;
  }
}
