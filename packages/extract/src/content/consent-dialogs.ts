import {
  ACCEPT,
  CONSENT,
  MAX_LABEL,
  MAX_LEVELS,
  MAX_TEXT,
  SHORT_TEXT,
  LEAST_WORDS,
  LEAST_KINDS,
  LEAST_OTHER,
  MAX_SPACING,
} from '../page/consent-phrases.ts';
import { codeAt } from '../tree/code-at.ts';
import { markTags, TAG, TEXT } from '../tree/tags.ts';
import { collapse, getNodeText } from '../tree/text/node-text.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';

/** A dialog's nodes are `first … end - 1`. */
export interface ConsentDialog {
  readonly first: number;
  readonly end: number;
}

/** Placeholders of embedded posts and videos ask too: label of their button, and further words. */
const LOAD =
  /^(?:(?:externen? )?(?:inhalte?|video|beitrag|karte) (?:anzeigen|laden|aktivieren|abspielen)|(?:load|show|view|display) (?:the )?(?:external )?(?:content|video|post|tweet|map)|(?:afficher|charger) (?:le |la )?(?:contenu|vidéo)|(?:mostrar|cargar) (?:el )?(?:contenido|vídeo)|(?:mostra|carica) (?:il )?(?:contenuto|video)|inhoud (?:tonen|laden)|video tonen)$/iu;
const EXTERNAL =
  /third[- ]part(?:y|ies)|external content|your permission|externe[nr]? inhalt|drittanbieter|contenu externe|contenido externo|contenuti? estern|externe inhoud/giu;

const MAX_CONTROLS = 20;

const CONTROLS = markTags('a', 'button', 'input', 'span', 'div', 'label');
/** ASCII letters at the start of a part of `ACCEPT`: most labels start with another character. */
const FIRST_LETTERS = new Uint8Array(128);
for (const [, letter] of `${ACCEPT.source}|${LOAD.source}`.matchAll(/(?:\^|\(\?:|\||\)\?)([a-z])/g))
  FIRST_LETTERS[letter.charCodeAt(0)] = 1;
/** Elements that are or hold the page's content. */
const CONTENT = markTags('html', 'body', 'main', 'article', 'h1');

/** Finds the elements that ask for consent to cookies: full of its words, and with a button that accepts. */
export function findConsentDialogs(tree: Tree): ConsentDialog[] {
  const found: ConsentDialog[] = [];
  let left = MAX_CONTROLS;
  for (let node = 1; node < tree.size && left > 0; node++) {
    if (CONTROLS[tree.tag[node]] !== 1 || !accepts(tree, node)) continue;
    left--;
    const dialog = climb(tree, node);
    if (dialog === undefined) continue;
    found.push({ first: dialog, end: tree.end[dialog] });
    node = tree.end[dialog] - 1;
  }
  return found;
}

function accepts(tree: Tree, node: number): boolean {
  const { tag, end } = tree;
  if (tag[node] === TAG.input)
    return ACCEPT.test(collapse(getAttribute(tree, node, 'value') ?? '').slice(0, MAX_LABEL));
  if (end[node] - node > 4) return false;
  const isPlain = tag[node] === TAG.span || tag[node] === TAG.div || tag[node] === TAG.label;
  if (isPlain && (tree.attributes[node] === undefined || tag[node + 1] !== TEXT)) return false;
  if (tag[node + 1] === TEXT && !mayAccept(tree.value[node + 1])) return false;
  const label = getNodeText(tree, node);
  return label !== '' && label.length <= MAX_LABEL && (ACCEPT.test(label) || LOAD.test(label));
}

/** A quick test of the first text of a label. */
function mayAccept(text: string): boolean {
  let at = 0;
  while (at < text.length && isSpace(codeAt(text, at))) at++;
  if (at === text.length) return true;
  const first = codeAt(text, at);
  if (first >= 0x41 && first <= 0x5a) return FIRST_LETTERS[first + 0x20] === 1;
  // Control characters and some beyond ASCII are removed from labels.
  return first <= 0x20 || first >= 0x7f || FIRST_LETTERS[first] === 1;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** Returns the outermost element around a button that is full of words of consent, also beside its inner elements. */
function climb(tree: Tree, control: number): number | undefined {
  let found: number | undefined;
  let before = { length: 0, words: 0 };
  let node = tree.parent[control];
  for (let level = 0; level < MAX_LEVELS && node > 0; level++) {
    if (holdsContent(tree, node)) break;
    const text = getNodeText(tree, node);
    if (text.length > MAX_TEXT) break;
    const words = [...(text.match(CONSENT) ?? []), ...(text.match(EXTERNAL) ?? [])];
    const added = text.length - before.length;
    const isOther = added > LEAST_OTHER && added > MAX_SPACING * (words.length - before.words);
    if (isOther && (found !== undefined || text.length > SHORT_TEXT)) break;
    if (asksForConsent(text, words)) {
      found = node;
      before = { length: text.length, words: words.length };
    } else if (found !== undefined || text.length > SHORT_TEXT) break;
    node = tree.parent[node];
  }
  return found;
}

function holdsContent({ tag, end }: Tree, node: number): boolean {
  for (let inner = node; inner < end[node]; inner++) if (CONTENT[tag[inner]] === 1) return true;
  return false;
}

function asksForConsent(text: string, words: readonly string[]): boolean {
  if (words.length === 0 || text.length / words.length > MAX_SPACING) return false;
  if (text.length <= SHORT_TEXT) return true;
  return words.length >= LEAST_WORDS && new Set(words.map((word) => word.toLowerCase())).size >= LEAST_KINDS;
}
