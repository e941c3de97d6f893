import type { Capture, CaptureJudge, CaptureVerdict } from './ports.ts';
import type { RememberingExtractor } from './remember-extractions.ts';

/** Milliseconds that a judgement may take; a page that needs longer is taken as it is. */
const JUDGE_TIMEOUT_MS = 5000;

/**
 * What `auto` asks of a capture: does it hold content worth extracting? Pages that say little but say it
 * well (a short notice) have few characters and some confidence; shells have neither.
 */
const MIN_CONFIDENCE = 0.2;
const MIN_TEXT = 140;

/** Judges a capture by what the extractor gets out of it. */
export function createCaptureJudge(extractor: RememberingExtractor): CaptureJudge {
  return { judge: (capture) => judge(extractor, capture) };
}

async function judge(extractor: RememberingExtractor, capture: Capture): Promise<CaptureVerdict> {
  const { html, finalUrl: url, contentLanguage } = capture;
  try {
    const budget = { timeoutMs: JUDGE_TIMEOUT_MS, signal: AbortSignal.timeout(JUDGE_TIMEOUT_MS) };
    const { mainText, confidence } = await extractor.extractAhead({ html, url, contentLanguage, formats: [] }, budget);
    const found = `the extractor finds ${mainText.length} characters with confidence ${confidence.toFixed(2)}`;
    return { sufficient: mainText.length >= MIN_TEXT && confidence >= MIN_CONFIDENCE, reason: found };
  } catch {
    return { sufficient: true, reason: 'the extractor could not judge the page in time' };
  }
}
