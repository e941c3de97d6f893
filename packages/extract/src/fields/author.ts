import type { Tree } from '../tree/tree.ts';
import { pickBest, type Candidate, type Evidence, type Refused } from './candidate.ts';
import { isObject, type JsonObject, type LinkedData } from './json-ld.ts';
import { dereference, readString, type Entity, type EntityKind } from './main-entity.ts';
import { collapse, getAttribute, getNodeText } from './node-text.ts';
import {
  IN_ARTICLE,
  IN_ASIDE,
  IN_BIO,
  IN_COMMENT,
  IN_FOOTER,
  IN_HIDDEN,
  IN_LINK,
  IN_NAV,
  IN_RELATED,
} from './page-context.ts';
import type { PageFacts } from './page-facts.ts';
import {
  cleanName,
  isBareOpening,
  isGroup,
  looksLikePerson,
  opensByline,
  refuseName,
  splitNames,
} from './person-names.ts';
import { TAG, TEXT } from '../tree/tags.ts';

/** How often a JSON-LD author is the page's author, by what the object is. */
const ENTITY_WEIGHTS: Readonly<Record<EntityKind, number>> = {
  article: 0.9,
  post: 0.95,
  work: 0.8,
  page: 0.8,
  product: 0.1,
  other: 0.3,
};

/** Meta names that hold an author, with how often they are right. */
const META_WEIGHTS: readonly (readonly [string, number, string])[] = [
  ['author', 0.8, 'the usual place; sites also put their own name here'],
  ['parsely-author', 0.85, 'filled for analytics from the article itself'],
  ['sailthru.author', 0.85, 'filled for newsletters from the article itself'],
  ['cxenseparse:author', 0.85, 'filled for recommendations from the article itself'],
  ['citation_author', 0.9, 'for scholarly indexes; one element a person'],
  ['dc.creator', 0.8, 'Dublin Core'],
  ['dcterms.creator', 0.8, 'Dublin Core'],
  ['dc.creator.personalname', 0.8, 'Dublin Core'],
  ['article:author', 0.7, 'OpenGraph; often a profile address, which is refused'],
  ['og:article:author', 0.7, 'misspelt OpenGraph'],
  ['og:author', 0.7, 'misspelt OpenGraph'],
  ['article:author_name', 0.75, 'misspelt OpenGraph'],
  ['authors', 0.7, 'rare'],
  ['byl', 0.8, 'newspapers'],
  ['byline', 0.75, 'newspapers'],
];

/** What surroundings do to the weight of an author found in the text. */
const CONTEXT_FACTORS: readonly (readonly [number, number, string])[] = [
  [IN_COMMENT, 0.35, 'the author of a comment'],
  [IN_RELATED, 0.3, 'the author of another page'],
  [IN_NAV, 0.1, 'part of the navigation'],
  [IN_FOOTER, 0.2, 'part of the footer'],
  [IN_ASIDE, 0.5, 'beside the content'],
  [IN_HIDDEN, 0.9, 'not shown'],
];

const FLOOR = 0.45;
/** Organisations give way to people. */
const GROUP_FACTOR = 0.62;
const MAX_BYLINE = 140;

/** The page's author: people joined by ", ", or the organisation where the page names no person. */
export function findAuthor(facts: PageFacts): Evidence {
  const refused: Refused[] = [];
  const raw = [
    ...listEntityAuthors(facts),
    ...listMetaAuthors(facts),
    ...listPropertyAuthors(facts),
    ...listTextAuthors(facts),
  ];
  const candidates: Candidate[] = [];
  for (const candidate of raw) {
    const names = cleanNames(candidate.value);
    const reason = names.length === 0 ? (refuseName(cleanName(candidate.value)) ?? 'no name in it') : null;
    if (reason !== null) refused.push({ source: candidate.source, value: candidate.value.slice(0, 100), reason });
    else candidates.push(weigh(candidate, names, facts));
  }
  return pickBest(mergeParts(candidates), refused, { floor: FLOOR, keyOf: toKey });
}

function toKey(value: string): string {
  return value
    .toLowerCase()
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim();
}

function cleanNames(text: string): string[] {
  const names: string[] = [];
  for (const part of splitNames(cleanName(text))) {
    const name = cleanName(part);
    if (refuseName(name) === null && !names.includes(name)) names.push(name);
  }
  return names;
}

function weigh(candidate: Candidate, names: readonly string[], facts: PageFacts): Candidate {
  const value = names.join(', ');
  const group = names.some((name) => isGroup(name)) || facts.isSiteName(value);
  return { source: candidate.source, value, weight: candidate.weight * (group ? GROUP_FACTOR : 1) };
}

/** "Jane Doe" supports "Jane Doe, John Roe": the longer list of people takes the shorter one's weight along. */
function mergeParts(candidates: readonly Candidate[]): Candidate[] {
  return candidates.flatMap((candidate) => {
    const key = toKey(candidate.value);
    const longer = candidates.find(
      (other) =>
        other.value.length > candidate.value.length &&
        other.weight >= 0.7 &&
        ` ${toKey(other.value)} `.includes(` ${key} `),
    );
    return longer === undefined ? [candidate] : [candidate, { ...candidate, value: longer.value }];
  });
}

function listEntityAuthors(facts: PageFacts): Candidate[] {
  const candidates: Candidate[] = [];
  const articles = facts.entities.filter((entity) => entity.kind === 'article').length;
  for (const entity of facts.entities) {
    for (const key of ['author', 'creator', 'contributor'] as const) {
      const names = readNames(entity.properties[key], facts.linkedData);
      if (names.length === 0) continue;
      let weight = ENTITY_WEIGHTS[entity.kind] * (key === 'author' ? 1 : key === 'creator' ? 0.8 : 0.4);
      if (entity.kind === 'article' && articles > 2 && !facts.isAboutPage(entity)) weight *= 0.3;
      candidates.push({ source: `json-ld:${nameType(entity)}.${key}`, value: names.join(', '), weight });
    }
  }
  return candidates;
}

function nameType(entity: Entity): string {
  return entity.types[0] ?? 'Thing';
}

function readNames(value: unknown, data: LinkedData): string[] {
  const names: string[] = [];
  for (const item of Array.isArray(value) ? value.slice(0, 12) : [value]) {
    const full = dereference(item, data);
    const name = isObject(full) ? readPersonName(full) : readString(full);
    if (name !== null && refuseName(cleanName(name)) === null && !names.includes(name)) names.push(name);
  }
  return names;
}

function readPersonName(person: JsonObject): string | null {
  const name = readString(person['name']);
  if (name !== null) return name;
  const parts = [readString(person['givenName']), readString(person['familyName'])].filter((part) => part !== null);
  return parts.length > 0 ? parts.join(' ') : readString(person['alternateName']);
}

function listMetaAuthors(facts: PageFacts): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [name, weight] of META_WEIGHTS) {
    const values = facts.meta.get(name);
    if (values === undefined) continue;
    const people = values
      .map((value) => flipName(name, collapse(value)))
      .filter((value) => refuseName(cleanName(value)) === null);
    const value = [...new Set(people)].slice(0, 12).join(', ');
    candidates.push({ source: `meta:${name}`, value: value === '' ? values[0]! : value, weight });
  }
  for (const n of [1, 2, 3]) {
    const label = facts.meta.get(`twitter:label${n}`)?.[0];
    const data = facts.meta.get(`twitter:data${n}`)?.[0];
    if (label === undefined || data === undefined || !opensByline(label)) continue;
    candidates.push({ source: `meta:twitter:data${n}`, value: data, weight: 0.75 });
  }
  return candidates;
}

/** Scholarly indexes are given "Berger, Emery D.". */
function flipName(source: string, value: string): string {
  const match = source === 'citation_author' ? /^([^,]+),\s*([^,]+)$/.exec(value) : null;
  return match === null ? value : `${match[2]} ${match[1]}`;
}

function listPropertyAuthors(facts: PageFacts): Candidate[] {
  const candidates: Candidate[] = [];
  for (const property of facts.properties) {
    const names = property.names;
    const isAuthor = names.includes('author') || names.includes('creator');
    if (!isAuthor || candidates.length >= 20) continue;
    const text = readPropertyName(facts, property.node);
    if (text === '') continue;
    candidates.push({
      source: `itemprop:${names.join(' ')}`,
      value: text,
      weight: 0.8 * contextFactor(facts, property.node),
    });
  }
  return firstOnly(candidates);
}

/** The name inside a microdata author: its `name` property, else `content`, else its text. */
function readPropertyName(facts: PageFacts, node: number): string {
  const { tree } = facts;
  const content = getAttribute(tree, node, 'content');
  if (content !== undefined) return collapse(content);
  for (const property of facts.properties) {
    if (property.node <= node || property.node >= tree.end[node]! || !property.names.includes('name')) continue;
    return collapse(getAttribute(tree, property.node, 'content') ?? '') || getNodeText(tree, property.node);
  }
  return getNodeText(tree, node);
}

function contextFactor(facts: PageFacts, node: number): number {
  const bits = facts.context.get(node);
  let factor = 1;
  for (const [bit, value] of CONTEXT_FACTORS) if ((bits & bit) !== 0) factor *= value;
  return factor;
}

/** Later ones of the same kind are rarer the page's own. */
function firstOnly(candidates: readonly Candidate[]): Candidate[] {
  return candidates.map((candidate, index) => ({
    ...candidate,
    weight: candidate.weight * (index === 0 ? 1 : 0.75 ** Math.min(index, 6)),
  }));
}

function listTextAuthors(facts: PageFacts): Candidate[] {
  const marked = collectMarked(facts);
  return [...firstOnly(marked), ...firstOnly(collectOpenings(facts))].filter((candidate) => candidate.weight > 0.05);
}

/** Elements that the page marks as authors by class, id or rel. */
function collectMarked(facts: PageFacts): Candidate[] {
  const { tree } = facts;
  const candidates: Candidate[] = [];
  for (const node of facts.bylines) {
    if (candidates.length >= 30) break;
    const name = getMarkedName(tree, node);
    if (name === null) continue;
    const text = cleanName(name);
    if (refuseName(text) !== null) continue;
    const rel = getAttribute(tree, node, 'rel') === 'author';
    const person = looksLikePerson(text);
    const weight =
      (rel ? 0.75 : person ? 0.68 : facts.isDiscussion ? 0.62 : 0.3) *
      contextFactor(facts, node) *
      placeFactor(facts, node);
    candidates.push({ source: rel ? 'rel:author' : `class:${describe(tree, node)}`, value: name, weight });
  }
  return candidates;
}

function getMarkedName(tree: Tree, node: number): string | null {
  const tag = tree.tag[node]!;
  if (tag === TAG.img || tag === TAG.input || tag === TAG.style || tag === TAG.svg || tag === TAG.form) return null;
  const text = getNodeText(tree, node);
  return text.length < 2 || text.length > MAX_BYLINE ? null : text;
}

function describe(tree: Tree, node: number): string {
  const name = getAttribute(tree, node, 'class') ?? getAttribute(tree, node, 'id') ?? '';
  return name.trim().slice(0, 60);
}

/** An author stands near the title, or at the article's end. */
function placeFactor(facts: PageFacts, node: number): number {
  const bits = facts.context.get(node);
  if ((bits & IN_BIO) !== 0) return 0.95;
  if (facts.titleNode < 0) return 0.9;
  const distance = node - facts.titleNode;
  if (distance >= -60 && distance <= 150) return 1;
  return (bits & IN_ARTICLE) !== 0 ? 0.9 : 0.75;
}

/** Lines that open with "By": the name is the rest of the line, or the next element. */
function collectOpenings(facts: PageFacts): Candidate[] {
  const { tree } = facts;
  const candidates: Candidate[] = [];
  for (const node of facts.bylineTexts) {
    if (candidates.length >= 20) break;
    const line = collapse(tree.value[node]!);
    if (!opensByline(line)) continue;
    const bare = isBareOpening(line);
    const text = bare ? getNextText(tree, node) : line;
    const name = cleanName(text);
    if (
      name.length < 3 ||
      refuseName(name) !== null ||
      !splitNames(name).every((part) => looksLikePerson(part) || (bare && isGroup(part)))
    )
      continue;
    const linked = (facts.context.get(node) & IN_LINK) !== 0;
    const weight = (bare ? 0.72 : 0.62) * contextFactor(facts, node) * placeFactor(facts, node) * (linked ? 0.8 : 1);
    candidates.push({ source: `text:${line.slice(0, 40)}`, value: text, weight });
  }
  return candidates;
}

/** Text of the element or text node that follows "By" within a few nodes. */
function getNextText(tree: Tree, node: number): string {
  const stop = Math.min(tree.size, node + 14);
  for (let i = node + 1; i < stop; i++) {
    if (tree.tag[i] !== TEXT) continue;
    const text = collapse(tree.value[i]!);
    if (/\p{L}/u.test(text)) return text.length <= MAX_BYLINE ? text : '';
  }
  return '';
}
