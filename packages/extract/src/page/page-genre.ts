import type { Entity } from './main-entity.ts';
import type { Signals } from './signals.ts';

/** Features that separate signed, dated texts (articles, posts) from pages without author or date. */
export interface GenreFacts extends Pick<Signals, 'meta' | 'h1s' | 'times' | 'bylines'> {
  readonly url: URL | null;
  readonly entities: readonly Entity[];
  readonly documentTitle: string;
  readonly isAboutPage: (entity: Entity) => boolean;
}

interface GenrePage extends GenreFacts {
  readonly path: string;
  readonly segments: readonly string[];
  readonly lastWords: number;
  readonly place: string;
  readonly ogType: string;
  readonly kinds: ReadonlySet<Entity['kind']>;
}

interface Rule {
  readonly holds: (facts: GenrePage) => boolean | number;
  /** Log-odds, fitted by logistic regression on labelled pages and rounded. */
  readonly points: number;
  readonly reason: string;
}

const BLOG_PATH =
  /(?:^|\/)(?:blogs?|news|articles?|posts?|stor(?:y|ies)|insights?|guides?|learn|magazine|resources|advice|opinion|library|knowledge[\w-]*|tips|how-to|p|notes|newsroom|press|reviews?|best|top|journal|features?|academy)\//i;
const COMMERCE_PATH =
  /(?:^|\/)(?:products?|shop|collections?|c|categor(?:y|ies)|services?|solutions?|pricing|dp|itm|item|pd|store|tags?|topics?|jobs?|search|courses?|programs?)(?:\/|$)/i;
const DOCS_PLACE = /(?:^|[/.])(?:docs?|documentation|reference|api|manual|wiki)(?:[/.]|$)/i;

const FORUM_PLACE =
  /(?:^|[/.])(?:forums?|threads?|topics?|discussions?|community|questions|t|d|r|comments|bbs)(?:[/.]|$)|viewtopic|showthread|topic/i;

const RULES: readonly Rule[] = [
  { points: 2, reason: 'OpenGraph dates it as an article', holds: (f) => f.meta.has('article:published_time') },
  { points: 1.6, reason: 'the address is that of a discussion', holds: (f) => FORUM_PLACE.test(f.place) },
  { points: 1.6, reason: 'the address lies in a blog, news or the like', holds: (f) => BLOG_PATH.test(f.path) },
  { points: 1.4, reason: 'the address contains a year', holds: (f) => /(?:19|20)\d\d[/-]/.test(f.path) },
  { points: 1.3, reason: 'elements are marked as author', holds: (f) => Math.min(1, f.bylines.length / 3) },
  { points: 1.3, reason: 'OpenGraph calls it an article', holds: (f) => f.ogType === 'article' },
  { points: 1, reason: 'JSON-LD has an article', holds: (f) => f.kinds.has('article') },
  { points: 0.9, reason: 'JSON-LD has a post', holds: (f) => f.kinds.has('post') },
  {
    points: 0.9,
    reason: 'the JSON-LD article is this page',
    holds: (f) => f.entities.some((entity) => entity.kind === 'article' && f.isAboutPage(entity)),
  },
  {
    points: 0.9,
    reason: 'the title is a sentence',
    holds: (f) => Math.min(14, f.documentTitle.split(' ').length) / 10,
  },
  { points: 0.85, reason: 'the address ends in a sentence', holds: (f) => f.lastWords >= 5 },
  { points: 0.45, reason: 'the address is short', holds: (f) => f.segments.length === 1 },
  { points: 0.35, reason: 'one or two times', holds: (f) => f.times.length === 1 || f.times.length === 2 },
  { points: -0.5, reason: 'JSON-LD calls it just a page', holds: (f) => f.kinds.has('page') },
  { points: -0.5, reason: 'the address ends in a word or two', holds: (f) => f.lastWords <= 2 },
  { points: -0.6, reason: 'OpenGraph calls it a product', holds: (f) => f.ogType.includes('product') },
  { points: -0.7, reason: 'the address is that of a shop or service', holds: (f) => COMMERCE_PATH.test(f.path) },
  { points: -0.7, reason: 'JSON-LD has a video, course or the like', holds: (f) => f.kinds.has('work') },
  { points: -0.95, reason: 'no element for times', holds: (f) => f.times.length === 0 },
  { points: -1, reason: 'the front page', holds: (f) => isFrontPage(f.url) },
  { points: -1.4, reason: 'JSON-LD has a product', holds: (f) => f.kinds.has('product') },
  { points: -1.4, reason: 'the address is that of documentation', holds: (f) => DOCS_PLACE.test(f.place) },
];

/** Addresses of WordPress without permalinks: `/?p=123`. */
const POST_QUERY = /[?&](?:p|page_id)=\d/;

export function isFrontPage(url: URL | null): boolean {
  return url !== null && /^\/*$/.test(url.pathname) && !POST_QUERY.test(url.search);
}

const BASE = -1.95;

/** Log-odds that a page is a signed and dated text. */
export function scoreGenre(facts: GenreFacts): number {
  const page = viewAddress(facts);
  let score = BASE;
  for (const rule of RULES) score += rule.points * Number(rule.holds(page));
  return score;
}

/** Reads the parts of the address once: a URL's getters compute them at each call. */
function viewAddress(facts: GenreFacts): GenrePage {
  const path = facts.url?.pathname.slice(0, 1_000) ?? '';
  const segments = path.split('/').filter((segment) => segment !== '');
  return {
    ...facts,
    path,
    segments,
    lastWords: (segments.at(-1) ?? '').split('-').length,
    place: facts.url === null ? '' : `${facts.url.hostname}${path}${facts.url.search.slice(0, 200)}`,
    ogType: facts.meta.get('og:type')?.[0]?.toLowerCase() ?? '',
    kinds: new Set(facts.entities.map((entity) => entity.kind)),
  };
}
