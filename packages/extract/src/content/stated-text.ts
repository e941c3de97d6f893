import { DROPPED, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import { getAttribute, getTextContent, type Tree } from '../tree/tree.ts';

const MAX_SCRIPT = 2_000_000;
const MIN_TEXT = 300;
const MIN_STOPS = 3;
/** Lengths of a probe of the text and of the page's searched text, in characters. */
const PROBE = 24;
const MAX_SHOWN = 500_000;

/** JSON members with a page's text: in JSON-LD, and in the initial state of an application. */
const STATED = /"articleBody"\s{0,9}:\s{0,9}("[^"\\]*(?:\\[^][^"\\]*)*")/g;
const STATE =
  /"(?:articleBody|body|bodyHtml|content|contentHtml|html|text)"\s{0,9}:\s{0,9}("[^"\\]*(?:\\[^][^"\\]*)*")/g;
const STOP = /[.!?。！？](?=\s|$|<)/g;
const TAGGED = /<(?:p|div|h[1-6]|ul|ol|blockquote|br)\b/i;

/**
 * The text that is only in a page's data, as HTML: `articleBody` of JSON-LD, or the longest text in the state of an
 * application that has not run. Undefined if there is none or the page shows it.
 */
export function findStatedText(tree: Tree): string | undefined {
  let longest = '';
  for (let node = 0; node < tree.size; node++) {
    if (tree.tag[node] !== TAG.script) continue;
    const type = getAttribute(tree, node, 'type') ?? '';
    if (!/json/i.test(type)) continue;
    const script = getTextContent(tree, node);
    if (script.length < MIN_TEXT || script.length > MAX_SCRIPT) continue;
    for (const [, literal] of script.matchAll(/ld\+json/i.test(type) ? STATED : STATE)) {
      const text = literal.length > longest.length ? readString(literal) : '';
      if (text.length > longest.length && (text.match(STOP)?.length ?? 0) >= MIN_STOPS) longest = text;
    }
  }
  if (longest.length < MIN_TEXT || isShown(tree, longest)) return undefined;
  return TAGGED.test(longest) ? longest : toParagraphs(longest);
}

function readString(literal: string): string {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return '';
  }
}

function isShown(tree: Tree, stated: string): boolean {
  const text = fold(stated.replaceAll(/<[^<>]{0,1000}>/g, ' '));
  let shown = '';
  for (let node = 0; node < tree.size && shown.length < MAX_SHOWN; node++) {
    if (tree.tag[node] === TEXT) shown += `${tree.value[node]} `;
    else if ((TAG_FLAGS[tree.tag[node]] & DROPPED) !== 0) node = tree.end[node] - 1;
  }
  const folded = fold(shown);
  return [0.1, 0.5, 0.8].some((share) => {
    const start = Math.floor(text.length * share);
    return folded.includes(text.slice(start, start + PROBE));
  });
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');
}

function toParagraphs(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return escaped
    .split(/\n+/)
    .map((line) => `<p>${line}</p>`)
    .join('');
}
