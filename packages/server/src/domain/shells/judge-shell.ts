import type { Capture, CaptureVerdict } from '../capture/capture-ports.ts';
import type { StageBudget } from '../shared/ports.ts';
import { findRefresh, MAX_REFRESH_TEXT, type Refresh } from './find-refresh.ts';
import { MUCH_TEXT, readOutline, type PageOutline } from './read-outline.ts';
import { findShellRule, type ShellRule } from './shell-rules.ts';

export type ShellPage = Pick<Capture, 'engine' | 'finalUrl' | 'html' | 'refresh'>;

/** Judges a capture by its HTML alone. */
export type ShellJudge = (page: ShellPage, budget: StageBudget) => Promise<CaptureVerdict>;

export interface ShellJudgeWorker {
  judgeShell(page: ShellPage, budget: StageBudget): Promise<CaptureVerdict>;
}

/** Characters; smaller hostile pages take a few milliseconds. */
const LARGE_PAGE = 256 * 1024;
const WORKER_TIMEOUT_MS = 5000;

/** Earlier redirects count regardless of the page's text. */
const MAX_REFRESH_S = 5;
/** Later ones are beyond the longest time of a capture, as long as `WINNOW_MAX_TIMEOUT` has its default. */
const MAX_AWAITED_S = 120;
const MAX_SHOWN_ROUTE = 100;

/**
 * Judges captures by their HTML alone.
 * @param worker for large pages; default: the event loop
 */
export function createShellJudge(worker?: ShellJudgeWorker): ShellJudge {
  return async ({ engine, finalUrl, html, refresh }, { timeoutMs, signal }) => {
    const page = { engine, finalUrl, html, ...(refresh === undefined ? {} : { refresh }) };
    if (worker === undefined || html.length < LARGE_PAGE) return judgeShell(page);
    try {
      return await worker.judgeShell(page, { timeoutMs: Math.min(WORKER_TIMEOUT_MS, timeoutMs), signal });
    } catch (error) {
      if (signal.aborted) throw error;
      return { sufficient: true, reason: 'the markup could not be judged in time' };
    }
  };
}

/** Judges a page as insufficient if it is an unrendered app shell or a redirect. */
export function judgeShell(page: ShellPage): CaptureVerdict {
  const { html } = page;
  const outline = readOutline(html);
  const { text, ownText } = outline;
  const redirect = describeRedirect(page, outline);
  if (redirect !== undefined) return { sufficient: false, reason: redirect };
  const route = outline.isScripted ? findRoute(page) : undefined;
  if (route !== undefined)
    return {
      sufficient: false,
      reason: `scripts choose the content by the fragment ${route} of the address`,
      shell: 'sure',
    };
  const rule = findShellRule(html, outline);
  return rule
    ? {
        sufficient: false,
        reason: `an unrendered shell: ${rule.reason} (${text} characters of text)`,
        ...rateShell(findShellRule(html, outline, true)),
      }
    : { sufficient: true, reason: ownText < MUCH_TEXT ? `${text} characters of text` : 'enough text' };
}

function rateShell(rule: ShellRule | undefined): Pick<CaptureVerdict, 'shell'> {
  if (rule === undefined) return {};
  return { shell: rule.sign === 'root' ? 'sure' : 'likely' };
}

/** Servers do not see the fragment of an address, so plain HTTP gets the same page for each. */
function findRoute({ engine, finalUrl, html }: ShellPage): string | undefined {
  if (engine !== 'http') return undefined;
  const [, fragment = ''] = finalUrl.split('#', 2);
  const isRoute =
    /^[!/?]/.test(fragment) || (fragment !== '' && READS_FRAGMENT.test(html) && !isTarget(html, fragment));
  return isRoute ? `#${fragment.slice(0, MAX_SHOWN_ROUTE)}` : undefined;
}

/** A script of the page that chooses by the fragment what it shows. */
const READS_FRAGMENT =
  /\bhashchange\b|\blocation\.hash\b(?!\s*=[^=])[^]{0,200}?(?:\bfetch\s*\(|\.(?:load|getJSON|get)\s*\(|\binnerHTML\b)/;

/** Whether the page has the element that the fragment names. */
function isTarget(html: string, fragment: string): boolean {
  return [fragment, decodeFragment(fragment)].some((name) =>
    ['id', 'name'].some((attribute) => ['"', "'", ''].some((quote) => html.includes(`${attribute}=${quote}${name}`))),
  );
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function describeRedirect(page: ShellPage, { text, ownText }: PageOutline): string | undefined {
  const found = findStatedRedirect(page, MAX_REFRESH_S, () => ownText);
  return found && `a redirect after ${found.delayS} s (${text} characters of text)`;
}

/**
 * Finds the redirect that a page states, if the page is only that. Browsers follow early redirects themselves.
 * @param soonS redirects of plain HTTP up to then count whatever text the page has
 * @param measureOwnText called if the redirect is later
 */
export function findStatedRedirect(
  { engine, html, finalUrl, refresh }: ShellPage,
  soonS: number,
  measureOwnText = () => readOutline(html).ownText,
): Refresh | undefined {
  const found = findRefresh(html, finalUrl, refresh);
  if (!found) return undefined;
  const isSoon = engine === 'http' && found.delayS <= soonS;
  return isSoon || (found.delayS <= MAX_AWAITED_S && measureOwnText() <= MAX_REFRESH_TEXT) ? found : undefined;
}
