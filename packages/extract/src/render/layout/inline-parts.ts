import { HEADING, INLINE, OTHER, TAG_FLAGS, TEXT, markTags } from '../../tree/tags.ts';
import { getAttribute, getTextContent, type Tree } from '../../tree/tree.ts';

/** How an inline element stands apart from the text around it. */
export const APART = {
  none: 0,
  /** On a line of its own by its style. */
  line: 1,
  /** A note in the middle of a sentence, which style sheets move to the margin. */
  note: 2,
  /** A word of its own in a row of labels without spaces: `<b>9</b><small>tonnes</small>`. */
  word: 3,
  /** The same after a sign: "Four stones." and "Ada Quist". */
  phrase: 4,
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
const LABELS = markTags('b', 'data', 'em', 'i', 'label', 'small', 'span', 'strong', 'time');
const CODE = markTags('code', 'kbd', 'pre', 'ruby', 'samp', 'tt', 'var');
const MAX_LABELS = 8;
const MAX_LABEL_NODES = 6;
const SCRIPTS = markTags('sub', 'sup', 'math', 'label');

export function readApart(tree: Tree, node: number): number {
  const tag = tree.tag[node];
  if ((TAG_FLAGS[tag] & INLINE) === 0 || SCRIPTS[tag] === 1) return APART.none;
  for (const { name, value } of tree.attributes[node] ?? []) {
    if (name === 'style' && tag !== OTHER && value.length < MAX_STYLE && LINE_STYLE.test(value)) return APART.line;
    if (name === 'class' && isNoteName(value) && isNote(tree, node)) return APART.note;
  }
  return readLabel(tree, node);
}

/** Tells an element that follows another kind of inline element at once, in an element of such labels only. */
function readLabel(tree: Tree, node: number): number {
  const { tag, parent, end } = tree;
  const around = parent[node];
  let before = node - 1;
  if (before <= around || (tag[before] === TEXT && parent[before] === around)) return APART.none;
  while (parent[before] !== around) before = parent[before];
  if (LABELS[tag[before]] === 0 || LABELS[tag[node]] === 0 || isSameKind(tree, before, node)) return APART.none;
  let count = 0;
  for (let child = around + 1; child < end[around]; child = end[child]) {
    if (tag[child] === TEXT || (TAG_FLAGS[tag[child]] & INLINE) === 0 || ++count > MAX_LABELS) return APART.none;
    if (end[child] - child > MAX_LABEL_NODES || SPACE_AT_EDGE.test(getTextContent(tree, child))) return APART.none;
  }
  if (isInCode(tree, node) || !arePartedWords(tree, before, node)) return APART.none;
  const isPhrase = PHRASE.test(`${getTextContent(tree, before).slice(-1)}${getTextContent(tree, node)}`);
  return isPhrase ? APART.phrase : APART.word;
}

/** Texts with a space at an edge have all spaces that their page wants; initials and endings belong to their word. */
const SPACE_AT_EDGE = /^\s|\s$/;
const INITIAL = /^\p{L}$/u;
const ENDING = /^(?:st|nd|rd|th|er|re|e|s)$/i;
/** A sign at the end of one label and the start of the next. */
const PHRASE = /^(?:[.!?…,]\p{Lu}|[%):;°]\p{L})/u;
const LETTER_END = /\p{L}$/u;

function arePartedWords(tree: Tree, before: number, node: number): boolean {
  const label = getTextContent(tree, before);
  if (INITIAL.test(label) || ENDING.test(getTextContent(tree, node))) return false;
  // Headings and logos colour parts of a word.
  return (TAG_FLAGS[tree.tag[tree.parent[node]]] & HEADING) === 0 || !LETTER_END.test(label);
}

function isInCode({ tag, parent }: Tree, node: number): boolean {
  for (let at = parent[node], step = 0; at > 0 && step < MAX_STEPS; at = parent[at], step++)
    if (CODE[tag[at]] === 1) return true;
  return false;
}

function isSameKind(tree: Tree, one: number, other: number): boolean {
  return tree.tag[one] === tree.tag[other] && getAttribute(tree, one, 'class') === getAttribute(tree, other, 'class');
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
