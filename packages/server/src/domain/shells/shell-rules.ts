import type { PageOutline, ShellSign } from './read-outline.ts';

/** A rule for unrendered app shells. Expressions must be linear on untrusted pages, like the block rules. */
export interface ShellRule {
  readonly reason: string;
  /** Absent: scripts alone. */
  readonly sign?: ShellSign;
  readonly html?: RegExp;
  /** Characters that visitors see, at most. */
  readonly maxText?: number;
  /** Characters of own text, at most. */
  readonly maxOwnText?: number;
  /** Fewer are part of the page's controls. Default: 1. */
  readonly minSigns?: number;
  /** More are decoration. */
  readonly maxSigns?: number;
  /** False: the sign counts on pages without scripts too. */
  readonly needsScripts?: false;
  /** Most pages that it finds are whole: worth an attempt with another engine, but no warning. */
  readonly isWeak?: true;
}

export const SHELL_RULES: readonly ShellRule[] = [
  { reason: 'next to no text, but scripts', maxText: 150, isWeak: true },
  { reason: 'an empty root element that scripts fill', sign: 'root', maxText: 1200, needsScripts: false },
  { reason: 'an empty custom element that scripts fill', sign: 'component', maxOwnText: 800 },
  {
    reason: 'the page asks for JavaScript',
    html: /<noscript[^<>]*>(?:(?!<\/?noscript)[\s\S]){0,600}?(?:(?:enable|requires?|needs?|(?:turn|switch) on|activ|aktiv|without|allow|habilit|włącz|включ|zapn)[^<]{0,40}java ?script|java ?script[^<]{0,60}(?:enable|required|disabled|needed|activ|aktiv|turn|switch|an?schalten|habilit|włącz|включ|zapn|有効|启用|啟用|開啟|활성|사용))/i,
    maxText: 800,
    needsScripts: false,
  },
  {
    reason: 'a placeholder for content that is being loaded',
    sign: 'placeholder',
    maxOwnText: 400,
    needsScripts: false,
  },
  {
    reason: 'several placeholders for content that is being loaded',
    sign: 'placeholder',
    minSigns: 3,
    maxOwnText: 800,
  },
  { reason: 'a text that says that content is being loaded', sign: 'said', maxOwnText: 800 },
  { reason: 'an element that says that it is being loaded', sign: 'busy', maxOwnText: 2000 },
  { reason: 'an element whose content is requested later', sign: 'deferred', maxOwnText: 2000 },
  { reason: 'an empty element for which a script requests data', sign: 'requested', maxText: 3000, maxOwnText: 2000 },
  { reason: 'an element that scripts repeat for each item', sign: 'repeated', maxOwnText: 800 },
  { reason: 'the text of a template that scripts fill', sign: 'unfilled', minSigns: 2, maxOwnText: 800 },
  { reason: 'little but the text of a template that scripts fill', sign: 'unfilled', maxOwnText: 150 },
  { reason: 'a custom element that shows its content by a script', sign: 'slotted', maxOwnText: 1200 },
  { reason: 'a script that opens another page', sign: 'leaving', maxOwnText: 1200 },
  { reason: 'a text that says that another page follows', sign: 'announced', maxOwnText: 600 },
  { reason: 'an empty main part', sign: 'hollow', maxSigns: 4, maxText: 1500, maxOwnText: 60, isWeak: true },
  { reason: 'an empty part after the text', sign: 'trailing', maxText: 1500, maxOwnText: 500, isWeak: true },
  { reason: 'an empty list', sign: 'list', maxSigns: 3, maxText: 2000, maxOwnText: 800, isWeak: true },
  { reason: 'one empty list', sign: 'list', maxSigns: 1, maxText: 1500, maxOwnText: 1200, isWeak: true },
  { reason: 'an empty table', sign: 'rows', maxOwnText: 2000 },
  { reason: 'a frame that contains the content', sign: 'frame', maxOwnText: 399, needsScripts: false },
];

/** @param isStrong leaves out the weak rules */
export function findShellRule(html: string, outline: PageOutline, isStrong = false): ShellRule | undefined {
  const { text, ownText, isScripted, signs } = outline;
  return SHELL_RULES.find(
    (rule) =>
      !(isStrong && rule.isWeak === true) &&
      text <= (rule.maxText ?? Infinity) &&
      ownText <= (rule.maxOwnText ?? Infinity) &&
      (isScripted || rule.needsScripts === false) &&
      (rule.sign === undefined || isBetween(signs[rule.sign] ?? 0, rule.minSigns, rule.maxSigns)) &&
      (rule.html?.test(html) ?? true),
  );
}

function isBetween(count: number, least = 1, most = Infinity): boolean {
  return count >= least && count <= most;
}

/** A rendered page. Only visible elements count. */
export interface RenderedOutline extends Pick<PageOutline, 'ownText' | 'isScripted' | 'signs'> {
  /** Characters of links outside navigation, footers and asides. */
  readonly linkText: number;
  /** Pictures, forms, frames. */
  readonly hasMedia: boolean;
}

/** A rule for rendered pages on which an engine waits for more. */
interface WaitRule {
  /** Absent: little text alone. */
  readonly sign?: ShellSign;
  readonly maxOwnText: number;
  readonly maxLinkText?: number;
  /** Milliseconds; absent: until the deadline. */
  readonly patienceMs?: number;
  /** Only while requests for data are under way. */
  readonly needsRequest?: true;
  readonly needsScripts?: true;
  /** Pages with pictures, forms or frames are finished. */
  readonly needsNoMedia?: true;
}

const WAIT_RULES: readonly WaitRule[] = [
  { sign: 'placeholder', maxOwnText: 400 },
  { sign: 'busy', maxOwnText: 1000 },
  { sign: 'root', maxOwnText: 300 },
  { sign: 'component', maxOwnText: 100, needsNoMedia: true },
  { sign: 'hollow', maxOwnText: 1500, needsRequest: true },
  { sign: 'placeholder', maxOwnText: 1500, needsRequest: true },
  { maxOwnText: 100, needsRequest: true, needsNoMedia: true },
  { sign: 'said', maxOwnText: 800, patienceMs: 5000 },
  { sign: 'said', maxOwnText: 1500, patienceMs: 2500 },
  { sign: 'deferred', maxOwnText: 1000, patienceMs: 2500 },
  { sign: 'leaving', maxOwnText: 1200, patienceMs: 8000 },
  { sign: 'announced', maxOwnText: 600, patienceMs: 8000 },
  { sign: 'timer', maxOwnText: 100, patienceMs: 5000, needsNoMedia: true },
  // The name of a site, or a step of its start.
  { maxOwnText: 40, maxLinkText: 100, patienceMs: 5000, needsScripts: true, needsNoMedia: true },
  { maxOwnText: 0, maxLinkText: 300, patienceMs: 5000, needsNoMedia: true },
];

/** Returns how many milliseconds a quiet page is worth waiting for; 0 for a finished page. */
export function findPatience(outline: RenderedOutline, isRequesting: boolean): number {
  const { ownText, linkText, isScripted, hasMedia, signs } = outline;
  const rule = WAIT_RULES.find(
    ({ sign, maxOwnText, maxLinkText = Infinity, needsRequest, needsScripts, needsNoMedia }) =>
      ownText <= maxOwnText &&
      linkText <= maxLinkText &&
      (needsScripts !== true || isScripted) &&
      (sign === undefined || (signs[sign] ?? 0) > 0) &&
      (needsRequest !== true || isRequesting) &&
      (needsNoMedia !== true || !hasMedia),
  );
  return rule === undefined ? 0 : (rule.patienceMs ?? Infinity);
}
