import type { CaptureJudge } from '../../domain/capture/capture-ports.ts';
import { judgeShell } from '../../domain/shells/judge-shell.ts';
import type { ShellJudgeThread } from '../../domain/shells/judge-shell.ts';

/** Characters; smaller hostile pages take a few milliseconds. */
const LARGE_PAGE = 256 * 1024;

const THREAD_TIMEOUT_MS = 5000;

/** @param thread for large pages; default: the event loop */
export function createShellJudge(thread?: ShellJudgeThread): CaptureJudge {
  return {
    async judge({ engine, finalUrl, html, refresh }, { timeoutMs, signal }) {
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
