import { decodeHTML } from 'entities';
import { isInBreadcrumb } from './breadcrumb-heading.ts';
import { pickBest, type Candidate, type FieldChoice, type Refused } from '../shared/candidate.ts';
import { readString } from '../../page/main-entity.ts';
import { readDocumentTitle, type TitleHeading } from '../../page/title-heading.ts';
import { collapse, cut, getNodeText } from '../../tree/text/node-text.ts';
import { IN_ASIDE, IN_COMMENT, IN_FOOTER, IN_HEADER, IN_NAV } from '../../page/page-context.ts';
import type { PageFacts } from '../../page/page-facts.ts';
import { markTags, TEXT } from '../../tree/tags.ts';
import { foldName, FRONT_PAGE, removeName } from '../../page/site-names.ts';

const MAX_TITLE = 500;

/** Sources of titles that a page states besides its document title. */
const OWN_HEADLINE = /^meta:og:title$|\.headline$/;

/** Separators of title and site name. A hyphen or colon counts only between spaces or before a Chinese character. */
const SEPARATOR =
  /( ?[|｜丨»«›⋅•∙·] ?| [-–—‐:~/<>]+ | ?:: ?|：| — ?|(?<=[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}\p{P}\d])(?<![-_])[-_–—]{1,9}(?=\p{Script=Han}))/u;

/** "Acme: A mug of blue clay" */
const SITE_PREFIX = /^([^:]{2,60}):\s+(?=\S)/;

/** Trackers write the number after the name: "Pump leaks (#12)". */
const NUMBER = / \([#!]\d{1,9}\)$/;

const BRACKETED_SITE = /^([^[\]]{2,200}) \[[^[\]]{2,60}\]$/;

/** "Site » Blog Archive » Title", a default of WordPress. */
const ARCHIVE = /(?<=^|[»|] )Blog Archives? +[»|] +(?=\S)/i;

const META_TITLES: readonly (readonly [string, number])[] = [
  ['og:title', 0.6],
  ['twitter:title', 0.3],
  ['citation_title', 0.85],
  ['dc.title', 0.5],
  ['dcterms.title', 0.5],
  ['parsely-title', 0.6],
  ['sailthru.title', 0.6],
];

const FRONT_PAGE_FACTOR = 0.15;
const SITE_NAME_FACTOR = 0.3;

/** Finds the title without the site's name, except on a front page. */
export function chooseTitle(facts: PageFacts): FieldChoice {
  const refused: Refused[] = [];
  const candidates: Candidate[] = [];
  const heading = facts.titleHeading;
  const add = (source: string, raw: string, weight: number): void => {
    const full = cut(collapse(decode(raw)), MAX_TITLE);
    const bare = facts.logoName === null ? full : removeName(full, facts.logoName);
    const value = facts.isFrontPage ? full : removeSiteName(bare, facts, heading?.text ?? '');
    if (value === '') refused.push({ source, value: full, reason: "empty, or the site's name alone" });
    else candidates.push({ source, value, weight: weight * weighName(value, facts) });
  };
  add('title', readDocumentTitle(facts), facts.isFrontPage ? 0.65 : 0.55);
  for (const [name, weight] of META_TITLES) {
    const value = facts.meta.get(name)?.[0];
    if (value !== undefined) add(`meta:${name}`, value, weight);
  }
  for (const entity of facts.entities) {
    if (!facts.isAboutPage(entity)) continue;
    const type = entity.types[0] ?? 'Thing';
    const headline = readString(entity.properties['headline']);
    if (headline !== null) add(`json-ld:${type}.headline`, headline, 0.55);
    const name = entity.kind === 'product' || entity.kind === 'work' ? readString(entity.properties['name']) : null;
    if (name !== null) add(`json-ld:${type}.name`, name, 0.5);
  }
  const stated = pickBest(candidates, refused, { floor: 0.05, keyOf: (value) => foldName(value) || value });
  if (heading === null) return cutAtSmallHeading(facts, stated);
  return preferOwnHeadline(facts, heading, candidates, stated) ?? judgeHeading(facts, heading, stated);
}

const SMALL_HEADINGS = markTags('h3', 'h4');
const MAX_SEARCHED = 3_000;

/** Removes an unknown site's name if a small heading, in a page without a larger one, has the title before it. */
function cutAtSmallHeading({ tree }: PageFacts, stated: FieldChoice): FieldChoice {
  const [start, ...others] = stated.value?.split(SEPARATOR) ?? [''];
  if (others.length === 0) return stated;
  const name = foldName(start);
  for (let node = 1; node < Math.min(tree.size, MAX_SEARCHED); node++)
    if (SMALL_HEADINGS[tree.tag[node]] === 1 && name !== '' && foldName(getNodeText(tree, node)) === name)
      return { ...stated, value: start.trim() };
  return stated;
}

/** Lowers the weight of "Home" and of the bare site name. */
function weighName(value: string, facts: PageFacts): number {
  if (FRONT_PAGE.test(value)) return FRONT_PAGE_FACTOR;
  return facts.isBareSiteName(value) ? SITE_NAME_FACTOR : 1;
}

/**
 * A heading in a breadcrumb repeats the document title. Another title stated by the page is the headline that readers
 * see.
 */
function preferOwnHeadline(
  facts: PageFacts,
  heading: TitleHeading,
  candidates: readonly Candidate[],
  stated: FieldChoice,
): FieldChoice | null {
  const [document] = candidates;
  if (document?.source !== 'title' || !contains(document.value, heading.text)) return null;
  const isOther = ({ source, value }: Candidate): boolean =>
    OWN_HEADLINE.test(source) && !contains(value, heading.text);
  const own = candidates.find(isOther);
  if (own === undefined || !isInBreadcrumb(facts, heading.node)) return null;
  const rival = { source: 'h1', value: heading.text, reason: 'in a breadcrumb, where it repeats the document title' };
  const others = stated.rivals.filter(({ value }) => value !== own.value && value !== heading.text);
  return { source: own.source, value: own.value, rivals: [rival, ...others] };
}

/** Evidence for and against a heading that differs from the stated title. */
const HEADING_RULES: readonly {
  readonly points: number;
  readonly reason: string;
  readonly holds: (heading: TitleHeading, stated: string, facts: PageFacts) => boolean | number;
}[] = [
  {
    points: 2.5,
    reason: 'the address spells the heading, not the stated title',
    holds: (h, t, f) => shareOfSlug(f, h.text) - shareOfSlug(f, t),
  },
  { points: 0.5, reason: 'the address spells the heading', holds: (h, _, f) => shareOfSlug(f, h.text) },
  {
    points: 0.9,
    reason: 'the preview title is the heading',
    holds: (h, _, f) => contains(f.meta.get('twitter:title')?.[0], h.text),
  },
  { points: 0.8, reason: 'it is the only h1', holds: (_, __, f) => f.h1s.length === 1 },
  { points: 0.7, reason: 'its words are those of the stated titles', holds: (h) => h.overlap },
  { points: 0.6, reason: 'it has the words of the stated titles', holds: (h) => h.coverage },
  { points: 0.6, reason: 'it is in a header', holds: (h, _, f) => (f.context.get(h.node) & IN_HEADER) !== 0 },
  {
    points: 0.6,
    reason: 'the JSON-LD headline is the heading',
    holds: (h, _, f) => f.entities.some((entity) => contains(readString(entity.properties['headline']), h.text)),
  },
  { points: 0.5, reason: 'it is long', holds: (h) => Math.min(15, h.text.split(' ').length) / 10 },
  { points: 0.1, reason: 'the page is an article', holds: (_, __, f) => Math.max(-4, Math.min(6, f.genre)) },
  { points: -0.7, reason: 'it is one word', holds: (h) => !h.text.includes(' ') },
  {
    points: -0.7,
    reason: 'it is in navigation, a footer or comments',
    holds: (h, _, f) => (f.context.get(h.node) & (IN_NAV | IN_FOOTER | IN_COMMENT | IN_ASIDE)) !== 0,
  },
  { points: -0.9, reason: 'it is an h2', holds: (h, _, f) => !f.h1s.includes(h.node) },
  {
    points: -1.1,
    reason: 'title and OpenGraph agree',
    holds: (_, __, f) => contains(readDocumentTitle(f), f.meta.get('og:title')?.[0]),
  },
];

const HEADING_BASE = -1.35;

function judgeHeading(facts: PageFacts, heading: TitleHeading, stated: FieldChoice): FieldChoice {
  const source = facts.h1s.includes(heading.node) ? 'h1' : 'h2';
  if (
    stated.value !== null &&
    !facts.isFrontPage &&
    isLogoName(facts, heading.text) &&
    !isLogoName(facts, stated.value)
  )
    return { ...stated, rivals: [{ source, value: heading.text, reason: "the site's name" }, ...stated.rivals] };
  if (stated.value === null) return { source, value: heading.text, rivals: stated.rivals };
  if (holdsTitle(facts, heading, stated.value)) return stated;
  const [start] = stated.value.split(SEPARATOR, 1);
  if (countWords(start) >= LEAST_OWN && holdsTitle(facts, heading, start)) return { ...stated, value: start.trim() };
  let odds = HEADING_BASE;
  for (const rule of HEADING_RULES) odds += rule.points * Number(rule.holds(heading, stated.value, facts));
  if (foldName(heading.text) === foldName(stated.value)) return { ...stated, rivals: [...stated.rivals] };
  const chance = (1 / (1 + Math.exp(-odds))).toFixed(2);
  if (odds > 0) {
    const rival = {
      source: stated.source ?? 'title',
      value: stated.value,
      reason: `the heading is likelier: ${chance}`,
    };
    return { source, value: heading.text, rivals: [rival, ...stated.rivals] };
  }
  return {
    ...stated,
    rivals: [{ source, value: heading.text, reason: `as a heading only ${chance}` }, ...stated.rivals],
  };
}

const MAX_HEADING_NODES = 30;
/** Words of the part of a document title that is the title without a section: fewer may be a section. */
const LEAST_OWN = 3;

/** Whether an element inside the heading has the title alone: another has its section. */
function holdsTitle({ tree }: PageFacts, { node, text }: TitleHeading, title: string): boolean {
  const name = foldName(title);
  if (name === foldName(text) || !foldName(text).endsWith(name)) return false;
  for (let inner = node + 1; inner < Math.min(tree.end[node], node + MAX_HEADING_NODES); inner++)
    if (tree.tag[inner] !== TEXT && foldName(getNodeText(tree, inner)) === name) return true;
  return false;
}

function isLogoName({ logoName }: PageFacts, text: string): boolean {
  return logoName !== null && foldName(logoName) === foldName(text);
}

function contains(text: string | null | undefined, part: string | undefined): boolean {
  if (text === null || text === undefined || part === undefined) return false;
  const a = foldName(text);
  const b = foldName(part);
  return a !== '' && b !== '' && (a.includes(b) || b.includes(a));
}

function shareOfSlug(facts: PageFacts, title: string): number {
  const slug = facts.slug;
  if (slug.length === 0) return 0;
  const words = new Set(title.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return slug.filter((word) => words.has(word)).length / slug.length;
}

function decode(text: string): string {
  return text.includes('&') ? decodeHTML(text) : text;
}

/**
 * Removes the site's name: a last part that names the site, a first part that is only the name ("Acme Docs", not "Acme
 * Mail"), and parts after the heading if the title starts with it. Returns '' if only the site's name is left and there
 * is a heading.
 */
function removeSiteName(
  full: string,
  facts: Pick<PageFacts, 'isSiteName' | 'isBareSiteName'>,
  heading: string,
): string {
  const title = full.replace(ARCHIVE, '');
  // Wikis write "page [site]", with the page as in its address.
  if (heading !== '' && foldName(BRACKETED_SITE.exec(title)?.[1] ?? '') === foldName(heading)) return heading;
  const prefix = SITE_PREFIX.exec(title);
  if (prefix !== null && facts.isBareSiteName(prefix[1]))
    return removeSiteName(title.slice(prefix[0].length), facts, heading);
  const parts = title.split(SEPARATOR);
  if (parts.length < 3) return heading !== '' && facts.isBareSiteName(title) ? '' : title;
  let from = 0;
  let to = parts.length;
  const folded = foldName(heading);
  while (to - from > 1 && facts.isSiteName(parts[to - 1])) to -= 2;
  if (to - from > 1 && heading === '' && DAY.test(parts[to - 1]) && countWords(parts[from]) >= LEAST_DATED) to -= 2;
  while (to - from > 2 && facts.isBareSiteName(parts[from])) from += 2;
  if (folded.length >= 2) {
    const whole = foldName(parts.slice(from, to).join(''));
    if (whole !== folded && whole.startsWith(folded)) {
      // If the heading ends with a part, a section or the site follows.
      for (let end = from + 1; end < to; end += 2) {
        const start = parts.slice(from, end).join('');
        if (foldName(start) === folded) to = end;
        else if (NUMBER.test(start) && foldName(start.replace(NUMBER, '')) === folded) return heading;
      }
    }
  }
  const rest = parts.slice(from, to).join('').trim();
  if (heading !== '' && facts.isBareSiteName(rest)) return '';
  return rest === '' ? title : rest;
}

/** Old news pages end their titles with the day; that of a daily column ("Morning briefing - May 3, 2024") is part of it. */
const DAY =
  /^(?:\p{L}{3,9}\.? \d{1,2}, \d{4}|\d{1,2}\.? \p{L}{3,10}\.? \d{4}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d\d-\d\d)$/u;
const LEAST_DATED = 4;

function countWords(text: string): number {
  return text.trim().split(' ').length;
}
