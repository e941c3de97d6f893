import type { Tree } from '../tree/tree.ts';
import { pickBest, type Candidate, type Evidence, type Refused } from './candidate.ts';
import { isObject, type JsonObject, type LinkedData } from './json-ld.ts';
import { dereference, readString, type Entity, type EntityKind } from './main-entity.ts';
import { collapse, getAttribute, getNodeText } from './node-text.ts';
import { IN_ARTICLE, IN_ASIDE, IN_BIO, IN_COMMENT, IN_FOOTER, IN_HIDDEN, IN_NAV, IN_RELATED } from './page-context.ts';
import type { PageFacts } from './page-facts.ts';
import {
  cleanByline,
  cleanName,
  isBareOpening,
  isGroup,
  looksLikeLogin,
  looksLikePerson,
  opensByline,
  refuseName,
  splitNames,
} from './person-names.ts';
import { BLOCK, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';

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
  [IN_COMMENT, 0.25, 'the author of a comment'],
  [IN_RELATED, 0.3, 'the author of another page'],
  [IN_NAV, 0.1, 'part of the navigation'],
  [IN_FOOTER, 0.2, 'part of the footer'],
  [IN_ASIDE, 0.5, 'beside the content'],
  [IN_HIDDEN, 0.9, 'not shown'],
];

/** The less a page looks like a signed text, the better an author must be founded. */
function chooseFloor(genre: number): number {
  return 1 / (1 + Math.exp(FLOOR_SLOPE * genre + FLOOR_BASE));
}

const FLOOR_SLOPE = 0.5;
const FLOOR_BASE = 0.8;
/** Family of what the page shows: classes and text often repeat one byline. */
const PAGE = 'page';
/** Organisations give way to people. */
const GROUP_FACTOR = 0.62;
/** Accounts give way to names. */
const LOGIN_FACTOR = 0.6;
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
  return pickBest(mergeParts(candidates), refused, { floor: chooseFloor(facts.genre), keyOf: toKey });
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
  const people = names.length > 1 ? names.filter((name) => !facts.isSiteName(name)) : names;
  const value = (people.length > 0 ? people : names).join(', ');
  const group = names.some((name) => isGroup(name)) || facts.isSiteName(value);
  const login = !facts.isDiscussion && names.every((name) => looksLikeLogin(name));
  return { ...candidate, value, weight: candidate.weight * (group ? GROUP_FACTOR : login ? LOGIN_FACTOR : 1) };
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
      weight: 0.8 * contextFactor(facts, property.node) * (facts.isDiscussion ? placeFactor(facts, property.node) : 1),
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
  const bits = facts.context.getBeside(node, facts.titleNode);
  let factor = 1;
  for (const [bit, value] of CONTEXT_FACTORS) if ((bits & bit) !== 0) factor *= value;
  return factor;
}

/** Later names of the same kind are rarer the page's own. */
function firstOnly(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Map<string, number>();
  return candidates.map((candidate) => {
    const key = toKey(cleanName(candidate.value));
    const rank = seen.get(key) ?? seen.size;
    seen.set(key, rank);
    return { ...candidate, weight: candidate.weight * 0.75 ** Math.min(rank, 6) };
  });
}

function listTextAuthors(facts: PageFacts): Candidate[] {
  const kinds = [
    collectMarked(facts),
    collectOpenings(facts),
    collectAttributes(facts),
    collectProfiles(facts),
    collectBesideDate(facts),
  ];
  return kinds.flatMap((kind) => firstOnly(kind)).filter((candidate) => candidate.weight > 0.05);
}

/** Elements that the page marks as authors by class, id or rel. */
function collectMarked(facts: PageFacts): Candidate[] {
  const { tree } = facts;
  const candidates: Candidate[] = [];
  for (const node of facts.bylines) {
    if (candidates.length >= 30) break;
    const text = getMarkedName(tree, node);
    if (text === null) continue;
    const name = cleanByline(text);
    if (refuseName(name) !== null) continue;
    const rel = getAttribute(tree, node, 'rel') === 'author';
    const named = looksLikePerson(name) || (isGroup(name) && name.split(' ').length <= 4);
    const label = describe(tree, node);
    const trust = rel ? 0.75 : named ? 0.68 : facts.isDiscussion ? 0.62 : 0.3;
    const about = ABOUT_AUTHOR.test(label) ? 0.35 : 1;
    const weight = trust * about * contextFactor(facts, node) * placeFactor(facts, node);
    candidates.push({
      source: rel ? 'rel:author' : `class:${describe(tree, node)}`,
      value: name,
      weight,
      family: PAGE,
    });
  }
  return candidates;
}

/** Marks of what stands about an author rather than of the name. */
const ABOUT_AUTHOR = /descr|role|position|job|avatar|social|modal|categor|website|author-?title|authorization|authent/i;

/** Attributes of discussion software that name the poster. */
function collectAttributes(facts: PageFacts): Candidate[] {
  const candidates: Candidate[] = [];
  for (const { node, value } of facts.authorAttributes.slice(0, 30)) {
    const name = cleanName(value);
    if (refuseName(name) !== null) continue;
    candidates.push({
      source: 'attribute:author',
      value: name,
      weight: 0.72 * contextFactor(facts, node) * placeFactor(facts, node),
      family: PAGE,
    });
  }
  return candidates;
}

const PROFILE_PATH =
  /\/(?:authors?|people|person|users?|u|profiles?|members?|contributors?|staff|writers?|by|autor(?:en|es)?|auteurs?|redaktion|team|our[_-]people|journalists?|reporters?|columnists?)\/[^/?#]{2,60}\/?(?:[?#].*)?$|\/(?:@|~)[^/?#]{2,60}\/?$/i;

/** Links to a person's page near the title. */
function collectProfiles(facts: PageFacts): Candidate[] {
  const { tree, titleNode } = facts;
  const candidates: Candidate[] = [];
  if (titleNode < 0) return candidates;
  for (const node of facts.anchors) {
    if (node < titleNode - 60) continue;
    if (node > titleNode + 500 || candidates.length >= 10) break;
    const href = getAttribute(tree, node, 'href');
    if (href === undefined || href.length > 300 || !PROFILE_PATH.test(href) || !facts.isOwnAddress(href)) continue;
    const name = cleanByline(getNodeText(tree, node));
    if (
      refuseName(name) !== null ||
      looksLikeLabel(name) ||
      (!facts.isDiscussion && !looksLikePerson(name) && !isGroup(name))
    )
      continue;
    const near = node - titleNode < 120 ? 0.6 : 0.4;
    candidates.push({ source: 'link:profile', value: name, weight: near * contextFactor(facts, node), family: 'link' });
  }
  return candidates;
}

/** How far around the title and the date a bare name is looked for, in nodes. */
const BESIDE_TITLE = 60;
const BESIDE_DATE = 10;

/** A name that stands alone between the title and a date, as blogs without marks print it. */
function collectBesideDate(facts: PageFacts): Candidate[] {
  const { tree, titleNode } = facts;
  const candidates: Candidate[] = [];
  if (titleNode < 0) return candidates;
  const first = Math.max(1, titleNode - 20);
  const last = Math.min(tree.size, tree.end[titleNode]! + BESIDE_TITLE);
  const dates = [...facts.dateTexts, ...facts.times].filter(
    (node) => node >= first - BESIDE_DATE && node < last + BESIDE_DATE,
  );
  for (let node = first; node < last; node++) {
    if (tree.tag[node] !== TEXT || (node > titleNode && node < tree.end[titleNode]!)) continue;
    if (!dates.some((date) => date !== node && Math.abs(date - node) <= BESIDE_DATE)) continue;
    const text = collapse(tree.value[node]!.slice(0, 200));
    if (text.length < 5 || text.length > 50 || !text.includes(' ')) continue;
    const name = cleanByline(text);
    if (refuseName(name) !== null || !looksLikePerson(name) || facts.isSiteName(name)) continue;
    if (name.includes(',') || !/^\S{2,}(?: \S+){1,2}$/.test(name) || looksLikeLabel(name)) continue;
    candidates.push({
      source: 'text:beside-date',
      value: name,
      weight: 0.4 * contextFactor(facts, node),
      family: 'beside',
    });
  }
  return candidates;
}

/** Sections and controls are capitalised as names are. */
function looksLikeLabel(text: string): boolean {
  return /\b(?:the|and|of|for|to|in|how|what|news|blog|guide|article|post|read|time|min|health|business|tech|technology|travel|home|food|style|tips|best|top|reviews?|design|development|management|data|security|software|research|learning|resources|products?|company|case|study|stud(?:y|ies)|insights?|media|social|digital|content|web|online|free|new|latest|all|view|my|your|our|contact|account|sign|join|start|get|shop|buy|cart|table|contents|updates?|categor(?:y|ies)|published|twitter|facebook|linkedin|email|copy|link|print|save|comments?|share|last|play|originally|key|features|buying|ask|question|forum|columnist|about|request|demo|video|library|more|next|previous|see|topic|section|specialty|service|columns?|opinion|politics|sports?|world|business|science|culture|lifestyle|entertainment|january|february|march|april|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i.test(
    text,
  );
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
    const name = cleanByline(text);
    if (
      name.length < (bare ? 3 : 2) ||
      refuseName(name) !== null ||
      !splitNames(name).every((part) => looksLikePerson(part) || (bare && isGroup(part)))
    )
      continue;
    const alone = opensBlock(tree, node) ? 1 : 0.35;
    const dated = !bare && /\p{Nd}{4}/u.test(line) && line.length <= 100;
    const weight = (bare || dated ? 0.72 : 0.62) * contextFactor(facts, node) * placeFactor(facts, node) * alone;
    candidates.push({ source: `text:${line.slice(0, 40)}`, value: name, weight, family: PAGE });
  }
  return candidates;
}

/** Whether a text opens its block, or follows only a short label or date in it: "by" inside a sentence does not. */
function opensBlock(tree: Tree, node: number): boolean {
  let block = tree.parent[node]!;
  while (block > 0 && (TAG_FLAGS[tree.tag[block]!]! & BLOCK) === 0) block = tree.parent[block]!;
  let before = 0;
  for (let i = node - 1; i > block && i > node - 40; i--) {
    if (tree.tag[i] === TEXT) before += tree.value[i]!.trim().length;
    if (before > 60) return false;
  }
  return true;
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
