import type { ContentBlock, Extraction, ExtractOptions } from '../extraction.ts';
import type { Tree } from '../tree/tree.ts';

/** The renderings asked for besides the plain text. */
export function renderFormats(
  _tree: Tree,
  _blocks: readonly ContentBlock[],
  _options: ExtractOptions,
  _pageUrl: string | null,
  _baseHref: string | null,
): Pick<Extraction, 'markdown' | 'html'> {
  return {};
}
