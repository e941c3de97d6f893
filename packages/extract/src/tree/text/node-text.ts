import { getHiddenBits, HIDDEN_ATTRIBUTE, HIDDEN_STYLE } from '../hiding/hidden.ts';
import { isHiddenItself } from '../hiding/find-hidden.ts';
import { isPermalinkMark } from './is-unseen.ts';
import { meetAsTwoWords } from './word-edges.ts';
import { BLOCK, DROPPED, TAG, TAG_FLAGS, TEXT, type KnownTag } from '../tags.ts';
import type { Tree } from '../tree.ts';

/** Labels and link texts are short; longer ones are cut, so that overlapping subtrees take linear time. */
const MAX_NODES = 400;
const MAX_LENGTH = 2_000;

const SPACE = String.raw`[\s\u00ad\u200b\u2060\ufeff\u0000-\u001f\u007f]`;
/** All runs except single spaces, whose replacement by themselves takes most of the time. */
const SPACES = new RegExp(`(?: (?=${SPACE})|(?! )${SPACE})${SPACE}*`, 'g');
const NEEDS_CLEANING =
  /[^\u0021-\u007e\u00a1-\u00ac\u00ae-\u1fff\u200c-\u200f\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff ]| {2}|^ | $/;
const INVISIBLE = /[\u00ad\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/g;

/** Elements in which a capital or digit continues the word before it: names in code, "m²". */
const ONE_WORD: readonly KnownTag[] = ['code', 'kbd', 'pre', 'samp', 'sub', 'sup', 'tt', 'var'];
const IS_ONE_WORD: readonly boolean[] = Array.from({ length: 256 }, (_, code) =>
  ONE_WORD.some((name) => TAG[name] === code),
);
/** Number of ancestors to check for these elements. */
const MAX_AROUND = 4;

/**
 * The visible text of a node on one line, at most 2,000 characters: white space collapsed, headings' self-link marks
 * removed, visually separate words separated (see `meetAsTwoWords`).
 *
 * @param isVisible whether to leave out everything that readers do not see, labels for screen readers too
 */
export function getNodeText(tree: Tree, node: number, isVisible = false): string {
  const first = node + 1;
  const end = tree.end[node];
  if (end === first) return tree.tag[node] === TEXT ? collapse(tree.value[node].slice(0, MAX_LENGTH)) : '';
  if (end === first + 1 && tree.tag[first] === TEXT) return collapse(tree.value[first].slice(0, MAX_LENGTH));
  let text = '';
  let last = '';
  const stop = Math.min(end, first + MAX_NODES);
  for (let i = first; i < stop && text.length < MAX_LENGTH; i++) {
    const tag = tree.tag[i];
    if (tag === TEXT) {
      const next = tree.value[i].slice(0, MAX_LENGTH);
      text += meetAsTwoWords(last, next) && !isInOneWord(tree, i) ? ` ${next}` : next;
      last = next;
      continue;
    }
    const flags = TAG_FLAGS[tag];
    if (
      flags & DROPPED ||
      isHidden(tree, i) ||
      (isVisible && isHiddenItself(tree, i)) ||
      (tag === TAG.a && isPermalinkMark(tree, i))
    )
      i = tree.end[i] - 1;
    else if (flags & BLOCK || tag === TAG.br) {
      text += ' ';
      last = '';
    }
  }
  return collapse(text);
}

function isInOneWord(tree: Tree, node: number): boolean {
  for (let at = tree.parent[node], step = 0; at > 0 && step < MAX_AROUND; at = tree.parent[at], step++)
    if (IS_ONE_WORD[tree.tag[at]]) return true;
  return false;
}

function isHidden(tree: Tree, node: number): boolean {
  if (tree.attributes[node] === undefined) return false;
  return (getHiddenBits(tree, node) & (HIDDEN_ATTRIBUTE | HIDDEN_STYLE)) !== 0;
}

/** Collapses white space of every kind, removes soft hyphens and zero-width marks, replaces lone surrogates. */
export function collapse(text: string): string {
  if (!NEEDS_CLEANING.test(text)) return text;
  // Most texts only need trimming.
  const trimmed = text.trim();
  if (!NEEDS_CLEANING.test(trimmed)) return trimmed;
  return trimmed.replace(INVISIBLE, '').replace(SPACES, ' ').trim().toWellFormed();
}

/** The start of a text, without half a surrogate pair at its end. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const isInPair = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isInPair ? length - 1 : length);
}
