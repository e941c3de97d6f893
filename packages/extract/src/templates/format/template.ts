import type { TaughtSite } from '../../sites/taught-site.ts';
import type { PageType } from '../../types/extraction.ts';

/** The JSON document without the service's id, state and provenance. */
export interface Template {
  /** Host names; a leading dot includes all subdomains. */
  readonly hosts: readonly string[];
  /** Empty: every address of the hosts. */
  readonly url_shapes: readonly UrlShape[];
  readonly signature: TemplateSignature | null;
  /** Applied to the HTML before the parse. */
  readonly replace?: readonly Replacement[] | undefined;
  readonly page_type?: PageType | undefined;
  readonly confidence?: number | undefined;
  readonly fields: Readonly<Partial<Record<TemplateField, FieldRule | undefined>>>;
  /** Null: the generic extractor's main text. */
  readonly content: TemplateContent | null;
  /** Marks of pages, for the generic extractor's main text. */
  readonly taught?: TaughtSite | undefined;
  readonly custom: readonly CustomField[];
  readonly invariants: Invariants;
}

export type TemplateField = 'title' | 'description' | 'author' | 'publish_time' | 'language';

export const TEMPLATE_FIELDS: readonly TemplateField[] = ['title', 'description', 'author', 'publish_time', 'language'];

export interface FieldRule {
  /** In order of preference; empty: the site has no such field. */
  readonly selectors: readonly Selector[];
  /** Value without a match, such as the language of a site that does not declare it. */
  readonly otherwise?: string | undefined;
  /** If the page's structured data contradicts the value, the generic extractor's value is used. */
  readonly agrees?: boolean | undefined;
}

export interface Replacement {
  readonly find: string;
  readonly replace: string;
}

/** Exactly one of `css`, `xpath` and `json_ld` is set. */
export interface Selector {
  readonly css?: string | undefined;
  /** XPath 1.0 with lower-case names. */
  readonly xpath?: string | undefined;
  /** Type and path in JSON-LD: `NewsArticle:author.name`; `*:` is any type. */
  readonly json_ld?: string | undefined;
  readonly attribute?: string | undefined;
  readonly all?: boolean | undefined;
  readonly post?: readonly PostProcessor[] | undefined;
}

export type PostProcessor =
  | { readonly op: 'strip_prefix' | 'strip_suffix' | 'before' | 'after'; readonly text: string }
  | { readonly op: 'match'; readonly pattern: string; readonly group?: number | undefined };

export interface TemplateContent {
  /** In order of preference; the first match is the main content. */
  readonly include: readonly Selector[];
  readonly exclude: readonly Selector[];
  /** Hashes of block texts that repeat over the site's pages, see `content-blocks.ts`. */
  readonly exclude_text: readonly number[];
}

export interface CustomField {
  readonly name: string;
  readonly type: 'text' | 'number' | 'date' | 'url' | 'list';
  readonly selectors: readonly Selector[];
}

export interface Invariants {
  readonly required: readonly (TemplateField | 'main_text')[];
  /** Smallest and largest number of words. */
  readonly main_text_words: readonly [number, number] | null;
}

export interface TemplateSignature {
  /** MinHash over tag-path shingles, 64 unsigned 32-bit numbers. */
  readonly values: readonly number[];
  readonly max_distance: number;
}

export interface UrlShape {
  readonly segments: readonly UrlSegment[];
  readonly query: readonly string[];
}

export type UrlSegment = { readonly text: string } | { readonly any: SegmentKind };

export type SegmentKind = 'number' | 'date' | 'slug' | 'text';

/** A fault of a template with its path: `fields.title.selectors[0].css`. */
export class TemplateFault extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path}: ${message}`);
    this.name = 'TemplateFault';
    this.path = path;
  }
}

/** A selector cannot be evaluated on a page, for instance because it mixes types. */
export class SelectorFailed extends Error {
  constructor(source: string, cause: unknown) {
    super(`the selector ${source} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'SelectorFailed';
  }
}

export class SelectorBudgetExceeded extends Error {
  constructor() {
    super('the selectors of the template visited more nodes than their budget allows');
    this.name = 'SelectorBudgetExceeded';
  }
}
