/** What `extract` takes and gives. */
import type { StatedData } from './stated-data.ts';

/** The kinds of page that the extractor tells apart. */
export type PageType = 'article' | 'forum' | 'product' | 'collection' | 'listing' | 'documentation' | 'service';

/** Extra renderings of the main content, and what the page states about itself. */
export type ContentFormat = 'markdown' | 'html' | 'stated';

/**
 * What the main text should rather be: free of what is not content, or complete. `balanced` weighs both the same.
 */
export type Favor = 'precision' | 'balanced' | 'recall';

/** What becomes of text that the page hides. */
export type HiddenText = 'drop' | 'keep';

export interface ExtractOptions {
  /** Address of the page: resolves relative links and helps to tell its type, date and title. */
  url?: string;
  /** Value of the `Content-Language` response header, if any. */
  contentLanguage?: string;
  /**
   * Whether text that the page hides stays out of the main text (`drop`, the default): it is written for machines, and may be
   * written to mislead them. What a reader can open, such as a tab or an accordion, always stays.
   */
  hiddenText?: HiddenText | undefined;
  /** What is wanted besides the plain text. */
  formats?: readonly ContentFormat[];
  /** Whether to leave out more of what is doubtful, or less. Default: `balanced`. */
  favor?: Favor | undefined;
  /**
   * Pages with more nodes than this give no main content, only fields; a guard for callers with a time
   * budget. Default: 2,000,000.
   */
  maxNodes?: number;
}

export interface Extraction {
  title: string | null;
  description: string | null;
  /** Main content as text: paragraphs separated by a blank line; '' when the page has none. */
  mainText: string;
  /** RFC 3339 date or date-time of first publication, as precise as the page says. */
  publishTime: string | null;
  author: string | null;
  /** BCP 47. */
  language: string | null;
  links: Link[];
  images: Image[];
  pageType: PageType;
  /** Expected word F1 of `mainText`, 0 to 1. */
  confidence: number;
  evidence: Evidence;
  /** Present when asked for in `formats`. */
  markdown?: string;
  /** Present when asked for in `formats`. */
  html?: string;
  /** Present when asked for in `formats`. */
  stated?: StatedData;
}

export interface Link {
  url: string;
  text: string;
  rel: string | null;
  internal: boolean;
  in_main: boolean;
}

export interface Image {
  url: string;
  alt: string | null;
  width: number | null;
  height: number | null;
  in_main: boolean;
}

/** Why each field has its value. */
export type Evidence = Partial<Record<EvidenceField, FieldEvidence>>;

export type EvidenceField = 'title' | 'description' | 'publish_time' | 'author' | 'language';

export interface FieldEvidence {
  /** The source that won, for instance `json-ld headline`; null when nothing qualified. */
  source: string | null;
  /** Other candidates in the order of their rank. */
  rivals: readonly { readonly source: string; readonly value: string; readonly reason: string }[];
}

/**
 * The part of a page that is its content, as nodes of the flat tree. Blocks stand in document order and do
 * not overlap; the text of a block is that of its text nodes in `first … end - 1`.
 */
export interface ContentSelection {
  blocks: ContentBlock[];
  /** Expected word F1 of the selection, 0 to 1, calibrated. */
  confidence: number;
}

/** A run of text that no block element interrupts. */
export interface ContentBlock {
  /** First text node (or `<br>`, `<img>`) of the run. */
  first: number;
  /** One past the last node of the run. */
  end: number;
  /** Lowest element that holds the whole run. */
  element: number;
}
