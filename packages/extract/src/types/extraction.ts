import type { StatedData } from './stated-data.ts';
import type { PageWarning } from './warnings.ts';

export type PageType = 'article' | 'forum' | 'product' | 'collection' | 'listing' | 'documentation' | 'service';

export type ContentFormat = 'markdown' | 'html' | 'stated';

/** `precision` drops doubtful parts, `recall` keeps them. */
export type Favor = 'precision' | 'balanced' | 'recall';

export type HiddenText = 'drop' | 'keep';

export interface MarkdownOptions {
  /** `text` leaves out addresses; `references` lists them at the end. Default: `keep`. */
  readonly links?: 'keep' | 'text' | 'references' | undefined;
  /** `alt` puts the alternative text in place of an image. Default: `keep`. */
  readonly images?: 'keep' | 'alt' | 'none' | undefined;
  /** Whether the Markdown begins with the page's title as a heading. Default: false. */
  readonly title?: boolean | undefined;
}

export interface ChunkOptions {
  /** Maximum length of a chunk's text. */
  readonly maxCharacters: number;
}

export interface ExtractOptions {
  /** Address of the page: resolves links, and helps with type, date and title. */
  url?: string;
  /** Value of the `Content-Language` response header. */
  contentLanguage?: string;
  /** Whether hidden text is excluded (default) or included. Tab panels and accordions always count as shown. */
  hiddenText?: HiddenText | undefined;
  /** Optional parts of the result. */
  formats?: readonly ContentFormat[];
  /** Default: `balanced`. */
  favor?: Favor | undefined;
  markdown?: MarkdownOptions | undefined;
  chunks?: ChunkOptions | undefined;
  /** Pages with more nodes give fields only. Default: 2,000,000. */
  maxNodes?: number;
}

export interface Extraction {
  title: string | null;
  description: string | null;
  /** Main content as text, with blank lines between paragraphs; '' if there is none. */
  mainText: string;
  /** RFC 3339 date or date-time of the first publication, as precise as the page states it. */
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
  /** Reasons to doubt that the text comes from the requested page. */
  warnings: PageWarning[];
  /** If in `formats`. */
  markdown?: string;
  /** If in `formats`. */
  html?: string;
  /** If in `formats`. */
  stated?: StatedData;
  /** If `chunks` is set. */
  chunks?: Chunk[];
  /** Estimated tokens of the Markdown if in `formats`, else of the main text. */
  tokenEstimate: number;
}

/** A part of the Markdown. */
export interface Chunk {
  /** Enclosing headings, highest first. */
  heading_path: string[];
  text: string;
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

/** Reasons for each field's value. */
export type Evidence = Partial<Record<EvidenceField, FieldEvidence>>;

export type EvidenceField = 'title' | 'description' | 'publish_time' | 'author' | 'language';

export interface FieldEvidence {
  /** The chosen source, for instance `json-ld headline`, or null. */
  source: string | null;
  /** Other candidates, best first. */
  rivals: readonly { readonly source: string; readonly value: string; readonly reason: string }[];
}

/**
 * The content of a page as nodes of the flat tree. Blocks are in document order and do not overlap; a block's text is
 * that of its text nodes in `first … end - 1`.
 */
export interface ContentSelection {
  blocks: ContentBlock[];
  /** Expected word F1, 0 to 1, calibrated. */
  confidence: number;
}

export interface ContentBlock {
  /** First text node, `<br>` or `<img>` of the run. */
  first: number;
  /** One past the last node of the run. */
  end: number;
  /** Lowest element around the run. */
  element: number;
}
