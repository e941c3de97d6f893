import { INLINE, OTHER, TAG_FLAGS, TEXT, markTags } from '../../tree/tags.ts';
import { getTextContent, type Tree } from '../../tree/tree.ts';

/** How an inline element stands apart from the text around it. */
export const APART = {
  none: 0,
  /** On a line of its own by its style. */
  line: 1,
  /** A note in the middle of a sentence, which style sheets move to the margin. */
  note: 2,
} as const;

const LINE_STYLE = /(?:^|[;\s])display\s*:\s*(?:block|flex|grid|table|list-item|flow-root)\s*(?:[;!]|$)/i;
const NOTE_NAME =
  /(?:^|\s)(?:(?:side|margin|foot)[-_]?notes?(?:[-_]{1,2}(?:content|text|body|inner))?|ltx_note_content)(?:\s|$)/i;
const MAX_NAME = 300;
const MAX_STYLE = 1_000;
/** Least length of a note: shorter ones are calls. */
const LEAST_NOTE = 12;
const MAX_NODES = 60;
const MAX_STEPS = 8;
const INK = /\S/;
const OPENED = /^\s*[([{]/;
const SCRIPTS = markTags('sub', 'sup', 'math', 'label');

export function readApart(tree: Tree, node: number): number {
  const attributes = tree.attributes[node];
  const tag = tree.tag[node];
  if (attributes === undefined || (TAG_FLAGS[tag] & INLINE) === 0 || SCRIPTS[tag] === 1) return APART.none;
  for (const { name, value } of attributes) {
    if (name === 'style' && tag !== OTHER && value.length < MAX_STYLE && LINE_STYLE.test(value)) return APART.line;
    if (name === 'class' && isNoteName(value) && isNote(tree, node)) return APART.note;
  }
  return APART.none;
}

function isNoteName(classes: string): boolean {
  return classes.length < MAX_NAME && NOTE_NAME.test(classes);
}

/** Whether text precedes the element, and it has a text without parentheses and no inner note. */
function isNote(tree: Tree, node: number): boolean {
  const { tag, attributes } = tree;
  const end = tree.end[node];
  for (let inner = node + 1; inner < Math.min(end, node + MAX_NODES); inner++) {
    const isNamed = attributes[inner]?.some(({ name, value }) => name === 'class' && isNoteName(value));
    if (tag[inner] !== TEXT && isNamed === true) return false;
  }
  const text = end - node > MAX_NODES ? '' : getTextContent(tree, node).trim();
  return (end - node > MAX_NODES || text.length >= LEAST_NOTE) && !OPENED.test(text) && followsText(tree, node);
}

/** Controls and marks may stand between. */
function followsText(tree: Tree, node: number): boolean {
  let before = node - 1;
  for (let step = 0; step < MAX_STEPS && before > 0; step++, before--) {
    if (tree.tag[before] === TEXT && INK.test(tree.value[before])) return true;
    if (tree.end[before] > node && (TAG_FLAGS[tree.tag[before]] & INLINE) === 0) return false;
  }
  return false;
}
