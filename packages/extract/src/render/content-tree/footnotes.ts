import type { Element, ElementContent, Root } from 'hast';
import { TAG } from '../../tree/tags.ts';
import { getAttribute, getTextContent, type Tree } from '../../tree/tree.ts';

/** A footnote's number or sign, with or without brackets. */
const MARK = /^[[(]?([\p{L}\p{N}]{1,4}|[*†‡§¶]{1,3})[\])]?$/u;
const MAX_MARK = 8;
const LABEL = /^[a-z\d]+$/i;
/** Renderers without footnotes treat a definition as the address of a link. */
const ACTIVE_ADDRESS = /^\s*(?:data|javascript|vbscript):/i;

export const FOOTNOTE = 'dataFootnote';

/** Finds footnotes: links in `<sup>` to list items after them. Returns the labels by node. */
export function findFootnotes(tree: Tree): ReadonlyMap<number, string> {
  const labels = new Map<number, string>();
  const references = new Map<string, { readonly mark: string; readonly links: number[] }>();
  const used = new Set<string>();
  let superscriptEnd = 0;
  for (let node = 1; node < tree.size; node++) {
    const tag = tree.tag[node];
    if (tag === TAG.sup) superscriptEnd = Math.max(superscriptEnd, tree.end[node]);
    else if (tag === TAG.a) {
      const target = getAttribute(tree, node, 'href');
      if (target === undefined || !target.startsWith('#') || target.length < 2) continue;
      if (node >= superscriptEnd && !isSuperscript(tree, node)) continue;
      const mark = readMark(tree, node);
      if (mark === undefined) continue;
      const known = references.get(target);
      if (known === undefined) references.set(target, { mark, links: [node] });
      else known.links.push(node);
    } else if (tag === TAG.li) {
      const target = `#${getAttribute(tree, node, 'id') ?? ''}`;
      const reference = references.get(target);
      if (reference === undefined) continue;
      references.delete(target);
      const isFree = LABEL.test(reference.mark) && !used.has(reference.mark.toLowerCase());
      const label = isFree ? reference.mark : `note-${used.size + 1}`;
      used.add(label.toLowerCase());
      for (const link of [...reference.links, node]) labels.set(link, label);
    }
  }
  return labels;
}

/** Removes labels whose link or list item is not in the content, and of items that start with an active address. */
export function pairFootnotes(content: Root): void {
  const links: Element[] = [];
  const items: Element[] = [];
  collect(content, links, items);
  const called = new Set(links.map(readLabel));
  const defined = new Set<unknown>();
  for (const item of items) {
    const label = readLabel(item);
    if (called.has(label) && !defined.has(label) && !ACTIVE_ADDRESS.test(readStart(item))) defined.add(label);
    else delete item.properties[FOOTNOTE];
  }
  for (const link of links) if (!defined.has(readLabel(link))) delete link.properties[FOOTNOTE];
}

/** Puts a footnote call next to its word: removes the space that rendering added before the link. */
export function attachCalls(parent: Root | Element): void {
  for (const [index, node] of parent.children.entries()) {
    if (node.type !== 'element') continue;
    attachCalls(node);
    if (node.tagName !== 'a' || !isFootnote(node)) continue;
    const before = parent.children[index - 1];
    const next = parent.children[index + 1];
    if (before?.type === 'text') before.value = before.value.trimEnd();
    // A call and a colon at the start of a line would define a footnote.
    if (next?.type === 'text' && next.value.startsWith(':')) next.value = ` ${next.value}`;
  }
}

export function isFootnote(node: Element): boolean {
  return readLabel(node) !== undefined;
}

function readLabel(node: Element): unknown {
  return node.properties[FOOTNOTE];
}

/** The first text of an element. */
function readStart(node: Element | ElementContent): string {
  if (node.type === 'text') return node.value;
  const [first] = node.type === 'element' ? node.children : [];
  return first === undefined ? '' : readStart(first);
}

function collect(parent: Root | Element, links: Element[], items: Element[]): void {
  for (const node of parent.children) {
    if (node.type !== 'element') continue;
    if (isFootnote(node)) (node.tagName === 'a' ? links : items).push(node);
    collect(node, links, items);
  }
}

/** `<a><sup>1</sup></a>`. */
function isSuperscript(tree: Tree, link: number): boolean {
  return tree.tag[link + 1] === TAG.sup && tree.end[link + 1] === tree.end[link];
}

function readMark(tree: Tree, link: number): string | undefined {
  if (tree.end[link] - link > MAX_MARK) return undefined;
  return MARK.exec(getTextContent(tree, link).trim())?.[1];
}
