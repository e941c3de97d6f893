import { BLOCK, DROPPED, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import type { Attribute, Tree } from '../tree/tree.ts';

/** A label or a link's text is short: what is longer is cut, so that overlapping subtrees stay linear. */
const MAX_NODES = 400;
const MAX_LENGTH = 2_000;

// oxlint-disable-next-line no-control-regex -- control characters are what is taken out
const SPACES = /[\s\u00ad\u200b\u2060\ufeff\u0000-\u001f\u007f]+/g;
const NEEDS_CLEANING =
  /[^\u0021-\u007e\u00a1-\u00ac\u00ae-\u1fff\u200c-\u200f\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff ]| {2}|^ | $/;
const INVISIBLE = /[\u00ad\u200b\u2060\ufeff]+/g;

/** The visible text of a node and its descendants on one line: white space collapsed, at most 2,000 characters. */
export function getNodeText(tree: Tree, node: number): string {
  const first = node + 1;
  const end = tree.end[node]!;
  if (end === first) return tree.tag[node] === TEXT ? collapse(tree.value[node]!.slice(0, MAX_LENGTH)) : '';
  if (end === first + 1 && tree.tag[first] === TEXT) return collapse(tree.value[first]!.slice(0, MAX_LENGTH));
  let text = '';
  const stop = Math.min(end, first + MAX_NODES);
  for (let i = first; i < stop && text.length < MAX_LENGTH; i++) {
    const tag = tree.tag[i]!;
    if (tag === TEXT) {
      text += tree.value[i]!.slice(0, MAX_LENGTH);
      continue;
    }
    const flags = TAG_FLAGS[tag]!;
    if (flags & DROPPED) i = tree.end[i]! - 1;
    else if (flags & BLOCK || tag === TAG.br) text += ' ';
  }
  return collapse(text);
}

/** White space of every kind becomes one space; soft hyphens and zero-width marks go; half surrogates are mended. */
export function collapse(text: string): string {
  if (!NEEDS_CLEANING.test(text)) return text;
  // Most often only line ends around the text need it.
  const trimmed = text.trim();
  if (!NEEDS_CLEANING.test(trimmed)) return trimmed;
  return trimmed.replace(INVISIBLE, '').replace(SPACES, ' ').trim().toWellFormed();
}

/** The value of an attribute, or undefined when the element lacks it. */
export function getAttribute(tree: Tree, node: number, name: string): string | undefined {
  const attributes: readonly Attribute[] | undefined = tree.attributes[node];
  if (attributes === undefined) return undefined;
  for (const attribute of attributes) if (attribute.name === name) return attribute.value;
  return undefined;
}
