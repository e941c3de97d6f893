import type { PageType } from '../../types/extraction.ts';

/**
 * A site template as the library sees it: the same shape as the JSON document, without what only the
 * service needs (id, state, provenance). Structural: any object of this shape will do.
 */
export interface Template {
  /** Host names; one that begins with a dot stands for every name below it. */
  readonly hosts: readonly string[];
  /** Addresses that it is for; none: every address of the hosts. */
  readonly url_shapes: readonly UrlShape[];
  readonly signature: TemplateSignature | null;
  /** Literal replacements in the HTML before it is parsed. */
  readonly replace?: readonly Replacement[] | undefined;
  /** What pages of this kind are, and how good the main text is expected to be, 0 to 1. */
  readonly page_type?: PageType | undefined;
  readonly confidence?: number | undefined;
  readonly fields: Readonly<Partial<Record<TemplateField, FieldRule | undefined>>>;
  /** Null: the main text is the generic extractor's. */
  readonly content: TemplateContent | null;
  readonly custom: readonly CustomField[];
  readonly invariants: Invariants;
}

export type TemplateField = 'title' | 'description' | 'author' | 'publish_time' | 'language';

export const TEMPLATE_FIELDS: readonly TemplateField[] = ['title', 'description', 'author', 'publish_time', 'language'];

/** Where a field stands. A field without a rule is the generic extractor's. */
export interface FieldRule {
  /** In order of preference; none: the site's pages do not have the field. */
  readonly selectors: readonly Selector[];
  /** The value when no selector finds one, such as the language of a site that does not declare it. */
  readonly otherwise?: string | undefined;
  /**
   * Nothing in the structured data of the pages that it was learned from said otherwise; on a page where it does, the
   * generic extractor's value counts.
   */
  readonly agrees?: boolean | undefined;
}

export interface Replacement {
  readonly find: string;
  readonly replace: string;
}

/** Exactly one of `css`, `xpath` and `json_ld` is there. */
export interface Selector {
  readonly css?: string | undefined;
  /** XPath 1.0, with element and attribute names in lower case. */
  readonly xpath?: string | undefined;
  /** Type and path of a value in the page's JSON-LD: `NewsArticle:author.name`; `*:` stands for any type. */
  readonly json_ld?: string | undefined;
  /** The value is this attribute's instead of the element's text. */
  readonly attribute?: string | undefined;
  /** The value joins every match, not only the first. */
  readonly all?: boolean | undefined;
  readonly post?: readonly PostProcessor[] | undefined;
}

export type PostProcessor =
  | { readonly op: 'strip_prefix' | 'strip_suffix' | 'before' | 'after'; readonly text: string }
  | { readonly op: 'match'; readonly pattern: string; readonly group?: number | undefined };

export interface TemplateContent {
  /** In order of preference; the first that matches a page gives its main content. */
  readonly include: readonly Selector[];
  /** All of these are left out. */
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
  /** Least and most words of the main text; outside, it holds only if the generic extractor agrees. */
  readonly main_text_words: readonly [number, number] | null;
  /** How many of the selectors of what is left out find something on every page; fewer than half: the site has changed. */
  readonly exclusions?: number | undefined;
  /** Least share of the generic extractor's words that it kept on the pages that it was learned from, where the extractor was sure. */
  readonly recall?: number | undefined;
}

export interface TemplateSignature {
  /** MinHash over tag-path shingles, 64 unsigned 32-bit numbers. */
  readonly values: readonly number[];
  /** Pages farther than this are not the template's. */
  readonly max_distance: number;
}

/** The part of an address that pages of one kind share. */
export interface UrlShape {
  readonly segments: readonly UrlSegment[];
  /** Names of query parameters that every page of the kind has. */
  readonly query: readonly string[];
}

export type UrlSegment = { readonly text: string } | { readonly any: SegmentKind };

export type SegmentKind = 'number' | 'date' | 'slug' | 'text';

/** What is wrong with a template, and where: `fields.title.selectors[0].css`. */
export class TemplateFault extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(`${path}: ${message}`);
    this.name = 'TemplateFault';
    this.path = path;
  }
}

/** Thrown when a selector cannot be evaluated on a page, such as an expression that mixes up types. */
export class SelectorFailed extends Error {
  constructor(source: string, cause: unknown) {
    super(`the selector ${source} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'SelectorFailed';
  }
}

/** Thrown when the selectors of a template visit more nodes than their budget allows. */
export class SelectorBudgetExceeded extends Error {
  constructor() {
    super('the selectors of the template visited more nodes than their budget allows');
    this.name = 'SelectorBudgetExceeded';
  }
}
