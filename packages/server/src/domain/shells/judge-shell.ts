import type { Capture, CaptureVerdict } from '../capture/capture-ports.ts';
import type { StageBudget } from '../shared/ports.ts';
import { findRefresh } from './find-refresh.ts';
import { countVisibleText } from './glance.ts';
import { SHELL_RULES } from './shell-rules.ts';

/** What the judgement needs of a capture. */
export type ShellPage = Pick<Capture, 'engine' | 'finalUrl' | 'html' | 'refresh'>;

/** Judges pages elsewhere than on the event loop. */
export interface ShellJudgeThread {
  judgeShell(page: ShellPage, budget: StageBudget): Promise<CaptureVerdict>;
}

/** Text beyond this is not counted: no rule asks for more. */
const ENOUGH_TEXT = Math.max(...SHELL_RULES.map((rule) => rule.maxText)) + 1;

/** A page that leads on within so many seconds is none to stay on, whatever it says until then. */
const MAX_REFRESH_S = 5;
/** With at most so much text a page that leads on is nothing else, whenever it does. */
const MAX_REFRESH_TEXT = 400;

/** Judges a page by a cheap look at its HTML: sufficient unless it is an unrendered shell, or leads on to another page. */
export function judgeShell(page: ShellPage): CaptureVerdict {
  const { html } = page;
  const text = countVisibleText(html, ENOUGH_TEXT);
  const onward = leadsOn(page, text);
  if (onward !== undefined) return { sufficient: false, reason: onward };
  const rule = SHELL_RULES.find(({ maxText, html: markup }) => text <= maxText && markup.test(html));
  return rule
    ? { sufficient: false, reason: `an unrendered shell: ${rule.reason} (${text} characters of text)` }
    : { sufficient: true, reason: text < ENOUGH_TEXT ? `${text} characters of text` : 'enough text' };
}

/** Why a page is left for another, if it is. A browser has followed what comes soon: where it stayed, its text counts. */
function leadsOn({ engine, html, finalUrl, refresh }: ShellPage, text: number): string | undefined {
  const found = findRefresh(html, finalUrl, refresh);
  if (!found) return undefined;
  const isSoon = engine === 'http' && found.delayS <= MAX_REFRESH_S;
  return isSoon || text <= MAX_REFRESH_TEXT
    ? `a page that leads on to another after ${found.delayS} s (${text} characters of text)`
    : undefined;
}
