import type { CaptureJudge } from '../../domain/ports.ts';
import { countVisibleText } from '../glance.ts';
import { SHELL_RULES } from './shell-rules.ts';

/** Text beyond this is not counted: no rule asks for more. */
const ENOUGH_TEXT = Math.max(...SHELL_RULES.map((rule) => rule.maxText)) + 1;

/** Judges a capture by a cheap look at its HTML: sufficient unless it is an unrendered shell. */
export function createShellJudge(): CaptureJudge {
  return {
    async judge({ html }) {
      const text = countVisibleText(html, ENOUGH_TEXT);
      const rule = SHELL_RULES.find(({ maxText, html: markup }) => text <= maxText && markup.test(html));
      return rule
        ? { sufficient: false, reason: `an unrendered shell: ${rule.reason} (${text} characters of text)` }
        : { sufficient: true, reason: text < ENOUGH_TEXT ? `${text} characters of text` : 'enough text' };
    },
  };
}
