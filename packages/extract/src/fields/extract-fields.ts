import type { Tree } from '../tree/tree.ts';
import { findAuthor } from './author.ts';
import type { Evidence } from './candidate.ts';
import { findDescription } from './description.ts';
import { listImages, type Image } from './images.ts';
import { findLanguage } from './language.ts';
import { listLinks, type Link } from './links.ts';
import { createPageFacts } from './page-facts.ts';
import { findPublishTime } from './publish-time.ts';
import type { Signals } from './signals.ts';
import { findTitle } from './title.ts';
import { createUrlResolver } from './url-resolver.ts';

export interface FieldOptions {
  /** Address of the page: resolves links, names the site, may date the page. */
  readonly url?: string | undefined;
  /** Value of the `Content-Language` response header. */
  readonly contentLanguage?: string | undefined;
  /** Text of the main content; tells the language. */
  readonly mainText: string;
  /** Whether a node of the tree belongs to the main content. */
  readonly isInMain: (node: number) => boolean;
}

export interface Fields {
  title: string | null;
  description: string | null;
  /** RFC 3339 date, date-time without zone, or date-time, as precise as the page says. */
  publishTime: string | null;
  author: string | null;
  /** BCP 47. */
  language: string | null;
  links: Link[];
  images: Image[];
  /** How each field was decided. */
  evidence: FieldEvidence;
}

export interface FieldEvidence {
  title: Evidence;
  description: Evidence;
  publishTime: Evidence;
  author: Evidence;
  language: Evidence;
}

/** Decides all fields of a page from what `collectSignals` found. Never throws on bad pages. */
export function extractFields(tree: Tree, signals: Signals, options: FieldOptions): Fields {
  const urls = createUrlResolver(options.url, signals.baseHref);
  const facts = createPageFacts(tree, signals, urls.page, options.isInMain);
  const title = findTitle(facts);
  const language = findLanguage(facts, options.contentLanguage, options.mainText);
  const publishTime = findPublishTime(facts, language.value);
  const author = findAuthor(facts);
  const description = findDescription(facts);
  return {
    title: title.value,
    description: description.value,
    publishTime: publishTime.value,
    author: author.value,
    language: language.value,
    links: listLinks(tree, signals.anchors, urls, options.isInMain),
    images: listImages(tree, signals.images, urls, options.isInMain),
    evidence: { title, description, publishTime, author, language },
  };
}
