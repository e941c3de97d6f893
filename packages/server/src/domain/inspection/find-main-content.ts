import { defaultTreeAdapter } from 'parse5';
import type { PageElement, ParsedPage } from './render-safe-page.ts';

/** A piece of text this long (letters and digits) counts wherever it stands in the main text; a shorter one must be a line of it. */
const MIN_PART_LENGTH = 40;

/** An element is outlined as a whole when this share of its text is main content. */
const WHOLE_SHARE = 0.9;

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'title', 'head']);

/** Longer texts than this (letters and digits) are judged by their parts only. */
const MAX_TEXT_LENGTH = 2000;

interface Coverage {
  /** Letters and digits that the element holds. */
  readonly own: number;
  /** How many of them are main content. */
  readonly covered: number;
  /** The text itself, unless it is too long. */
  readonly letters: string | undefined;
}

/**
 * Numbers of the elements that hold the extracted main text: the outermost ones that hold hardly
 * anything else. The text is found again by its letters and digits, since spaces and marks differ.
 */
export function findMainContent(page: ParsedPage, mainText: string): number[] {
  const lines = new Set(mainText.split('\n').map(toLetters));
  const whole = toLetters(mainText);
  if (whole === '') return [];
  const isMain = (letters: string): boolean =>
    lines.has(letters) || (letters.length >= MIN_PART_LENGTH && whole.includes(letters));
  const coverage = measure(page.elements, isMain);
  const isWhole = (element: PageElement | null): boolean => {
    const found = element === null ? undefined : coverage.get(element);
    return found !== undefined && found.own > 0 && found.covered / found.own >= WHOLE_SHARE;
  };
  return page.elements.flatMap((element, index) => {
    const parent =
      element.parentNode && defaultTreeAdapter.isElementNode(element.parentNode) ? element.parentNode : null;
    return isWhole(element) && !isWhole(parent) ? [index] : [];
  });
}

/** How much text each element holds, and how much of it is main content. The elements stand in document order. */
function measure(elements: readonly PageElement[], isMain: (letters: string) => boolean): Map<PageElement, Coverage> {
  const coverage = new Map<PageElement, Coverage>();
  for (const element of elements.toReversed()) {
    if (SILENT.has(element.tagName)) continue;
    const parts = element.childNodes.flatMap((child): Coverage | [] => {
      if (defaultTreeAdapter.isTextNode(child)) return cover(toLetters(child.value), isMain);
      return (defaultTreeAdapter.isElementNode(child) ? coverage.get(child) : undefined) ?? [];
    });
    const found = combine(parts, isMain);
    if (found.own > 0) coverage.set(element, found);
  }
  return coverage;
}

function cover(letters: string, isMain: (letters: string) => boolean): Coverage {
  return { own: letters.length, covered: letters !== '' && isMain(letters) ? letters.length : 0, letters };
}

function combine(parts: readonly Coverage[], isMain: (letters: string) => boolean): Coverage {
  const own = parts.reduce((sum, part) => sum + part.own, 0);
  const covered = parts.reduce((sum, part) => sum + part.covered, 0);
  if (own > MAX_TEXT_LENGTH || parts.some((part) => part.letters === undefined))
    return { own, covered, letters: undefined };
  const letters = parts.map((part) => part.letters).join('');
  return { own, covered: letters !== '' && isMain(letters) ? own : covered, letters };
}

function toLetters(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
