/** Small copies of labelled pages: most labelled pages are large, but notes, pages of documents and parts of sites are small. */
import { defaultTreeAdapter as adapter, parse, serialize, serializeOuter, type DefaultTreeAdapterMap } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

/** Shorter texts occur by chance in a true text. */
const LEAST_TEXT = 20;
/** Characters of true text in pages that get a copy. */
const LEAST_TRUE = 200;
const SHARE = 0.9;
const MAX_DEPTH = 300;
/** Words of a copy, drawn on a logarithmic scale. */
const LEAST_WORDS = 40;
const MOST_WORDS = 500;
/** Words of what surrounds the content of a copy, each. */
const MOST_AROUND = 60;

const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe']);
const AROUND: ReadonlySet<string> = new Set(['nav', 'header', 'footer', 'aside', 'form', 'ul', 'p']);

/**
 * Returns a copy with the beginning of the content and little around it; undefined where too little of the true text is on
 * the page.
 *
 * @param seed the same copy for the same seed
 */
export function reducePage(html: string, trueText: string, seed: string): string | undefined {
  const random = createRandom(seed);
  const document = parse(html);
  const root = document.childNodes
    .filter((node) => adapter.isElementNode(node))
    .find(({ tagName }) => tagName === 'html');
  const [head, body] = ['head', 'body'].map((name) => root && listElements(root).find((one) => one.tagName === name));
  if (head === undefined || body === undefined) return undefined;
  const truth = normalize(trueText);
  const isTrue = (text: string): boolean => text.length >= LEAST_TEXT && truth.includes(text);
  const amounts = new Map<Node, number>();
  const all = measure(body, isTrue, amounts, 0);
  if (all < LEAST_TRUE) return undefined;
  const path = [body];
  for (let inner: Element | undefined = body; inner !== undefined;) {
    inner = listElements(inner).find((one) => (amounts.get(one) ?? 0) >= SHARE * all);
    if (inner !== undefined) path.push(inner);
  }
  const content = path.at(-1) ?? body;
  const around = listAround(body, amounts, content);
  if (random() < 0.65) cut(content, LEAST_WORDS * (MOST_WORDS / LEAST_WORDS) ** random());
  let inner = content === body ? serialize(body) : serializeOuter(content);
  if (random() < 0.5) for (const outer of path.slice(1, -1).toReversed()) inner = wrap(outer, inner);
  const [before, after] = [around.slice(0, Math.ceil(around.length / 2)), around.slice(Math.ceil(around.length / 2))];
  const draw = (from: readonly Element[]): string => {
    const drawn = from[Math.floor(random() * from.length)];
    return drawn === undefined || random() < 0.5 ? '' : serializeOuter(drawn);
  };
  const isBare = random() < 0.5;
  const kept = listElements(head).filter(({ tagName }) => tagName === 'title' || (!isBare && tagName !== 'style'));
  return `<!doctype html><html><head>${kept.map((one) => serializeOuter(one)).join('')}</head><body>${draw(before)}${inner}${draw(after)}</body></html>`;
}

function listElements(parent: Element): Element[] {
  return parent.childNodes.filter((node) => adapter.isElementNode(node));
}

/** Sets the characters of true text by node, and returns those of this one. */
function measure(node: Node, isTrue: (text: string) => boolean, amounts: Map<Node, number>, depth: number): number {
  if (adapter.isTextNode(node)) {
    const text = normalize(node.value);
    return isTrue(text) ? text.length : 0;
  }
  if (!adapter.isElementNode(node) || UNSEEN.has(node.tagName) || depth > MAX_DEPTH) return 0;
  let sum = 0;
  for (const child of node.childNodes) sum += measure(child, isTrue, amounts, depth + 1);
  amounts.set(node, sum);
  return sum;
}

/** Small elements without true text beside the content, in the order of the page. */
function listAround(body: Element, amounts: ReadonlyMap<Node, number>, content: Element): Element[] {
  const found: Element[] = [];
  const visit = (element: Element, depth: number): void => {
    if (element === content || depth > MAX_DEPTH) return;
    if (AROUND.has(element.tagName) && amounts.get(element) === 0) {
      const words = countWords(readText(element, 0));
      if (words > 0 && words <= MOST_AROUND) return void found.push(element);
    }
    for (const child of listElements(element)) visit(child, depth + 1);
  };
  visit(body, 0);
  return found;
}

/** Removes what follows the first words. */
function cut(element: Element, words: number): void {
  let left = words;
  for (const child of element.childNodes.slice()) {
    if (left <= 0) adapter.detachNode(child);
    else left -= countWords(readText(child, 0));
  }
}

function wrap({ tagName, attrs }: Element, inner: string): string {
  const given = attrs.map(
    ({ name, value }) => ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
  );
  return `<${tagName}${given.join('')}>${inner}</${tagName}>`;
}

function readText(node: Node, depth: number): string {
  if (adapter.isTextNode(node)) return node.value;
  if (!adapter.isElementNode(node) || UNSEEN.has(node.tagName) || depth > MAX_DEPTH) return '';
  return node.childNodes.map((child) => readText(child, depth + 1)).join(' ');
}

function countWords(text: string): number {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).length;
}

function normalize(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** A generator of numbers from 0 to 1 (mulberry32, by its public description). */
function createRandom(seed: string): () => number {
  let state = 0;
  for (const character of seed) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
