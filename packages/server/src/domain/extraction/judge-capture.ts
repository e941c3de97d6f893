import type { Capture, CaptureJudge, CaptureVerdict } from '../capture/capture-ports.ts';
import type { StageBudget } from '../shared/ports.ts';
import type { RememberingExtractor } from './remember-extractions.ts';

/** Slower pages are accepted. */
const JUDGE_TIMEOUT_MS = 5000;

/** Below these limits a page is suspect. */
const MIN_TEXT = 140;
const MIN_CONFIDENCE = 0.15;

/** Without scripts a browser gets the same page. */
const SCRIPT = /<script[\s>]/i;

export interface KnownSites {
  findServing(page: Pick<Capture, 'finalUrl' | 'html'>, projectId: string): Promise<string | undefined>;
}

/**
 * Creates the judge of `auto`: little content on a page with scripts is insufficient. Pages without scripts, or that
 * match a site template, need no extraction.
 */
export function createCaptureJudge(
  extractor: RememberingExtractor,
  cheapJudge: CaptureJudge,
  sites?: KnownSites,
): CaptureJudge {
  return {
    async judge(capture, budget, projectId) {
      const cheap = await cheapJudge.judge(capture, budget);
      if (!cheap.sufficient) return cheap;
      if (!SCRIPT.test(capture.html)) return { sufficient: true, reason: 'the page has no scripts to wait for' };
      const template = projectId === undefined ? undefined : await sites?.findServing(capture, projectId);
      if (template !== undefined) return { sufficient: true, reason: `built as ${template} knows the site` };
      return judgeContent(extractor, capture, budget);
    },
  };
}

async function judgeContent(
  extractor: RememberingExtractor,
  capture: Capture,
  { timeoutMs, signal }: StageBudget,
): Promise<CaptureVerdict> {
  const { html, finalUrl: url, contentLanguage } = capture;
  try {
    const budget = { timeoutMs: Math.min(JUDGE_TIMEOUT_MS, timeoutMs), signal };
    const { mainText, confidence } = await extractor.extractAhead({ html, url, contentLanguage, formats: [] }, budget);
    const found = `${mainText.length} characters of main content, confidence ${confidence.toFixed(2)}`;
    const poor = mainText.length < MIN_TEXT || confidence < MIN_CONFIDENCE;
    if (!poor) return { sufficient: true, reason: found };
    return { sufficient: false, reason: `too little for a page with scripts: ${found}` };
  } catch (error) {
    if (signal.aborted) throw error;
    return { sufficient: true, reason: 'the extractor could not judge the page in time' };
  }
}
