import type { PageType } from '../types/extraction.ts';
import type { Tree } from '../tree/tree.ts';
import { findAuthor } from './author/author.ts';
import type { FieldChoice } from './shared/candidate.ts';
import { findDescription } from './title/description.ts';
import { findLanguage } from './language/language.ts';
import { createPageFacts } from '../page/page-facts.ts';
import { findPublishTime } from './date/publish-time.ts';
import type { Signals } from '../page/signals.ts';
import { chooseTitle } from './title/title.ts';
import { readDocumentTitle } from '../page/title-heading.ts';
import type { UrlResolver } from '../tree/url-resolver.ts';

export interface FieldOptions {
  readonly contentLanguage?: string | undefined;
  readonly mainText: string;
  readonly pageType?: PageType | undefined;
  /** Whether the page lists topics of a forum, whose authors and days are those of the topics. */
  readonly isTopicIndex?: boolean;
}

export interface Fields {
  title: string | null;
  description: string | null;
  /** RFC 3339 date, date-time without zone, or date-time, as precise as the page. */
  publishTime: string | null;
  author: string | null;
  /** BCP 47. */
  language: string | null;
  documentTitle: string;
  /** Users of a discussion count as authors. */
  isDiscussion: boolean;
  evidence: FieldChoices;
}

export interface FieldChoices {
  title: FieldChoice;
  description: FieldChoice;
  publishTime: FieldChoice;
  author: FieldChoice;
  language: FieldChoice;
}

/** Decides the fields of a page from its signals. The address names the site and may date the page. Never throws. */
export function extractFields(tree: Tree, signals: Signals, urls: UrlResolver, options: FieldOptions): Fields {
  const facts = createPageFacts(tree, signals, urls.page, options.pageType, options.isTopicIndex);
  const title = chooseTitle(facts);
  const language = findLanguage(facts, options.contentLanguage, options.mainText);
  const publishTime = findPublishTime(facts, language.value);
  const author = findAuthor(facts, language.value);
  const description = findDescription(facts);
  return {
    title: title.value,
    description: description.value,
    publishTime: publishTime.value,
    author: author.value,
    language: language.value,
    documentTitle: readDocumentTitle(facts),
    isDiscussion: facts.isDiscussion,
    evidence: { title, description, publishTime, author, language },
  };
}
