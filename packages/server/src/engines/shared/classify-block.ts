import { BLOCK_RULES } from './block-rules.ts';
import type { BlockRule } from './block-rules.ts';
import { countVisibleText, findTitle } from '../../domain/shells/html-heuristics.ts';

export interface SeenPage {
  readonly statusCode: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

/** Block pages are shorter, including scripts. Testing longer pages would block the event loop. */
const MAX_CHARACTERS = 1024 * 1024;

/** No rule needs more text. */
const ENOUGH_TEXT = Math.max(...BLOCK_RULES.map((rule) => rule.maxText ?? 0)) + 1;

/** Returns why a page is a block page; undefined if it is not. */
export function classifyBlock(page: SeenPage): string | undefined {
  let text: number | undefined;
  let title: string | undefined;
  const isShort = page.html.length <= MAX_CHARACTERS;
  // Tests the costly text last.
  const fits = (rule: BlockRule): boolean => {
    if (rule.statuses && !rule.statuses.includes(page.statusCode)) return false;
    if (rule.header && !rule.header[1].test(page.headers[rule.header[0]] ?? '')) return false;
    if (rule.maxText !== undefined && !isShort) return false;
    if (rule.maxText !== undefined && (text ??= countVisibleText(page.html, ENOUGH_TEXT)) > rule.maxText) return false;
    if (rule.title && !rule.title.test((title ??= findTitle(page.html)))) return false;
    return rule.html === undefined || rule.html.test(page.html);
  };
  return BLOCK_RULES.find(fits)?.reason;
}
