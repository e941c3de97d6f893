import type { Entity } from './main-entity.ts';
import type { Signals } from './signals.ts';

/** What is looked at to tell a dated, signed text (article, post) from a page that has no author or date. */
export interface GenreFacts extends Pick<Signals, 'meta' | 'h1s' | 'times' | 'bylines'> {
  readonly url: URL | null;
  readonly entities: readonly Entity[];
  readonly documentTitle: string;
  readonly isAboutPage: (entity: Entity) => boolean;
}

interface Rule {
  readonly holds: (facts: GenreFacts) => boolean | number;
  /** Log-odds that it adds, fitted by logistic regression on pages with known fields and rounded. */
  readonly points: number;
  readonly reason: string;
}

const BLOG_PATH =
  /(?:^|\/)(?:blogs?|news|articles?|posts?|stor(?:y|ies)|insights?|guides?|learn|magazine|resources|advice|opinion|library|knowledge[\w-]*|tips|how-to|p|notes|newsroom|press|reviews?|best|top|journal|features?|academy)\//i;
const COMMERCE_PATH =
  /(?:^|\/)(?:products?|shop|collections?|c|categor(?:y|ies)|services?|solutions?|pricing|dp|itm|item|pd|store|tags?|topics?|jobs?|search|courses?|programs?)(?:\/|$)/i;
const DOCS_PLACE = /(?:^|[/.])(?:docs?|documentation|reference|api|manual|wiki)(?:[/.]|$)/i;

/** Whether an address is that of documentation, by its host or path. */
export function isDocumentationAddress(url: string): boolean {
  return DOCS_PLACE.test(url.slice(0, 1_000).replace(/[?#].*$/, ''));
}

const FORUM_PLACE =
  /(?:^|[/.])(?:forums?|threads?|topics?|discussions?|community|questions|t|d|r|comments|bbs)(?:[/.]|$)|viewtopic|showthread|topic/i;

const RULES: readonly Rule[] = [
  { points: 2, reason: 'OpenGraph dates it as an article', holds: (f) => f.meta.has('article:published_time') },
  { points: 1.6, reason: 'the address is that of a discussion', holds: (f) => FORUM_PLACE.test(place(f)) },
  { points: 1.6, reason: 'the address lies in a blog, news or the like', holds: (f) => BLOG_PATH.test(path(f)) },
  { points: 1.4, reason: 'the address contains a year', holds: (f) => /(?:19|20)\d\d[/-]/.test(path(f)) },
  { points: 1.3, reason: 'elements are marked as author', holds: (f) => Math.min(1, f.bylines.length / 3) },
  { points: 1.3, reason: 'OpenGraph calls it an article', holds: (f) => ogType(f) === 'article' },
  { points: 1, reason: 'JSON-LD has an article', holds: (f) => hasKind(f, 'article') },
  { points: 0.9, reason: 'JSON-LD has a post', holds: (f) => hasKind(f, 'post') },
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
  { points: 0.85, reason: 'the address ends in a sentence', holds: (f) => lastSegment(f).split('-').length >= 5 },
  { points: 0.45, reason: 'the address is short', holds: (f) => segments(f).length === 1 },
  { points: 0.35, reason: 'one or two times', holds: (f) => f.times.length === 1 || f.times.length === 2 },
  { points: -0.5, reason: 'JSON-LD calls it just a page', holds: (f) => hasKind(f, 'page') },
  { points: -0.5, reason: 'the address ends in a word or two', holds: (f) => lastSegment(f).split('-').length <= 2 },
  { points: -0.6, reason: 'OpenGraph calls it a product', holds: (f) => ogType(f).includes('product') },
  { points: -0.7, reason: 'the address is that of a shop or service', holds: (f) => COMMERCE_PATH.test(path(f)) },
  { points: -0.7, reason: 'JSON-LD has a video, course or the like', holds: (f) => hasKind(f, 'work') },
  { points: -0.95, reason: 'no element for times', holds: (f) => f.times.length === 0 },
  { points: -1, reason: 'the front page', holds: (f) => f.url !== null && segments(f).length === 0 },
  { points: -1.4, reason: 'JSON-LD has a product', holds: (f) => hasKind(f, 'product') },
  { points: -1.4, reason: 'the address is that of documentation', holds: (f) => DOCS_PLACE.test(place(f)) },
];

const BASE = -1.95;

/** Log-odds that a page is a text of some author and day: above 0 it rather is. */
export function scoreGenre(facts: GenreFacts): number {
  let score = BASE;
  for (const rule of RULES) score += rule.points * Number(rule.holds(facts));
  return score;
}

function path(facts: GenreFacts): string {
  return facts.url?.pathname.slice(0, 1_000) ?? '';
}

function place(facts: GenreFacts): string {
  return facts.url === null ? '' : `${facts.url.hostname}${path(facts)}${facts.url.search.slice(0, 200)}`;
}

function segments(facts: GenreFacts): string[] {
  return path(facts)
    .split('/')
    .filter((segment) => segment !== '');
}

function lastSegment(facts: GenreFacts): string {
  return segments(facts).at(-1) ?? '';
}

function ogType(facts: GenreFacts): string {
  return facts.meta.get('og:type')?.[0]?.toLowerCase() ?? '';
}

function hasKind(facts: GenreFacts, kind: Entity['kind']): boolean {
  return facts.entities.some((entity) => entity.kind === kind);
}
