import { defaultTreeAdapter, type DefaultTreeAdapterTypes } from 'parse5';
import { GRAM_LENGTH, matchStarts } from './match-starts.ts';
import { parsePage, renderSafePage, type PageElement, type ParsedPage, type PageMarks } from './render-safe-page.ts';
import type { StageBudget } from '../shared/ports.ts';

/** Share of main text from which an element is outlined. */
const WHOLE_SHARE = 0.9;

const INVISIBLE = new Set(['script', 'style', 'noscript', 'template', 'title', 'head']);

/** Longer elements are judged by their parts. */
const MAX_TEXT_LENGTH = 2000;

type Parent = DefaultTreeAdapterTypes.ParentNode;

type Span = readonly [from: number, to: number];

interface PageLetters {
  readonly letters: string;
  readonly spans: ReadonlyMap<object, Span>;
  readonly starts: readonly number[];
}

/**
 * Returns the outermost elements that consist almost only of main text. Compares letters and digits; a run of {@link
 * GRAM_LENGTH} matches anywhere, a shorter text must be a whole line.
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
      if (!isVisibleElement(child) || span === undefined || span[1] === span[0]) continue;
      const share = (covered.get(child) ?? 0) / (span[1] - span[0]);
      if (share === 0) continue;
      if (share >= WHOLE_SHARE && isTight(child, share, covered)) outlined.add(child);
      else outline(child);
    }
  };
  outline(page.document);
  return page.elements.flatMap((element, index) => (outlined.has(element) ? [index] : []));
}

/** Excludes wrappers that add navigation or a footer. */
function isTight(element: PageElement, share: number, covered: ReadonlyMap<object, number>): boolean {
  if (element.tagName === 'html') return false;
  if (share === 1) return true;
  // Only for main text directly in it: a body usually contains more.
  if (element.tagName === 'body')
    return element.childNodes.some((child) => !isVisibleElement(child) && covered.get(child));
  return !element.childNodes.some((child) => isVisibleElement(child) && covered.get(child) === covered.get(element));
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
      } else if (isVisibleElement(child)) read(child);
      else continue;
      spans.set(child, [from, length]);
    }
  };
  read(page.document);
  return { letters: parts.join(''), spans, starts };
}

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
      const inner = isVisibleElement(child) ? measure(child) : undefined;
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

function isVisibleElement(node: DefaultTreeAdapterTypes.Node): node is PageElement {
  return defaultTreeAdapter.isElementNode(node) && !INVISIBLE.has(node.tagName);
}

function toLetters(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}

export interface PagePreview {
  readonly html: string;
  readonly marks: PageMarks;
  /** Its elements are outlined. */
  readonly mainText?: string;
}

/** Renders in processes: large pages take seconds. */
export interface PreviewRenderer {
  /** @throws {AppError} `payload_too_large` */
  renderPreview(preview: PagePreview, budget: StageBudget): Promise<string>;
}

export function renderPreview({ html, marks, mainText }: PagePreview): string {
  const page = parsePage(html);
  const main = mainText === undefined ? [] : [['main', findMainContent(page, mainText)] as const];
  return renderSafePage(page, new Map([...marks, ...main]));
}
