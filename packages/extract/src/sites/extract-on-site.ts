import { extractContent } from '../pipeline/extract.ts';
import type { Tree } from '../tree/tree.ts';
import type { Extraction, ExtractOptions } from '../types/extraction.ts';
import { takeNotes, type PageNotes } from './page-notes.ts';
import type { SiteEvidence } from './site-evidence.ts';
import type { TaughtSite } from './taught-site.ts';
import { weighEvidence } from './weigh-evidence.ts';
import { weighTaught } from './weigh-taught.ts';

export interface SiteOptions extends ExtractOptions {
  /** Of other pages of the site; anything else is ignored. */
  readonly siteEvidence?: SiteEvidence | undefined;
  /** By a person, for class paths of the site. */
  readonly taught?: TaughtSite | undefined;
  readonly takeNotes?: boolean | undefined;
}

export interface SiteExtraction extends Extraction {
  /** If `takeNotes` is set and the page has text. Not with `favor` or hidden text: they would say less of the site. */
  readonly notes?: PageNotes;
  /** If `taught` is set: whether the page has text where the marked pages have content. */
  readonly isTaught?: boolean;
}

/**
 * Extracts a parsed page, with what other pages of its site show. The evidence decides only which blocks are the main text;
 * the confidence and the notes are those of the page alone.
 */
export function extractTree(tree: Tree, options: SiteOptions = {}): SiteExtraction {
  const { siteEvidence, taught, takeNotes: wantsNotes = false, ...others } = options;
  const isUsual = (others.favor ?? 'balanced') === 'balanced' && others.hiddenText !== 'keep';
  let notes: PageNotes | undefined;
  let isTaught = false;
  const { extraction } = extractContent(tree, others, (page) => {
    if (wantsNotes && isUsual) notes = takeNotes(page);
    const second = siteEvidence === undefined ? undefined : weighEvidence(page, siteEvidence);
    if (taught === undefined) return second;
    const judged = weighTaught(page, taught, second);
    isTaught = judged.isFound;
    return judged.probabilities;
  });
  return {
    ...extraction,
    ...(notes === undefined ? {} : { notes }),
    ...(taught === undefined ? {} : { isTaught }),
  };
}
