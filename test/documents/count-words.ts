import { parse } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

const BLOCKS = new Set('p h1 h2 h3 h4 h5 h6 li td th tr pre div br ul ol table article section'.split(' '));
const UNSHOWN = new Set(['head', 'script', 'style']);

/** Returns the visible words of a page, in order. */
export function wordsOfHtml(html: string): string[] {
  return wordsOf(textOf(parse(html)));
}

function textOf(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) return node.value;
  if (!('childNodes' in node) || UNSHOWN.has(node.nodeName)) return '';
  const text = node.childNodes.map(textOf).join('');
  return BLOCKS.has(node.nodeName) ? ` ${text} ` : text;
}

export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .replaceAll('\u00AD', '')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  );
}

/** F1 of the longest common subsequence. */
export function scoreWords(expected: readonly string[], found: readonly string[]): number {
  const common = longestCommon(expected, found);
  return (2 * common) / (expected.length + found.length);
}

function longestCommon(one: readonly string[], other: readonly string[]): number {
  let before = new Int32Array(other.length + 1);
  for (const word of one) {
    const row = new Int32Array(other.length + 1);
    for (let index = 0; index < other.length; index += 1)
      row[index + 1] =
        word === other[index] ? (before[index] ?? 0) + 1 : Math.max(before[index + 1] ?? 0, row[index] ?? 0);
    before = row;
  }
  return before[other.length] ?? 0;
}
