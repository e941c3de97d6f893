import { decodeHTML } from 'entities';
import { pickBest, type Candidate, type Evidence, type Refused } from './candidate.ts';
import { readString } from './main-entity.ts';
import { readDocumentTitle, shareOfWords } from './title-heading.ts';
import { collapse, getNodeText } from './node-text.ts';
import type { PageFacts } from './page-facts.ts';
import { foldName } from './site-names.ts';

const MAX_TITLE = 500;

/** Marks that part a title from the site's name. A hyphen or colon counts only between spaces. */
const SEPARATOR = /(\s*[|｜»«›⋅•∙·]\s*|\s+[-–—‐:~/<>]+\s+|\s*::\s*|：|\s+—\s*)/;

const META_TITLES: readonly (readonly [string, number])[] = [
  ['og:title', 0.6],
  ['twitter:title', 0.3],
  ['citation_title', 0.85],
  ['dc.title', 0.5],
  ['dcterms.title', 0.5],
  ['parsely-title', 0.6],
  ['sailthru.title', 0.6],
];

/** The page's title without the name of its site. */
export function findTitle(facts: PageFacts): Evidence {
  const refused: Refused[] = [];
  const candidates: Candidate[] = [];
  const documentTitle = readDocumentTitle(facts);
  const heading = facts.titleNode >= 0 ? getNodeText(facts.tree, facts.titleNode) : '';
  const add = (source: string, raw: string, weight: number): void => {
    const full = collapse(decode(raw)).slice(0, MAX_TITLE);
    const value = removeSiteName(full, facts, heading);
    if (value === '') refused.push({ source, value: full, reason: "empty, or the site's name alone" });
    else candidates.push({ source, value, weight });
  };
  add('title', documentTitle, 0.55);
  for (const [name, weight] of META_TITLES) {
    const value = facts.meta.get(name)?.[0];
    if (value !== undefined) add(`meta:${name}`, value, weight);
  }
  for (const entity of facts.entities) {
    const headline = readString(entity.properties['headline']);
    if (headline !== null && facts.isAboutPage(entity))
      add(`json-ld:${entity.types[0] ?? 'Thing'}.headline`, headline, 0.55);
    const name = readString(entity.properties['name']);
    if (name !== null && (entity.kind === 'product' || entity.kind === 'work') && facts.isAboutPage(entity))
      add(`json-ld:${entity.types[0]}.name`, name, 0.5);
  }
  if (heading !== '') add('h1', heading, weighHeading(facts, heading, documentTitle));
  return pickBest(candidates, refused, { floor: 0.05, keyOf: (value) => foldName(value) || value });
}

function decode(text: string): string {
  return text.includes('&') ? decodeHTML(text) : text;
}

/** A heading that says the same as the document's title is the title; a slogan is not. */
function weighHeading(facts: PageFacts, heading: string, documentTitle: string): number {
  const path = facts.url?.pathname ?? '/x/';
  const overlap = shareOfWords(heading, `${documentTitle} ${facts.meta.get('og:title')?.[0] ?? ''}`);
  if (path === '/' || path === '') return 0.3 * overlap;
  const article =
    facts.entities.some((entity) => entity.kind === 'article') || facts.meta.get('og:type')?.[0] === 'article';
  return Math.min(0.97, (article ? 0.55 : 0.35) + 0.6 * overlap) * (facts.h1s.length > 3 ? 0.85 : 1);
}

/**
 * Takes the site's name off a title: an outer part that names the site goes, and so do the parts behind the
 * heading when the heading is the title's beginning. Separators that belong to the title stay.
 */
export function removeSiteName(title: string, facts: Pick<PageFacts, 'isSiteName'>, heading: string): string {
  const parts = title.split(SEPARATOR);
  if (parts.length < 3) return title;
  let from = 0;
  let to = parts.length;
  const folded = foldName(heading);
  while (to - from > 1 && facts.isSiteName(parts[to - 1]!)) to -= 2;
  while (to - from > 2 && facts.isSiteName(parts[from]!)) from += 2;
  if (folded.length >= 6) {
    const whole = foldName(parts.slice(from, to).join(''));
    if (whole !== folded && whole.startsWith(folded)) {
      // The heading ends where a part ends: what follows is a section or the site.
      for (let end = from + 1; end < to; end += 2) {
        if (foldName(parts.slice(from, end).join('')) === folded) to = end;
      }
    }
  }
  const rest = parts.slice(from, to).join('').trim();
  return rest === '' ? title : rest;
}
