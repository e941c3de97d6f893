import type { CaptureJudge } from '../../domain/capture/capture-ports.ts';
import { judgeShell } from '../../domain/shells/judge-shell.ts';
import type { ShellJudgeThread } from '../../domain/shells/judge-shell.ts';

/** Characters of HTML from which a page is judged in a thread: below, hostile markup takes a few milliseconds. */
const LARGE_PAGE = 256 * 1024;

/** Milliseconds that a judgement in a thread may take, where there is as much time. */
const THREAD_TIMEOUT_MS = 5000;

/**
 * Judges a capture by a cheap look at its HTML.
 * @param thread where large pages are judged; default: on the event loop, as small ones are
 */
export function createShellJudge(thread?: ShellJudgeThread): CaptureJudge {
  return {
    async judge({ engine, finalUrl, html, refresh }, { timeoutMs, signal }) {
      // Without what a thread cannot be sent, or has no use for.
      const page = { engine, finalUrl, html, ...(refresh === undefined ? {} : { refresh }) };
      if (thread === undefined || html.length < LARGE_PAGE) return judgeShell(page);
      try {
        return await thread.judgeShell(page, { timeoutMs: Math.min(THREAD_TIMEOUT_MS, timeoutMs), signal });
      } catch (error) {
        if (signal.aborted) throw error;
        return { sufficient: true, reason: 'the markup could not be judged in time' };
      }
    },
  };
}
