import { collectSignals, type Signals } from '../page/signals.ts';
import { estimateTokens } from '../render/estimate-tokens.ts';
import { readAccessForFree, readStated } from '../stated/read-stated.ts';
import type { Tree } from '../tree/tree.ts';
import type { UrlResolver } from '../tree/url-resolver.ts';
import type { Extraction, ExtractOptions, PageType } from '../types/extraction.ts';
import { findContinuation } from '../warnings/find-continuation.ts';
import { findWarnings, mayBeWall } from '../warnings/find-warnings.ts';

export interface FoundContent {
  readonly mainText: string;
  readonly pageType: PageType;
  readonly markdown?: string | undefined;
  readonly language: string | null;
  /** Collected if missing and needed. */
  readonly signals?: Signals;
}

/** Reads warnings, tokens and, if requested, stated data. */
export function readAsides(
  tree: Tree,
  urls: UrlResolver,
  options: ExtractOptions,
  found: FoundContent,
): Pick<Extraction, 'warnings' | 'stated' | 'tokenEstimate'> {
  const wantsStated = options.formats?.includes('stated') === true;
  const { mainText } = found;
  const tokenEstimate = estimateTokens(found.markdown ?? mainText);
  const continuation = findContinuation(tree, found);
  const continued = continuation === undefined ? [] : [continuation];
  if (!wantsStated && !mayBeWall(mainText)) return { warnings: continued, tokenEstimate };
  const signals = found.signals ?? collectSignals(tree);
  const isAccessibleForFree = readAccessForFree(tree, signals, urls);
  return {
    tokenEstimate,
    warnings: [...findWarnings(tree, { signals, mainText, isAccessibleForFree }), ...continued],
    ...(wantsStated ? { stated: readStated(tree, signals, urls, found.language) } : {}),
  };
}
