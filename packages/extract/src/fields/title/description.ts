import { decodeHTML } from 'entities';
import { pickBest, type Candidate, type FieldChoice, type Refused } from '../shared/candidate.ts';
import { readString } from '../../page/main-entity.ts';
import { collapse, cut } from '../../tree/text/node-text.ts';
import type { PageFacts } from '../../page/page-facts.ts';

const SOURCES: readonly (readonly [string, number, string])[] = [
  ['description', 0.9, 'written for search results'],
  ['og:description', 0.85, 'written for previews'],
  ['twitter:description', 0.8, 'written for previews'],
  ['dc.description', 0.75, 'Dublin Core'],
  ['dcterms.abstract', 0.75, 'Dublin Core'],
  ['dcterms.description', 0.75, 'Dublin Core'],
  ['sailthru.description', 0.7, 'newsletters'],
  ['citation_abstract', 0.7, 'scholarly indexes'],
];

const MAX_LENGTH = 5_000;

export function findDescription(facts: PageFacts): FieldChoice {
  const candidates: Candidate[] = [];
  const refused: Refused[] = [];
  for (const [name, weight] of SOURCES)
    add(
      `meta:${name}`,
      facts.meta.get(name)?.find((text) => text.trim() !== ''),
      weight,
    );
  for (const entity of facts.entities) {
    if (entity.kind === 'other' || !facts.isAboutPage(entity)) continue;
    add(`json-ld:${entity.types[0] ?? 'Thing'}.description`, readString(entity.properties['description']), 0.6);
  }
  return pickBest(candidates, refused, { floor: 0.1, keyOf: (value) => value.toLowerCase() });

  function add(source: string, raw: string | null | undefined, weight: number): void {
    if (raw === null || raw === undefined) return;
    const value = collapse(stripTags(cut(raw, MAX_LENGTH)));
    if (/[\p{L}\p{N}]/u.test(value)) candidates.push({ source, value, weight });
    else refused.push({ source, value, reason: 'no words in it' });
  }
}

/** Some pages have encoded entities and tags in the attribute. */
function stripTags(text: string): string {
  const decoded = text.includes('&') ? decodeHTML(text) : text;
  return decoded.includes('<') ? decoded.replace(/<\/?[a-z][^<>]{0,300}>/gi, ' ') : decoded;
}
