import { defaultTreeAdapter } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { GRAM_LENGTH, matchStarts } from './match-starts.ts';
import type { PageElement, ParsedPage } from './render-safe-page.ts';

/** An element is outlined as a whole when this share of its text is main content. */
const WHOLE_SHARE = 0.9;

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'title', 'head']);

/** Elements with longer texts than this (letters and digits) are judged by their parts only. */
const MAX_TEXT_LENGTH = 2000;

type Parent = DefaultTreeAdapterTypes.ParentNode;

/** Where the letters of an element or a text stand in those of the page: from and up to. */
type Span = readonly [from: number, to: number];

interface PageLetters {
  /** Letters and digits of all texts, in document order. */
  readonly letters: string;
  /** Of elements and texts; silent ones have none. */
  readonly spans: ReadonlyMap<object, Span>;
  /** Where texts begin, in ascending order. */
  readonly starts: readonly number[];
}

/**
 * Returns the numbers of the elements that hold the extracted main text: the outermost ones that hold hardly
 * anything else, never `<html>`. The text is found again by its letters and digits, since spaces and marks differ: a piece of
 * {@link GRAM_LENGTH} of them counts wherever it stands in the main text, a shorter one must be a line of it. The work
 * grows with the two texts together, not with one times the other.
 */
export function findMainContent(page: ParsedPage, mainText: string): number[] {
  const whole = toLetters(mainText);
  if (whole === '') return [];
  const text = readLetters(page);
  const covered = measureCoverage(page, text, createJudge(text, whole, mainText));
  const outlined = new Set<object>();
  const outline = (parent: Parent): void => {
    for (const child of parent.childNodes) {
      const span = text.spans.get(child);
      if (!isSpeaking(child) || span === undefined || span[1] === span[0]) continue;
      const share = (covered.get(child) ?? 0) / (span[1] - span[0]);
      if (share === 0) continue;
      if (share >= WHOLE_SHARE && isTight(child, share, covered)) outlined.add(child);
      else outline(child);
    }
  };
  outline(page.document);
  return page.elements.flatMap((element, index) => (outlined.has(element) ? [index] : []));
}

/** Tells whether an element is the outline itself, and not a wrapper of the outline and of navigation or a footer. */
function isTight(element: PageElement, share: number, covered: ReadonlyMap<object, number>): boolean {
  if (element.tagName === 'html') return false;
  if (share === 1) return true;
  // The body always holds more than the main content, unless all of its text is.
  if (element.tagName === 'body') return element.childNodes.some((child) => !isSpeaking(child) && covered.get(child));
  return !element.childNodes.some((child) => isSpeaking(child) && covered.get(child) === covered.get(element));
}

function readLetters(page: ParsedPage): PageLetters {
  const parts: string[] = [];
  const starts: number[] = [];
  const spans = new Map<object, Span>();
  let length = 0;
  const read = (parent: Parent): void => {
    for (const child of parent.childNodes) {
      const from = length;
      if (defaultTreeAdapter.isTextNode(child)) {
        const letters = toLetters(child.value);
        if (letters === '') continue;
        parts.push(letters);
        starts.push(from);
        length += letters.length;
      } else if (isSpeaking(child)) read(child);
      else continue;
      spans.set(child, [from, length]);
    }
  };
  read(page.document);
  return { letters: parts.join(''), spans, starts };
}

/** Says whether a piece of the page's letters is main content. */
function createJudge({ letters, starts }: PageLetters, whole: string, mainText: string): (span: Span) => boolean {
  const lines = new Set(mainText.split('\n').map(toLetters));
  const lengths = new Set([...lines].map((line) => line.length));
  const matched = matchStarts(letters, starts, whole);
  return ([from, to]) => {
    const length = to - from;
    if (length >= GRAM_LENGTH && (matched.get(from) ?? 0) >= length) return true;
    return lengths.has(length) && lines.has(letters.slice(from, to));
  };
}

/** How many letters of each element are main content. */
function measureCoverage(
  page: ParsedPage,
  { spans }: PageLetters,
  isMain: (span: Span) => boolean,
): ReadonlyMap<object, number> {
  const covered = new Map<object, number>();
  const measure = (parent: Parent): number => {
    let sum = 0;
    for (const child of parent.childNodes) {
      const span = spans.get(child);
      if (span === undefined || span[0] === span[1]) continue;
      const length = span[1] - span[0];
      const inner = isSpeaking(child) ? measure(child) : undefined;
      const isJudged = inner === undefined || (inner < length && length <= MAX_TEXT_LENGTH);
      const count = isJudged && isMain(span) ? length : (inner ?? 0);
      covered.set(child, count);
      sum += count;
    }
    return sum;
  };
  measure(page.document);
  return covered;
}

function isSpeaking(node: DefaultTreeAdapterTypes.Node): node is PageElement {
  return defaultTreeAdapter.isElementNode(node) && !SILENT.has(node.tagName);
}

function toLetters(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
