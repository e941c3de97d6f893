import { LOADS_ON_SCROLL, type Extraction, type PageWarning } from '@winnow/extract';
import type { CaptureJudge, CaptureVerdict } from '../capture/capture-ports.ts';
import type { StageBudget } from '../shared/ports.ts';
import type { ShellJudge, ShellPage } from '../shells/judge-shell.ts';
import { countVisibleText } from '../shells/html-heuristics.ts';
import type { Extractor } from './extraction-ports.ts';

/** Slower pages are accepted. */
const JUDGE_TIMEOUT_MS = 5000;

/** Pages with less are insufficient. */
const MIN_TEXT = 140;
const MIN_CONFIDENCE = 0.15;

/** Characters of content that may stand beside the unfilled part of a page, by the evidence for it. */
const MAX_SHELL_TEXT = { likely: 600, sure: 1500 };
const SHELL_TIMEOUT_MS = 1000;

/** Without scripts and event handlers, also in frames that the page contains, a browser would get the same page. */
const SCRIPT = /<script[\s>]|<[a-z][^<>]*\son[a-z]{3,20}\s*=|\ssrcdoc\s*=\s*["'][^"']*&lt;script/i;

/**
 * Characters with which a page is accepted for a dump. Of 2,186 labelled pages 1,566 have scripts and that much text, and
 * the extraction rejects 4 of them.
 */
const AMPLE_TEXT = 3000;

/** Returns the verdict on a capture by its HTML; undefined if only its content can tell. */
export type HtmlJudge = (page: ShellPage, budget: StageBudget) => Promise<CaptureVerdict | undefined>;

export function createHtmlJudge(judgeShell: ShellJudge): HtmlJudge {
  return async (capture, budget) => {
    const shell = await judgeShell(capture, budget);
    if (!shell.sufficient) return shell;
    return SCRIPT.test(capture.html) ? undefined : { sufficient: true, reason: 'the page has no scripts to wait for' };
  };
}

/** Creates the judge of captures that are only stored. It extracts those whose HTML does not decide. */
export function createDumpJudge(judgeHtml: HtmlJudge, extractor: Extractor): CaptureJudge {
  return async (capture, budget) => {
    const verdict = await judgeHtml(capture, budget);
    if (verdict !== undefined) return verdict;
    const { html, finalUrl: url, contentLanguage } = capture;
    if (countVisibleText(html, AMPLE_TEXT) >= AMPLE_TEXT) return { sufficient: true, reason: 'enough text' };
    const input = { html, url, contentLanguage, formats: [] };
    return judgeContent((limits) => extractor.extract(input, limits), budget);
  };
}

/**
 * Rejects little content: a page with scripts may be unfilled. Accepts a page that cannot be read in time.
 * @param read returns the content, or why the page is accepted without it
 */
export async function judgeContent(
  read: (budget: StageBudget) => Promise<Pick<Extraction, 'mainText' | 'confidence' | 'warnings'> | string>,
  { timeoutMs, signal }: StageBudget,
): Promise<CaptureVerdict> {
  try {
    const content = await read({ timeoutMs: Math.min(JUDGE_TIMEOUT_MS, timeoutMs), signal });
    if (typeof content === 'string') return { sufficient: true, reason: content };
    const { mainText, confidence, warnings } = content;
    const shell = warnings.find(({ code }) => code === 'unrendered_shell');
    if (shell !== undefined) return { sufficient: false, reason: shell.message };
    if (warnings.some(({ message }) => message === LOADS_ON_SCROLL))
      return { sufficient: false, reason: LOADS_ON_SCROLL, needsScroll: true };
    const found = `${mainText.length} characters of main content, confidence ${confidence.toFixed(2)}`;
    const isPoor = mainText.length < MIN_TEXT || confidence < MIN_CONFIDENCE;
    return { sufficient: !isPoor, reason: isPoor ? `too little for a page with scripts: ${found}` : found };
  } catch (error) {
    if (signal.aborted) throw error;
    return { sufficient: true, reason: 'the extractor could not judge the page in time' };
  }
}

/** Warns of little content in a page of plain HTTP that a browser would fill. */
export async function findShell(
  judgeHtml: HtmlJudge,
  { html, url: finalUrl }: { readonly html: string; readonly url: string },
  { mainText, warnings }: Pick<Extraction, 'mainText' | 'warnings'>,
): Promise<PageWarning[]> {
  if (mainText.length > MAX_SHELL_TEXT.sure || warnings.length > 0) return [];
  const page = { engine: 'http', html, finalUrl } as const;
  const verdict = await judgeHtml(page, { timeoutMs: SHELL_TIMEOUT_MS, signal: new AbortController().signal });
  if (verdict?.shell === undefined || mainText.length > MAX_SHELL_TEXT[verdict.shell]) return [];
  return [{ code: 'unrendered_shell', message: verdict.reason }];
}
