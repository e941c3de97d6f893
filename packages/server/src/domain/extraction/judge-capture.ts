import type { Capture, CaptureJudge, CaptureVerdict } from '../capture/capture-ports.ts';
import type { StageBudget } from '../shared/ports.ts';
import type { RememberingExtractor } from './remember-extractions.ts';

/** Milliseconds that a judgement may take, where there is as much time; a page that needs longer is taken as it is. */
const JUDGE_TIMEOUT_MS = 5000;

/** Main content with fewer characters, or of less expected quality, makes a page suspect. */
const MIN_TEXT = 140;
const MIN_CONFIDENCE = 0.15;

/** Without scripts of its own a page shows a browser no more than it shows us. */
const SCRIPT = /<script[\s>]/i;

/** The template of a page's site that serves it, by its name; of sites that no template knows, nothing. */
export interface KnownSites {
  findServing(page: Pick<Capture, 'finalUrl' | 'html'>, projectId: string): Promise<string | undefined>;
}

/**
 * Judges a capture by what the extractor gets out of it: a page whose scripts might bring more, and that
 * holds next to nothing, is not sufficient. What is cheaper is asked first: a page without scripts, or built
 * like the pages that a template of its site was learned from, needs no extraction to be judged.
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
