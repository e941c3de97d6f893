import { contextFactor, demoteRows, firstOnly, placeFactor, toNameKey } from './author-weights.ts';
import { collectBios } from './author-bios.ts';
import { pickBest, type Candidate, type FieldChoice, type Refused } from '../shared/candidate.ts';
import { AUTHOR_FLOOR, chooseFloor } from '../shared/claim-floors.ts';
import { joinNeighbours } from './co-authors.ts';
import { isObject, type JsonObject, type LinkedData } from '../../page/json-ld.ts';
import { dereference, readString, type Entity, type EntityKind } from '../../page/main-entity.ts';
import { collectAttributes, collectMarked, collectOpenings } from './marked-authors.ts';
import { collapse, cut, getNodeText } from '../../tree/text/node-text.ts';
import { getAttribute } from '../../tree/tree.ts';
import type { PageFacts } from '../../page/page-facts.ts';
import { findMarkedPosts, readPostAuthor } from '../../page/post-marks.ts';
import { TAG } from '../../tree/tags.ts';
import {
  cleanByline,
  cleanName,
  isFullName,
  isGroup,
  looksLikeLogin,
  looksLikePerson,
  opensByline,
  readAnnounced,
  refuseName,
  splitNames,
} from '../../page/person-names.ts';
import {
  collectAboveText,
  collectAvatars,
  collectBesideDate,
  collectLinked,
  collectProfiles,
  collectSenders,
  collectUnderTitle,
} from './placed-authors.ts';

/** Measured precision of a JSON-LD author, by the kind of object. */
const ENTITY_WEIGHTS: Readonly<Record<EntityKind, number>> = {
  article: 0.9,
  post: 0.95,
  work: 0.8,
  page: 0.8,
  product: 0.1,
  other: 0.3,
};

/** Meta names of authors with their measured precision. */
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

/** Organisations lose to people. */
const GROUP_FACTOR = 0.62;
const SITE_FACTOR = 0.35;
const LOGIN_FACTOR = 0.6;

/** Finds the author: people joined by ", ", or an organisation if the page names no person. */
export function findAuthor(facts: PageFacts, language: string | null): FieldChoice {
  const refused: Refused[] = [];
  const options = { floor: chooseFloor(AUTHOR_FLOOR, facts), keyOf: toNameKey };
  const head = [...listEntityAuthors(facts), ...listMetaAuthors(facts), ...listPropertyAuthors(facts)];
  const mayWin = options.floor <= MAX_SHOWN || head.length > 0;
  const stated = judge(mayWin ? [...head, ...listShownAuthors(facts)] : head, facts, language, refused);
  const best = pickBest(mergeParts(preferPeople(stated, facts)), refused, options);
  if (options.floor > MAX_HINT_FLOOR || (best.value !== null && !isOrganisation(best.value, facts))) return best;
  const hinted = judge(listHintedAuthors(facts, best.value !== null), facts, language, refused);
  return hinted.length === 0
    ? best
    : pickBest(mergeParts(preferPeople([...stated, ...hinted], facts)), refused, options);
}

const MAX_SHOWN = 0.985;

const MAX_HINT_FLOOR = 0.4;

function isOrganisation(value: string, facts: PageFacts): boolean {
  return isGroup(value) || facts.isSiteName(value);
}

/** Prefers a full name in a byline or box to the site's name in the head. */
function preferPeople(candidates: readonly Candidate[], facts: PageFacts): readonly Candidate[] {
  const isPersonShown = candidates.some(
    ({ value, weight, node, family }) =>
      (family === 'bio' ? weight >= LEAST_INTRODUCED : node !== undefined && weight >= LEAST_SHOWN) &&
      isFullName(value.split(', ', 1)[0]),
  );
  if (!isPersonShown) return candidates;
  return candidates.map((candidate) =>
    facts.isSiteName(candidate.value) ? { ...candidate, weight: candidate.weight * SITE_FACTOR } : candidate,
  );
}

/** Least weights at which a byline or box outranks the site's name. */
const LEAST_SHOWN = 0.5;
const LEAST_INTRODUCED = 0.4;

function judge(raw: readonly Candidate[], facts: PageFacts, language: string | null, refused: Refused[]): Candidate[] {
  const found = raw.map((candidate) => cleanNames(candidate.value, language));
  const known = new Set(found.flat().map(toNameKey));
  const candidates: Candidate[] = [];
  for (const [index, candidate] of raw.entries()) {
    const names = [...new Set(found[index].map((name) => dropPreposition(name, language, known)))];
    if (names.length === 0 && isOwnHost(candidate, facts)) names.push(candidate.value);
    const reason = names.length === 0 ? (refuseName(cleanName(candidate.value)) ?? 'no name in it') : null;
    if (reason !== null) refused.push({ source: candidate.source, value: cut(candidate.value, 100), reason });
    else candidates.push(weigh(candidate, names, facts));
  }
  return candidates;
}

/** Whether the head names the host as author ("example.org"), as news sites do for unsigned texts. */
function isOwnHost({ source, value }: Candidate, facts: PageFacts): boolean {
  return /^(?:meta|json-ld):/.test(source) && value.toLowerCase() === facts.url?.hostname.replace(/^www\./, '');
}

/** Reads "Von Jane Doe" as Jane Doe on German pages, or if the page names her elsewhere. */
function dropPreposition(name: string, language: string | null, known: ReadonlySet<string>): string {
  const announced = readAnnounced(name);
  if (announced === null) return name;
  const isOwn = announced.languages.includes(language?.split('-', 1)[0] ?? '');
  return isOwn || known.has(toNameKey(announced.name)) ? announced.name : name;
}

function cleanNames(text: string, language: string | null): string[] {
  const names: string[] = [];
  for (const part of splitNames(cleanName(text), language)) {
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

/** "Jane Doe" supports "Jane Doe, John Roe", but not "Von Jane Doe". */
function mergeParts(candidates: readonly Candidate[]): Candidate[] {
  return candidates.flatMap((candidate) => {
    const key = toNameKey(candidate.value);
    const longer = candidates.find(
      (other) =>
        other.value.length > candidate.value.length &&
        other.weight >= 0.7 &&
        ` ${toNameKey(other.value)} `.includes(` ${key} `) &&
        !(opensByline(other.value) && toNameKey(cleanByline(other.value)) === key),
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
    for (const name of isObject(full) ? readPersonNames(full) : [readString(full)])
      if (name !== null && refuseName(cleanName(name)) === null && !names.includes(name)) names.push(name);
  }
  return names;
}

function readPersonNames(person: JsonObject): (string | null)[] {
  const list: unknown = person['name'];
  const isPerson = person['@type'] === undefined || person['@type'] === 'Person';
  if (!isPerson || !Array.isArray(list) || list.length > 12) return [readPersonName(person)];
  const names = list.filter((name) => typeof name === 'string').map((name) => collapse(name));
  const arePeople = names.length === list.length && names.every((name) => name.includes(' ') && looksLikePerson(name));
  return arePeople ? names : [readPersonName(person)];
}

function readPersonName(person: JsonObject): string | null {
  const name = readString(person['name']);
  if (name !== null) return name;
  const parts = [readString(person['givenName']), readString(person['familyName'])].filter((part) => part !== null);
  return parts.length > 0 ? parts.join(' ') : readString(person['alternateName']);
}

const META_NAMES: ReadonlySet<string> = new Set(META_WEIGHTS.map(([name]) => name));
/** Spellings of the author's name that the table lacks: `articleAuthor`, `news_author`, `page.author.name`. */
const SPELT_AUTHOR = /^(?:article|news|page|content|post|story|blog)[\W_]?author(?:[\W_]?name)?$/;

function listMetaAuthors(facts: PageFacts): Candidate[] {
  const candidates: Candidate[] = [];
  for (const [name, weight] of META_WEIGHTS) {
    const values = facts.meta.get(name);
    if (values === undefined) continue;
    const people = values
      .map((value) => flipName(name, collapse(value)))
      .filter((value) => refuseName(cleanName(value)) === null);
    const value = [...new Set(people)].slice(0, 12).join(', ');
    candidates.push({ source: `meta:${name}`, value: value === '' ? values[0] : value, weight });
  }
  for (const [name, [value]] of facts.meta) {
    if (value === undefined || !SPELT_AUTHOR.test(name) || META_NAMES.has(name)) continue;
    candidates.push({ source: `meta:${name}`, value, weight: 0.75 });
  }
  for (const n of [1, 2, 3]) {
    const label = facts.meta.get(`twitter:label${n}`)?.[0];
    const data = facts.meta.get(`twitter:data${n}`)?.[0];
    if (label === undefined || data === undefined || !opensByline(label)) continue;
    candidates.push({ source: `meta:twitter:data${n}`, value: data, weight: 0.75 });
  }
  return candidates;
}

/** Scholarly meta elements have "Berger, Emery D.". */
function flipName(source: string, value: string): string {
  const match = source === 'citation_author' ? /^([^,]+),\s*([^\s,][^,]*)$/.exec(value) : null;
  return match === null ? value : `${match[2]} ${match[1]}`;
}

const MAX_PROPERTIES = 20;
const MAX_PROPERTY_NODES = 40;

function listPropertyAuthors(facts: PageFacts): Candidate[] {
  const candidates: Candidate[] = [];
  const properties = facts.properties
    .filter(({ names }) => names.includes('author') || names.includes('creator'))
    .slice(0, MAX_PROPERTIES);
  const lists = joinNeighbours(
    facts,
    properties.map(({ node }) => node),
    () => 'author',
    (node) => readPropertyName(facts, node),
  );
  for (const { names, node } of properties) {
    const text = lists.get(node) ?? readPropertyName(facts, node);
    if (text === '') continue;
    candidates.push({
      source: `itemprop:${names.join(' ')}`,
      value: text,
      weight: 0.8 * contextFactor(facts, node) * (facts.isDiscussion ? placeFactor(facts, node) : 1),
      node,
    });
  }
  return firstOnly(demoteRows(facts, candidates));
}

function readPropertyName(facts: PageFacts, node: number): string {
  const { tree } = facts;
  const content = getAttribute(tree, node, 'content');
  if (content !== undefined) return collapse(content);
  const stop = Math.min(tree.end[node], node + MAX_PROPERTY_NODES);
  for (let i = node + 1; i < stop; i++) {
    // `facts.properties` has no `<meta>` or `<link>`.
    const isInvisible = tree.tag[i] === TAG.meta || tree.tag[i] === TAG.link;
    if (isInvisible && getAttribute(tree, i, 'itemprop') === 'name')
      return collapse(getAttribute(tree, i, 'content') ?? '');
  }
  for (const property of facts.properties) {
    if (property.node <= node || property.node >= tree.end[node] || !property.names.includes('name')) continue;
    return collapse(getAttribute(tree, property.node, 'content') ?? '') || getNodeText(tree, property.node);
  }
  return getNodeText(tree, node);
}

function listShownAuthors(facts: PageFacts): Candidate[] {
  return rank(facts, [
    collectMarked(facts),
    collectOpenings(facts),
    collectAttributes(facts),
    collectProfiles(facts),
    collectLinked(facts),
    collectBesideDate(facts),
    collectUnderTitle(facts),
    collectSenders(facts),
    listFirstPost(facts),
  ]);
}

const POST_WEIGHT = 0.72;

/** The author of the first post, by the marks of forum software. */
function listFirstPost({ tree, pageType }: PageFacts): Candidate[] {
  const posts = pageType === 'forum' || pageType === undefined ? findMarkedPosts(tree) : undefined;
  // Comments below articles have the marks of schema.org too.
  if (posts === undefined || (pageType === undefined && posts.marks.software === 'schema.org')) return [];
  const [node, next] = posts.nodes;
  const value = readPostAuthor(tree, node, Math.min(next, tree.end[node]), posts.marks);
  return value === null ? [] : [{ source: 'post:author', value, weight: POST_WEIGHT, node }];
}

/** Used if nothing else names a person; names above the text only if the page states an organisation. */
function listHintedAuthors(facts: PageFacts, isSigned: boolean): Candidate[] {
  return rank(facts, [collectAvatars(facts), collectBios(facts), isSigned ? collectAboveText(facts) : []]);
}

function rank(facts: PageFacts, kinds: readonly Candidate[][]): Candidate[] {
  return kinds.flatMap((kind) => firstOnly(demoteRows(facts, kind))).filter((candidate) => candidate.weight > 0.05);
}
