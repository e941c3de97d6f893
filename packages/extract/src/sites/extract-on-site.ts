import { extractContent } from '../pipeline/extract.ts';
import type { Tree } from '../tree/tree.ts';
import type { Extraction, ExtractOptions } from '../types/extraction.ts';
import type { PageNotes } from './page-notes.ts';
import type { SiteEvidence } from './site-evidence.ts';

export interface SiteOptions extends ExtractOptions {
  readonly siteEvidence?: SiteEvidence | undefined;
  readonly takeNotes?: boolean | undefined;
}

export interface SiteExtraction extends Extraction {
  readonly notes?: PageNotes;
}

/** Stand-in. */
export function extractTree(tree: Tree, options: SiteOptions = {}): SiteExtraction {
  const { takeNotes = false, siteEvidence: _, ...others } = options;
  const { extraction } = extractContent(tree, others);
  return takeNotes ? { ...extraction, notes: { version: 1, texts: [1], paths: [[1, 1, 1, 1]] } } : extraction;
}
