import type { PageType } from '../types/extraction.ts';
import type { Tree } from '../tree/tree.ts';
import { isObject } from './json-ld.ts';
import { listEntities, readString, type Entity } from './main-entity.ts';
import { collapse } from '../tree/text/node-text.ts';
import { scoreGenre } from './page-genre.ts';
import { PageContext } from './page-context.ts';
import { opensByline } from './person-names.ts';
import type { Signals } from './signals.ts';
import { createBareSiteNameTest, createSiteNameTest, listSiteNames } from './site-names.ts';
import { findTitleHeading, readDocumentTitle, shareOfWords, type TitleHeading } from './title-heading.ts';

/** What the fields share: the signals, and conclusions that several of them need. One instance a page. */
export interface PageFacts extends Signals {
  readonly tree: Tree;
  /** Objects of the JSON-LD that speak of the page itself. */
  readonly entities: readonly Entity[];
  readonly context: PageContext;
  /** Address of the page without its fragment, or null. */
  readonly url: URL | null;
  /** Heading that shows the page's title, or -1. */
  readonly titleNode: number;
  readonly titleHeading: TitleHeading | null;
  /** Whether the address is that of the site's front page. */
  readonly isFrontPage: boolean;
  /** Words of the last segment of the page's address. */
  readonly slug: readonly string[];
  /** Names of the site: `og:site_name`, publisher, host. */
  readonly siteNames: readonly string[];
  /** Whether the page is a discussion, where users stand for authors. */
  readonly isDiscussion: boolean;
  /** Log-odds that the page is a signed and dated text, see `scoreGenre`. */
  readonly genre: number;
  /**
   * What the page is: a discussion by its address or structured data, else what the model takes it for, where it was asked;
   * undefined where a byline and a day under the title say otherwise.
   */
  readonly pageType: PageType | undefined;
  readonly isSiteName: (text: string) => boolean;
  /** Whether a text is the site's name and nothing more. */
  readonly isBareSiteName: (text: string) => boolean;
  readonly isAboutPage: (entity: Entity) => boolean;
  /** Whether an address as written stays on the page's host. */
  readonly isOwnAddress: (href: string) => boolean;
}

/**
 * Draws the conclusions that the fields share. `page` is the page's absolute address, or null; `pageType` is what the
 * model takes the page for.
 */
export function createPageFacts(tree: Tree, signals: Signals, page: string | null, pageType?: PageType): PageFacts {
  const url = page === null ? null : new URL(page);
  const context = new PageContext(tree);
  const entities = listEntities(signals.linkedData);
  const siteNames = listSiteNames(signals, entities);
  const isSiteName = createSiteNameTest(siteNames, url?.hostname ?? '');
  const base = {
    ...signals,
    tree,
    context,
    entities,
    url,
    siteNames,
    isSiteName,
    isBareSiteName: createBareSiteNameTest(siteNames, url?.hostname ?? ''),
    isOwnAddress: (href: string) => isOwnHost(href, url),
  };
  const documentTitle = readDocumentTitle(base);
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
  return {
    ...base,
    isAboutPage,
    isFrontPage: url?.pathname === '/',
    slug: readSlug(url),
    genre,
    pageType: isDiscussion ? 'forum' : isSigned(base, titleHeading) ? undefined : pageType,
    isDiscussion,
    titleHeading,
    titleNode: titleHeading?.node ?? -1,
  };
}

/** How far behind the title, in nodes, a byline and a day stand right under it. */
const SIGNED_NODES = 16;

/** Whether a byline and a day stand right under the title: a signed and dated text, whatever the model takes the page for. */
function isSigned(facts: Signals & { readonly tree: Tree }, heading: TitleHeading | null): boolean {
  if (heading === null) return false;
  const { tree } = facts;
  const first = tree.end[heading.node]!;
  const isUnderTitle = (node: number): boolean => node >= first && node <= first + SIGNED_NODES;
  const isDated = facts.dateTexts.some(isUnderTitle) || facts.times.some(isUnderTitle);
  return (
    isDated &&
    (facts.bylines.some(isUnderTitle) ||
      facts.bylineTexts.some((node) => isUnderTitle(node) && opensByline(collapse(tree.value[node]!))))
  );
}

/** Path and host parts by which discussion software is known everywhere. */
const DISCUSSION =
  /(?:^|[/.])(?:forums?|threads?|topics?|viewtopic|showthread|discussions?|community|questions|t|d|r|(?:issues|pulls?|merge_requests)\/\d+)(?:[/.]|$)/i;

/** A JSON-LD object is about the page when it is the page's address that it names, or the page's title. */
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
    // A broken escape: the address as it stands has to do.
  }
  return text
    .toLowerCase()
    .replace(/\.\w{2,5}$/, '')
    .split(/[-_+ ]+/)
    .filter((word) => word.length > 2);
}
