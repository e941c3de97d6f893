import type { Capture, CaptureJudge, CaptureVerdict, ExtractWish, PageReading } from '../capture/capture-ports.ts';
import type { StageBudget } from '../shared/ports.ts';
import { pickContentOptions } from '../request-options/content-options.ts';
import type { Extractor } from './extraction-ports.ts';

/** Slower pages are accepted. */
const JUDGE_TIMEOUT_MS = 5000;

/** Pages with less are insufficient. */
const MIN_TEXT = 140;
const MIN_CONFIDENCE = 0.15;

/** Without scripts a browser would get the same page. */
const SCRIPT = /<script[\s>]/i;

export interface KnownSites {
  findServing(page: Pick<Capture, 'finalUrl' | 'html'>, projectId: string): Promise<ServingTemplate>;
}

export interface ServingTemplate extends Pick<PageReading, 'signature'> {
  /** Undefined: no active template has the page's structure. */
  readonly template: string | undefined;
}

/**
 * Creates the judge of `auto`: little content on a page with scripts is insufficient. Pages without scripts, or that
 * match a site template, need no extraction.
 */
export function createCaptureJudge(extractor: Extractor, cheapJudge: CaptureJudge, sites?: KnownSites): CaptureJudge {
  return {
    async judge(capture, budget, { projectId, extract } = {}) {
      const cheap = await cheapJudge.judge(capture, budget);
      if (!cheap.sufficient) return cheap;
      if (!SCRIPT.test(capture.html)) return { sufficient: true, reason: 'the page has no scripts to wait for' };
      const serving = projectId === undefined ? undefined : await sites?.findServing(capture, projectId);
      const { template, signature } = serving ?? {};
      if (template !== undefined)
        return { sufficient: true, reason: `its structure matches ${template}`, reading: { signature } };
      const { extraction, ...verdict } = await judgeContent(extractor, capture, extract, budget);
      return { ...verdict, reading: { extraction: extract && extraction, signature } };
    },
  };
}

async function judgeContent(
  extractor: Extractor,
  capture: Capture,
  wish: ExtractWish = { formats: [] },
  { timeoutMs, signal }: StageBudget,
): Promise<CaptureVerdict & Pick<PageReading, 'extraction'>> {
  const { html, finalUrl: url, contentLanguage } = capture;
  try {
    const budget = { timeoutMs: Math.min(JUDGE_TIMEOUT_MS, timeoutMs), signal };
    const input = { html, url, contentLanguage, ...pickContentOptions(wish) };
    const extraction = await extractor.extract(input, budget);
    const { mainText, confidence } = extraction;
    const found = `${mainText.length} characters of main content, confidence ${confidence.toFixed(2)}`;
    const poor = mainText.length < MIN_TEXT || confidence < MIN_CONFIDENCE;
    if (!poor) return { sufficient: true, reason: found, extraction };
    return { sufficient: false, reason: `too little for a page with scripts: ${found}`, extraction };
  } catch (error) {
    if (signal.aborted) throw error;
    return { sufficient: true, reason: 'the extractor could not judge the page in time' };
  }
}
