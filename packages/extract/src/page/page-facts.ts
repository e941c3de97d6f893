import type { PageType } from '../types/extraction.ts';
import type { Tree } from '../tree/tree.ts';
import { isObject } from './json-ld.ts';
import { listEntities, readString, type Entity } from './main-entity.ts';
import { TEXT } from '../tree/tags.ts';
import { collapse } from '../tree/text/node-text.ts';
import { isFrontPage, scoreGenre } from './page-genre.ts';
import { PageContext } from './page-context.ts';
import { opensByline } from './person-names.ts';
import type { Signals } from './signals.ts';
import { createEntryTest } from './other-entries.ts';
import { createBareSiteNameTest, createSiteNameTest, findLogoName, listSiteNames } from './site-names.ts';
import { findTitleHeading, readDocumentTitle, shareOfWords, type TitleHeading } from './title-heading.ts';

/** Signals and the conclusions that several fields need. One instance per page. */
export interface PageFacts extends Signals {
  readonly tree: Tree;
  /** JSON-LD objects about the page itself. */
  readonly entities: readonly Entity[];
  readonly context: PageContext;
  readonly url: URL | null;
  readonly titleNode: number;
  readonly titleHeading: TitleHeading | null;
  readonly isFrontPage: boolean;
  readonly slug: readonly string[];
  /** Names of the site: `og:site_name`, JSON-LD, publisher, and its `logoName`. */
  readonly siteNames: readonly string[];
  /** The site's name in the link to its front page, if the document title has it too. */
  readonly logoName: string | null;
  readonly isDiscussion: boolean;
  /** See `scoreGenre`. */
  readonly genre: number;
  /**
   * `listing` for an index of topics, `forum` if the address or structured data say so, else the model's type; undefined
   * if a byline and a day follow the title.
   */
  readonly pageType: PageType | undefined;
  readonly isSiteName: (text: string) => boolean;
  readonly isBareSiteName: (text: string) => boolean;
  readonly isAboutPage: (entity: Entity) => boolean;
  /** Whether a node belongs to a list entry that links to another page of the site; false in discussions. */
  readonly isInOtherEntry: (node: number) => boolean;
  /** Whether an address, as written, is on the page's host. */
  readonly isOwnAddress: (href: string) => boolean;
}

/** Derives the facts; `page` is the absolute address or null, `pageType` the model's. */
export function createPageFacts(
  tree: Tree,
  signals: Signals,
  page: string | null,
  pageType?: PageType,
  isTopicIndex = false,
): PageFacts {
  const url = page === null ? null : new URL(page);
  const context = new PageContext(tree);
  const entities = listEntities(signals.linkedData);
  const found = { ...signals, tree };
  const documentTitle = readDocumentTitle(found);
  const logoName = findLogoName(found, documentTitle, url);
  const siteNames = [...listSiteNames(signals, entities), ...(logoName === null ? [] : [logoName])];
  const isSiteName = createSiteNameTest(siteNames, url?.hostname ?? '');
  const base = {
    ...found,
    context,
    entities,
    url,
    siteNames,
    logoName,
    isSiteName,
    isBareSiteName: createBareSiteNameTest(siteNames, url?.hostname ?? ''),
    isOwnAddress: (href: string) => isOwnHost(href, url),
  };
  const reference = `${documentTitle} ${signals.meta.get('og:title')?.[0] ?? ''}`;
  const answers = new Map<Entity, boolean>();
  const isAboutPage = (entity: Entity): boolean => {
    let answer = answers.get(entity);
    if (answer === undefined) {
      answer = isAbout(entity, url, reference);
      answers.set(entity, answer);
    }
    return answer;
  };
  const isDiscussion =
    entities.some((entity) => entity.kind === 'post') ||
    DISCUSSION.test(`${url?.hostname ?? ''}${url?.pathname ?? ''}`);
  const genre = scoreGenre({ ...base, documentTitle, isAboutPage });
  const titleHeading = findTitleHeading(base);
  const titleNode = titleHeading?.node ?? -1;
  const isInEntry = createEntryTest(tree, signals, url);
  // A byline above the title belongs to it, unless the title is in a list entry.
  const firstInEntry = titleNode >= 0 && isInEntry(titleNode + 1) ? 0 : titleNode;
  return {
    ...base,
    isAboutPage,
    isInOtherEntry: (node) => !isDiscussion && node > firstInEntry && isInEntry(node),
    isFrontPage: isFrontPage(url),
    slug: readSlug(url),
    genre,
    pageType: isTopicIndex ? 'listing' : guessType(),
    isDiscussion,
    titleHeading,
    titleNode,
  };

  function guessType(): PageType | undefined {
    if (isDiscussion || isMessage(tree, titleNode)) return 'forum';
    return isSigned(base, titleHeading) ? undefined : pageType;
  }
}

const MAIL_NODES = 40;
const MAIL_DAY = /\b(?:mon|tue|wed|thu|fri|sat|sun),? {1,3}(?:\d{1,2} )?[a-z]{3} .{0,30}\b\d\d:\d\d:\d\d\b/i;

/** Whether a page shows one message of a mailing list: the day of a mail header follows its subject. */
function isMessage(tree: Tree, titleNode: number): boolean {
  if (titleNode < 0) return false;
  const end = Math.min(tree.size, tree.end[titleNode] + MAIL_NODES);
  for (let node = tree.end[titleNode]; node < end; node++)
    if (tree.tag[node] === TEXT && tree.value[node].length < 100 && MAIL_DAY.test(tree.value[node])) return true;
  return false;
}

const SIGNED_NODES = 16;

/** Whether a byline and a day follow the title. */
function isSigned(facts: Signals & { readonly tree: Tree }, heading: TitleHeading | null): boolean {
  if (heading === null) return false;
  const { tree } = facts;
  const first = tree.end[heading.node];
  const isUnderTitle = (node: number): boolean => node >= first && node <= first + SIGNED_NODES;
  const isDated = facts.dateTexts.some(isUnderTitle) || facts.times.some(isUnderTitle);
  return (
    isDated &&
    (facts.bylines.some(isUnderTitle) ||
      facts.bylineTexts.some((node) => isUnderTitle(node) && opensByline(collapse(tree.value[node]))))
  );
}

const DISCUSSION =
  /(?:^|[/.])(?:forums?|threads?|topics?|viewtopic|showthread|discussions?|community|questions|t|d|r|(?:issues|pulls?|merge_requests)\/\d+)(?:[/.]|$)/i;

function isAbout(entity: Entity, url: URL | null, reference: string): boolean {
  for (const key of ['url', '@id', 'mainEntityOfPage'] as const) {
    const value = entity.properties[key];
    const address = isObject(value) ? (value['@id'] ?? value['url']) : value;
    if (typeof address === 'string' && url !== null && samePath(address, url)) return true;
  }
  const name = readString(entity.properties['headline']) ?? readString(entity.properties['name']);
  return name !== null && (shareOfWords(name, reference) >= 0.6 || reference.trim() === '');
}

function samePath(address: string, url: URL): boolean {
  if (address === url.href) return url.pathname.length > 1;
  if (address.length > 4_000 || !address.includes(url.pathname.replace(/\/$/, ''))) return false;
  const parsed = URL.parse(address, url);
  return (
    parsed !== null && parsed.pathname.replace(/\/$/, '') === url.pathname.replace(/\/$/, '') && url.pathname.length > 1
  );
}

function isOwnHost(href: string, url: URL | null): boolean {
  const host = /^(?:https?:)?\/\/([^/?#]*)/i.exec(href)?.[1]?.toLowerCase();
  if (host === undefined) return !/^[a-z][a-z+.-]*:/i.test(href);
  return url !== null && host.replace(/^www\./, '') === url.hostname.replace(/^www\./, '');
}

function readSlug(url: URL | null): string[] {
  const last = url?.pathname.split('/').findLast((segment) => segment !== '') ?? '';
  let text = last.slice(0, 400);
  try {
    text = decodeURIComponent(text);
  } catch {
    // Broken escape: keep the address as written.
  }
  return text
    .toLowerCase()
    .replace(/\.\w{2,5}$/, '')
    .split(/[-_+ ]+/)
    .filter((word) => word.length > 2);
}
