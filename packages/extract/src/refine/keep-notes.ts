import type { ContentBlock } from '../types/extraction.ts';
import { holdsContent } from '../render/layout/holds-content.ts';
import { BLOCK, HEADING, markTags, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import { getAttribute, getTextContent, type Tree } from '../tree/tree.ts';

/** A note's number or sign, with or without brackets. */
const MARK = /^\s*[[(]?(?:\p{N}{1,4}|\p{L}|[*†‡§¶]{1,3})[\])]?\s*$/u;
const MAX_MARK_NODES = 8;
const MAX_NOTE = 4_000;
const MAX_NODES = 400;
const MAX_UP = 4;
const INK = /\S/;
const NOTE_PARTS = markTags('article', 'body', 'form', 'main', 'nav', 'section', 'table', 'tbody', 'ul', 'ol');

/**
 * Adds the notes that the chosen text calls by a superscript or by a mark to which the note links back. Notes at the end
 * of a page look like link lists or small print to the model.
 */
export function keepNotes(tree: Tree, blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const calls = listCalls(tree, blocks);
  if (calls.size === 0) return blocks;
  const added: ContentBlock[] = [];
  let lastEnd = 0;
  for (const [node, target] of listTargets(tree, calls)) {
    const call = calls.get(target)!;
    const note = findNote(tree, node);
    if (note < lastEnd || note <= call || tree.hidden[note]) continue;
    if (!isSuperscript(tree, call) && !linksTo(tree, note, call)) continue;
    for (const part of listParts(tree, note)) {
      if (part < lastEnd || holdsContent(tree, blocks, part) || isLong(tree, part)) continue;
      added.push({ first: part + 1, end: tree.end[part], element: part });
      lastEnd = tree.end[part];
    }
  }
  return added.length === 0 ? blocks : [...blocks, ...added].toSorted((a, b) => a.first - b.first);
}

/** The first call of each address in the chosen text. */
function listCalls(tree: Tree, blocks: readonly ContentBlock[]): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const { first, end } of blocks) {
    for (let node = first; node < end; node++) {
      if (tree.tag[node] !== TAG.a || tree.end[node] - node > MAX_MARK_NODES) continue;
      const target = getAttribute(tree, node, 'href') ?? '';
      if (!target.startsWith('#') || target.length < 2 || calls.has(target.slice(1))) continue;
      if (MARK.test(getTextContent(tree, node))) calls.set(target.slice(1), node);
    }
  }
  return calls;
}

/** The elements with the addresses, in document order. */
function* listTargets(tree: Tree, calls: ReadonlyMap<string, number>): Iterable<readonly [number, string]> {
  for (let node = 1; node < tree.size; node++) {
    const attributes = tree.attributes[node];
    if (attributes === undefined) continue;
    for (const { name, value } of attributes) {
      if ((name === 'id' || name === 'name') && calls.has(value)) {
        yield [node, value];
        break;
      }
    }
  }
}

/** The block around or at a note's address. */
function findNote(tree: Tree, target: number): number {
  let note = target;
  for (let step = 0; step < MAX_UP && (TAG_FLAGS[tree.tag[note]] & BLOCK) === 0; step++) note = tree.parent[note];
  return note;
}

/** The block of the mark, and the next one if it only holds the mark. */
function listParts(tree: Tree, note: number): readonly number[] {
  if (NOTE_PARTS[tree.tag[note]] === 1 || (TAG_FLAGS[tree.tag[note]] & BLOCK) === 0) return [];
  if (tree.end[note] - note > MAX_MARK_NODES || !MARK.test(getTextContent(tree, note))) {
    return (TAG_FLAGS[tree.tag[note]] & HEADING) === 0 ? [note] : [];
  }
  let next = tree.end[note];
  if (next < tree.size && tree.tag[next] === TEXT && !INK.test(tree.value[next])) next++;
  if (next >= tree.size || tree.parent[next] !== tree.parent[note]) return [];
  const isText = (TAG_FLAGS[tree.tag[next]] & (BLOCK | HEADING)) === BLOCK && NOTE_PARTS[tree.tag[next]] === 0;
  return isText ? [note, next] : [];
}

function isLong(tree: Tree, part: number): boolean {
  return tree.end[part] - part > MAX_NODES || getTextContent(tree, part).length > MAX_NOTE;
}

/** In a `<sup>`, or with nothing but one. */
function isSuperscript(tree: Tree, call: number): boolean {
  let around = tree.parent[call];
  for (let step = 0; step < MAX_UP && (TAG_FLAGS[tree.tag[around]] & BLOCK) === 0; step++, around = tree.parent[around])
    if (tree.tag[around] === TAG.sup) return true;
  return tree.tag[call + 1] === TAG.sup && tree.end[call + 1] === tree.end[call];
}

function linksTo(tree: Tree, note: number, call: number): boolean {
  const end = Math.min(tree.end[note], note + MAX_NODES);
  const names = [call, tree.parent[call]].flatMap((node) => [
    getAttribute(tree, node, 'id'),
    getAttribute(tree, node, 'name'),
  ]);
  for (let node = note + 1; node < end; node++) {
    const target = tree.tag[node] === TAG.a ? getAttribute(tree, node, 'href') : undefined;
    if (target !== undefined && target.length > 1 && names.includes(target.slice(1))) return true;
  }
  return false;
}
