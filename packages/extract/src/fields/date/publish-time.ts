import { PAGE, pickBest, type Candidate, type FieldChoice, type Refused } from '../shared/candidate.ts';
import { chooseFloor, DATE_FLOOR } from '../shared/claim-floors.ts';
import {
  cutToLastLabel,
  EVENT,
  MODIFIED,
  ORIGINAL,
  PUBLISHED,
  splitAtLabels,
  type LabelledText,
} from '../shared/date-labels.ts';
import { readString, type EntityKind } from '../../page/main-entity.ts';
import { collapse, cut, getNodeText } from '../../tree/text/node-text.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { IN_ASIDE, IN_COMMENT, IN_FOOTER, IN_NAV, IN_RELATED } from '../../page/page-context.ts';
import type { PageFacts } from '../../page/page-facts.ts';
import { markTags, TAG, TEXT } from '../../tree/tags.ts';
import { opensByline } from '../../page/person-names.ts';
import { parseDate, parseOldDay, type DateHints } from './parse-date.ts';
import {
  capUpdates,
  distrustOtherMonths,
  dropRows,
  exchangeParts,
  FIRST_PUBLISHED,
  IN_UTC,
  joinInstants,
  settleOrder,
  takeLocalDays,
} from './reconcile-days.ts';

const ENTITY_WEIGHTS: Readonly<Record<EntityKind, number>> = {
  article: 0.93,
  post: 0.95,
  work: 0.75,
  // Content systems date every page, even price lists.
  page: 0.1,
  product: 0.05,
  other: 0.2,
};

/** Date properties of JSON-LD objects with a factor on their weight. */
const ENTITY_DATES: readonly (readonly [string, number])[] = [
  ['datePublished', 1],
  ['uploadDate', 0.9],
  ['datePosted', 0.9],
  ['dateCreated', 0.85],
  ['dateIssued', 0.8],
];

/** Works that sites publish as articles, unlike books and courses. */
const WRITTEN_WORK = /\b(?:Recipe|HowTo|Guide|(?:Critic)?Review|(?:Podcast)?Episode)\b/;

const META_DATES: readonly (readonly [string, number, string])[] = [
  ['article:published_time', 0.9, 'OpenGraph'],
  ['article:published', 0.9, 'misspelt OpenGraph'],
  ['og:article:published_time', 0.9, 'misspelt OpenGraph'],
  ['og:published_time', 0.85, 'misspelt OpenGraph'],
  ['og:pubdate', 0.85, 'misspelt OpenGraph'],
  ['article:post_date', 0.85, 'misspelt OpenGraph'],
  ['datepublished', 0.9, 'microdata in meta'],
  ['datecreated', 0.6, 'microdata in meta'],
  ['uploaddate', 0.8, 'microdata of videos in meta'],
  ['citation_publication_date', 0.85, 'scholarly indexes'],
  ['citation_online_date', 0.8, 'scholarly indexes'],
  ['citation_date', 0.75, 'scholarly indexes'],
  ['dc.date.issued', 0.85, 'Dublin Core'],
  ['dcterms.issued', 0.85, 'Dublin Core'],
  ['dc.date.created', 0.7, 'Dublin Core'],
  ['dcterms.created', 0.7, 'Dublin Core'],
  ['dcterms.date', 0.7, 'Dublin Core'],
  ['dc.date', 0.7, 'Dublin Core'],
  ['parsely-pub-date', 0.88, 'analytics'],
  ['sailthru.date', 0.85, 'newsletters'],
  ['cxenseparse:recs:publishtime', 0.85, 'recommendations'],
  ['pubdate', 0.85, 'newspapers'],
  ['publishdate', 0.85, 'newspapers'],
  ['publish_date', 0.85, 'newspapers'],
  ['publish-date', 0.85, 'newspapers'],
  ['published_date', 0.85, 'newspapers'],
  ['publication_date', 0.85, 'newspapers'],
  ['publicationdate', 0.85, 'newspapers'],
  ['article.published', 0.85, 'newspapers'],
  ['article.created', 0.7, 'newspapers'],
  ['originalpublicationdate', 0.85, 'newspapers'],
  ['displaydate', 0.75, 'newspapers'],
  ['ptime', 0.8, 'newspapers'],
  ['rnews:datepublished', 0.85, 'RDFa'],
  ['dateissued', 0.75, 'RDFa'],
  ['date', 0.6, 'no word on what it dates'],
  ['creation_date', 0.6, 'no word on what it dates'],
];

const CONTEXT_FACTORS: readonly (readonly [number, number, string])[] = [
  [IN_COMMENT, 0.08, 'dates a comment'],
  [IN_RELATED, 0.25, 'dates another page'],
  [IN_NAV, 0.3, 'part of the navigation'],
  [IN_FOOTER, 0.15, 'part of the footer'],
  [IN_ASIDE, 0.4, 'beside the content'],
];

/** Finds the first publication, as precise as the page states it. */
export function findPublishTime(facts: PageFacts, language: string | null): FieldChoice {
  const hints = createHints(facts, language);
  const eventDays = listEventDays(facts, hints);
  const candidates: Candidate[] = [];
  const ambiguous = new Set<Candidate>();
  const refused: Refused[] = [];
  const add: Add = (source, text, weight, family, node) => {
    if (weight < 0.02) return false;
    const parsed = parseDate(text, hints) ?? (family === undefined ? parseOldDay(text) : null);
    if (parsed === null) {
      if (family !== PAGE) refused.push({ source, value: cut(text, 60), reason: 'not a full date' });
      return false;
    }
    const isEvent = family === PAGE && eventDays.has(parsed.value.slice(0, 10));
    if (isEvent) refused.push({ source, value: parsed.value, reason: 'the day of an event' });
    else if (NO_DAY.test(parsed.value)) refused.push({ source, value: parsed.value, reason: 'the zero of a clock' });
    else if (isFuture(parsed.value)) refused.push({ source, value: parsed.value, reason: 'lies in the future' });
    else {
      const candidate: Candidate = {
        source,
        value: parsed.value,
        weight: Math.min(MAX_WEIGHT, parsed.ambiguous ? weight * 0.9 : weight),
        ...(family === undefined ? {} : { family }),
        ...(node === undefined ? {} : { node }),
      };
      candidates.push(candidate);
      if (parsed.ambiguous) ambiguous.add(candidate);
    }
    return true;
  };
  addEntities(facts, add);
  addMeta(facts, add);
  addProperties(facts, add);
  addAttributes(facts, add);
  addTimes(facts, add);
  const leastFloor = chooseFloor(DATE_FLOOR, facts, true);
  // Texts alone cannot reach a floor above `MAX_WEIGHT`.
  const mayWin = leastFloor <= MAX_WEIGHT || candidates.length > 0;
  if (mayWin && !isSettled(candidates, facts.genre)) addTexts(facts, add);
  addUrl(facts, add);
  const isShown = candidates.some(({ family, weight }) => family === PAGE && weight >= LEAST_SHOWN);
  const options = { floor: chooseFloor(DATE_FLOOR, facts, isShown), keyOf: (value: string) => value.slice(0, 10) };
  const month = readUrlMonth(facts);
  const reconcile = (): readonly Candidate[] => {
    const ordered = settleOrder(dropRows(facts, candidates), ambiguous, month);
    return takeLocalDays(month === null ? ordered : distrustOtherMonths(ordered, month));
  };
  let settled = capUpdates(reconcile());
  let best = pickBest(joinInstants(settled, facts.isDiscussion), refused, options);
  if (best.value === null && facts.genre > 0) {
    addEmbedded(facts, add);
    settled = reconcile();
    best = pickBest(settled, refused, options);
  }
  if (best.value === null) return best;
  const shown = findEarlierShown(facts, best.value, hints);
  return shown === null ? { ...best, value: mostPrecise(best.value, settled) } : preferShown(shown, best);
}

const EVENT_TYPE = /^(?!Broadcast|Publication).*(?:Event|Festival)$/;
const EVENT_TIMES = ['startDate', 'endDate', 'doorTime'] as const;
const MAX_EVENTS = 300;

function listEventDays(facts: PageFacts, hints: DateHints): Set<string> {
  const times: unknown[] = [facts.meta.get('event:start_time')?.[0], facts.meta.get('event:end_time')?.[0]];
  for (const { types, properties } of facts.linkedData.objects.slice(0, MAX_EVENTS)) {
    if (types.some((type) => EVENT_TYPE.test(type)))
      times.push(...EVENT_TIMES.map((key) => readString(properties[key])));
  }
  const days = new Set<string>();
  for (const time of times) {
    const value = typeof time === 'string' ? parseDate(time, hints)?.value : undefined;
    if (value !== undefined) days.add(value.slice(0, 10));
  }
  return days;
}

const SHOWN_UNDER_TITLE = 45;
/** Zones and drafts shift a day by one, republications by more. */
const LEAST_MOVE_MS = 2 * 86_400_000;
const MAX_SHOWN_LENGTH = 40;
/** "June 17, 2025 by Acme Books" is more than a date. */
const MAX_SHOWN_WORDS = 3;

/**
 * Finds an unlabelled single day under the title that is earlier than the stated one, which then dates a republication
 * or migration.
 */
function findEarlierShown(facts: PageFacts, stated: string, hints: DateHints): Candidate | null {
  if (facts.titleNode < 0) return null;
  const { tree } = facts;
  const first = tree.end[facts.titleNode];
  const day = Date.parse(stated.slice(0, 10));
  let shown: Candidate | null = null;
  const least = isModifiedDay(facts, stated.slice(0, 10), hints) ? 1 : LEAST_MOVE_MS;
  for (const node of facts.dateTexts) {
    if (node < first) continue;
    if (node > first + SHOWN_UNDER_TITLE) break;
    const text = collapse(tree.value[node]);
    const label = `${readNames(facts, node)} ${readLabel(facts, node)} ${text}`;
    if (text.length > MAX_SHOWN_LENGTH || (text.match(/\p{L}+/gu)?.length ?? 0) > MAX_SHOWN_WORDS) continue;
    if (MODIFIED.test(label) || EVENT.test(label) || ISSUE.test(label)) continue;
    if (tree.tag[tree.parent[node]] === TAG.time || contextFactor(facts, node) < 1) continue;
    const parsed = parseDate(text, hints);
    if (parsed?.ambiguous === true && exchangeParts(parsed.value).startsWith(stated.slice(0, 10))) continue;
    const value = parsed?.value;
    if (value === undefined || day - Date.parse(value.slice(0, 10)) < least) continue;
    if (shown !== null && !isSameDay(shown.value, value)) return null;
    shown ??= { source: `text:${text}`, value, weight: MAX_WEIGHT, family: PAGE };
  }
  return shown;
}

function isSameDay(one: string, other: string): boolean {
  return one.slice(0, 10) === other.slice(0, 10);
}

const ISSUE =
  /\b(?:issue|vol(?:ume)?|no|nr|num(?:ber)?|version|valid|validity|effective|from|until|today|now|clock|hours?|gültig|ausgabe|heft|stand|heute|numéro|valable|édition|válid[oa]|número|edición)\b|№|第\p{Nd}+[期号號]|[#(]\p{Nd}/iu;

function isModifiedDay(facts: PageFacts, day: string, hints: DateHints): boolean {
  const stated = [
    facts.meta.get('article:modified_time')?.[0],
    ...facts.entities.map((entity) => readString(entity.properties['dateModified'])),
  ];
  return stated.some((text) => typeof text === 'string' && parseDate(text, hints)?.value.startsWith(day));
}

function preferShown(shown: Candidate, stated: FieldChoice): FieldChoice {
  const rival = {
    source: stated.source!,
    value: stated.value!,
    reason: 'later than the day shown under the title',
  };
  return { source: shown.source, value: shown.value, rivals: [rival, ...stated.rivals] };
}

function isSettled(candidates: readonly Candidate[], genre: number): boolean {
  const trusted = candidates.filter((candidate) => candidate.weight >= SETTLING_WEIGHT);
  const first = trusted[0]?.value;
  if (genre <= 0 || first === undefined || mayBeOtherDay(first)) return false;
  return trusted.every((candidate) => candidate.value.startsWith(first.slice(0, 10)));
}

function mayBeOtherDay(value: string): boolean {
  if (!IN_UTC.test(value)) return false;
  const hour = Number(value.slice(11, 13));
  return hour < 8 || hour >= 15;
}

const SETTLING_WEIGHT = 0.88;
/** Weight of a visible day near the title, or with a label. */
const LEAST_SHOWN = 0.35;
const MAX_WEIGHT = 0.95;
type Add = (source: string, text: string, weight: number, family?: string, node?: number) => boolean;

function createHints(facts: PageFacts, language: string | null): DateHints {
  const locale = facts.meta.get('og:locale')?.[0];
  const declared = [facts.htmlLang, locale].find(
    (tag) =>
      tag !== null &&
      tag !== undefined &&
      /^[a-z]{2,3}[-_][a-z]{2}$/i.test(tag) &&
      tag.slice(0, 2).toLowerCase() === language?.slice(0, 2),
  );
  const topLevelDomain = facts.url?.hostname.split('.').at(-1);
  return {
    language: declared?.replace('_', '-') ?? language,
    ...(topLevelDomain === undefined ? {} : { topLevelDomain }),
  };
}

/** Placeholder days: zeros of clocks and spreadsheets. */
const NO_DAY = /^(?:1601-01-01|1753-01-01|1899-12-3[01]|1900-01-01|1904-01-01|1969-12-31|1970-01-01)/;

function isFuture(value: string): boolean {
  return Date.parse(value.slice(0, 10)) > Date.now() + 2 * 86_400_000;
}

function mostPrecise(value: string, candidates: readonly Candidate[]): string {
  let best = value;
  for (const candidate of candidates) {
    if (
      candidate.value.slice(0, 10) === value.slice(0, 10) &&
      candidate.value.length > best.length &&
      candidate.weight >= 0.4
    )
      best = candidate.value;
  }
  return best;
}

function addEntities(facts: PageFacts, add: Add): void {
  const articles = facts.entities.filter((entity) => entity.kind === 'article').length;
  // Plugins for recipes often write local times as UTC, so what dates the article is better.
  const isAlone = articles === 0 && !facts.meta.has('article:published_time');
  for (const entity of facts.entities) {
    for (const [key, factor] of ENTITY_DATES) {
      const text = readString(entity.properties[key]);
      if (text === null) continue;
      let weight = ENTITY_WEIGHTS[entity.kind] * factor;
      const isWritten = isAlone && WRITTEN_WORK.test(entity.types.join(' '));
      if (key === 'uploadDate' && facts.isAboutPage(entity)) weight = ENTITY_WEIGHTS.article;
      else if (isWritten && facts.isAboutPage(entity)) weight = ENTITY_WEIGHTS.article * factor;
      if (entity.kind === 'article' && articles > 2 && !facts.isAboutPage(entity)) weight *= 0.3;
      add(`json-ld:${entity.types[0] ?? 'Thing'}.${key}`, text, weight);
    }
  }
}

function addMeta(facts: PageFacts, add: Add): void {
  const listed = new Set<string>();
  for (const [name, weight] of META_DATES) {
    listed.add(name);
    const text = facts.meta.get(name)?.[0];
    if (text !== undefined) add(`meta:${name}`, text, weight);
  }
  for (const [name, [text]] of facts.meta) {
    if (listed.has(name) || text === undefined || text.length > 60) continue;
    if (SPELT_PUBLISHED.test(name.replace(/[^a-z]/g, ''))) add(`meta:${name}`, text, 0.75);
  }
}

/** For example `w-published-date`, `article-published_time`. */
const SPELT_PUBLISHED = /^(?!.*(?:modif|update|publisher|expir|last)).*(?:publi(?:sh|cation)|pubdate|datepub|issued)/;

/** Embedded state has plain or escaped quotes. */
const EMBEDDED_DATE =
  /\\?"(?:date_?(?:published|posted)|published_?(?:at|date|time|on)|publish_?(?:at|date|time)|first_?publi(?:shed(?:_?(?:at|date))?|cation_?date)|publication_?date|pub_?date|post(?:ed)?_?(?:at|on|date))\\?"\s{0,3}:\s{0,3}\\?"([^"\\]{8,40})/i;
const MAX_SCRIPT = 500_000;

/** Embedded state is only used if nothing else dates the page. */
function addEmbedded(facts: PageFacts, add: Add): void {
  let found = 0;
  for (const node of facts.dataScripts) {
    const script = facts.tree.value[node];
    if (script.length > MAX_SCRIPT || found >= 3) continue;
    const match = EMBEDDED_DATE.exec(script);
    if (match !== null && add('script', match[1], 0.5 * 0.8 ** found)) found++;
  }
}

function addProperties(facts: PageFacts, add: Add): void {
  let seen = 0;
  for (const property of facts.properties) {
    if (!property.names.some((name) => name === 'datePublished' || name === 'dateCreated' || name === 'uploadDate'))
      continue;
    if (++seen > 10) break;
    const weight =
      (property.names.includes('datePublished') ? 0.88 : 0.7) * contextFactor(facts, property.node) * 0.8 ** (seen - 1);
    const text =
      getAttribute(facts.tree, property.node, 'content') ??
      getAttribute(facts.tree, property.node, 'datetime') ??
      readTitleDate(facts, property.node) ??
      getNodeText(facts.tree, property.node);
    add(`itemprop:${property.names.join(' ')}`, text, weight, undefined, property.node);
  }
}

/** Full date in a `title`: `<abbr title="2024-05-03T10:30:00Z">10:30</abbr>`. */
function readTitleDate(facts: PageFacts, node: number): string | undefined {
  const title = getAttribute(facts.tree, node, 'title');
  return title !== undefined && /^\d{4}-\d\d-\d\d/.test(title) ? title : undefined;
}

/** For the day of a list entry that links to another page. */
const OTHER_ENTRY_FACTOR = 0.15;

function contextFactor(facts: PageFacts, node: number): number {
  const bits = facts.context.getBeside(node, facts.titleNode);
  const isOther = facts.isInOtherEntry(node) || isOfOtherPage(facts, node);
  if (isOther || (bits & IN_COMMENT) !== 0) {
    // In a discussion, posts look like comments and entries.
    if (!facts.isDiscussion && facts.pageType !== 'forum') return 0;
  }
  let factor = isOther ? OTHER_ENTRY_FACTOR : 1;
  for (const [bit, value] of CONTEXT_FACTORS) if ((bits & bit) !== 0) factor *= value;
  return factor;
}

const MAX_AROUND = 6;
const MAX_LINK_NODES = 60;
const IN_CARD = markTags('h1', 'h2', 'h3', 'h4', 'h5', 'img', 'picture');

/** Posts of networks, as their scripts find them. */
const EMBED =
  /(?:^|[\s_-])(?:twitter-tweet|(?:twitter|tweet|instagram|tiktok|bluesky|mastodon|reddit|threads|telegram|facebook|fb)-(?:embed|media|post|card|video|tweet|status))/i;

/** Whether a day is in an embedded post, or in a link that is the card of another page. */
function isOfOtherPage({ tree, url, titleNode, isOwnAddress }: PageFacts, node: number): boolean {
  let isQuoted = false;
  let isForeign = false;
  for (let at = tree.parent[node], step = 0; at > 0 && step < MAX_AROUND; at = tree.parent[at], step++) {
    isQuoted ||= tree.tag[at] === TAG.blockquote;
    if (tree.attributes[at] !== undefined && EMBED.test((getAttribute(tree, at, 'class') ?? '').slice(0, 300)))
      return true;
    if (tree.tag[at] !== TAG.a) continue;
    const href = getAttribute(tree, at, 'href') ?? '';
    if (getAttribute(tree, at, 'rel')?.includes('bookmark') === true || href.length > 2_000) continue;
    isForeign ||= url !== null && !isOwnAddress(href);
    const end = Math.min(tree.end[at], at + MAX_LINK_NODES);
    const isSame = url !== null && URL.parse(href, url)?.pathname === url.pathname;
    if (isSame || (titleNode >= at && titleNode < tree.end[at])) continue;
    for (let inner = at + 1; inner < end; inner++) if (IN_CARD[tree.tag[inner]] === 1) return true;
  }
  return isQuoted && isForeign;
}

/** Later attributes more often date other texts. */
function addAttributes(facts: PageFacts, add: Add): void {
  for (const [index, { node, value }] of facts.dateAttributes.slice(0, 10).entries())
    add('attribute:published', value, 0.7 * contextFactor(facts, node) * 0.7 ** index, PAGE);
}

/** `<time>` elements: those near the title date the page unless labelled otherwise. */
function addTimes(facts: PageFacts, add: Add): void {
  for (const [index, node] of facts.times.slice(0, 40).entries()) {
    const text =
      getAttribute(facts.tree, node, 'datetime') ||
      getAttribute(facts.tree, node, 'content') ||
      getNodeText(facts.tree, node);
    const weight =
      0.75 *
      describeFactor(facts, node) *
      contextFactor(facts, node) *
      placeFactor(facts, node) *
      0.85 ** Math.min(index, 10);
    add('time', text, weight, PAGE, node);
    const shown = getNodeText(facts.tree, node);
    if (shown !== text && shown.length <= 60) add('time:text', shown, weight * 0.9, PAGE, node);
  }
}

const EVENT_FACTOR = 0.2;
/** hAtom demanded the class, so themes give it to their only day, the publication. */
const HATOM_UPDATED = /(?<!\S)updated(?!\S)/;
const HATOM_FACTOR = 0.6;
const ONLY_MODIFIED = 0;

function describeFactor(facts: PageFacts, node: number): number {
  const names = readNames(facts, node);
  const label = readLabel(facts, node);
  const description = `${names.replace(HATOM_UPDATED, '')} ${label}`;
  if (EVENT.test(description)) return EVENT_FACTOR;
  const isModified = MODIFIED.test(description);
  // What readers see outranks classes: "Updated" before `<time class="published">`.
  if (isModified && MODIFIED.test(label) && !PUBLISHED.test(label)) return ONLY_MODIFIED;
  if (PUBLISHED.test(description) || getAttribute(facts.tree, node, 'pubdate') !== undefined)
    return isModified ? 0.8 : 1.2;
  if (isModified) return ONLY_MODIFIED;
  return HATOM_UPDATED.test(names) ? HATOM_FACTOR : 1;
}

function readNames({ tree }: PageFacts, node: number): string {
  const names = [getAttribute(tree, node, 'class'), getAttribute(tree, node, 'itemprop')];
  return [...names, getAttribute(tree, tree.parent[node], 'class')].join(' ').slice(0, 300);
}

/** Below it, a text is a preposition between label and day. */
const LEAST_LABEL = 4;

/** The text of a `<time>` and the text before the node. */
function readLabel(facts: PageFacts, node: number): string {
  const { tree } = facts;
  let label = tree.tag[node] === TAG.time ? getNodeText(tree, node).slice(0, 60) : '';
  for (let i = node - 1, steps = 0; i > 0 && steps < 6; i--, steps++) {
    if (isInTitle(facts, i)) break;
    if (tree.tag[i] !== TEXT) continue;
    const text = collapse(tree.value[i].slice(-60));
    if (text === '') continue;
    const part = cutToLastLabel(text.slice(-40));
    label += ` ${part}`;
    if (text.length >= LEAST_LABEL && i < tree.parent[node]) break;
  }
  return label;
}

/** "Software update" in a title says nothing about the day below it. */
function isInTitle({ titleNode, tree }: PageFacts, node: number): boolean {
  return titleNode >= 0 && node >= titleNode && node < tree.end[titleNode];
}

const UNDER_TITLE = 20;

function placeFactor(facts: PageFacts, node: number): number {
  if (facts.titleNode < 0) return 0.8;
  const distance = node - facts.titleNode;
  const after = node - facts.tree.end[facts.titleNode];
  if (after >= 0 && after <= UNDER_TITLE) return 1.3;
  if (distance >= -40 && distance <= 120) return 1.1;
  return distance >= -120 && distance <= 300 ? 0.85 : 0.6;
}

function addTexts(facts: PageFacts, add: Add): void {
  let found = 0;
  for (const node of facts.datelines) {
    if (found >= 25) break;
    const texts = listShownTexts(facts.tree, node);
    if (texts.length === 0) continue;
    const name = getAttribute(facts.tree, node, 'class') ?? getAttribute(facts.tree, node, 'id') ?? '';
    const source = `class:${name.slice(0, 60)}`;
    const weight = 0.62 * placedFactor(facts, node) * 0.85 ** found;
    if (texts.some((text) => addShown(source, text, weight, add, node))) found++;
  }
  found = 0;
  for (const node of facts.dateTexts) {
    if (found >= 25) break;
    const text = collapse(facts.tree.value[node]);
    // A line with a name and a day is a byline anywhere.
    const isByline = text.length <= 100 && opensByline(text);
    const base = isByline ? 0.85 : 0.5 * (text.length > 60 || isSentence(text) ? 0.15 : 1);
    const weight = base * placedFactor(facts, node) * 0.85 ** found;
    if (addShown(`text:${cut(text, 40)}`, text, weight, add, node)) found++;
  }
}

/** Least words of a sentence, which tells of a day and dates nothing: "The fair opens on 3 April 2022." */
const SENTENCE_WORDS = 6;

function isSentence(text: string): boolean {
  if (!/[.!?。]$/.test(text) || /\b[ap]\.m\.$/i.test(text) || PUBLISHED.test(text)) return false;
  return (text.match(/\p{L}+/gu)?.length ?? 0) >= SENTENCE_WORDS;
}

const MAX_TITLE = 60;
const MAX_DATELINE = 120;

/** The texts of a line that may have its day: first its `title`, which is fuller ("11Oct12", "2 days ago"). */
function listShownTexts(tree: Tree, node: number): string[] {
  const text = readDateline(tree, node);
  const title = getAttribute(tree, node, 'title') ?? (YEAR.test(text) ? '' : findInnerTitle(tree, node));
  return [
    ...(title.length <= MAX_TITLE && YEAR.test(title) ? [title] : []),
    ...(text.length >= 6 && text.length <= MAX_DATELINE && /\p{Nd}{2}/u.test(text) ? [text] : []),
  ];
}

/** The full day of a relative one inside a line: `posted <span title="May 9, 2023">2 years ago</span>`. */
function findInnerTitle(tree: Tree, node: number): string {
  const end = Math.min(tree.end[node], node + MAX_DATELINE_NODES);
  for (let inner = node + 1; inner < end; inner++) {
    const title = tree.attributes[inner] === undefined ? undefined : getAttribute(tree, inner, 'title');
    if (title !== undefined && YEAR.test(title) && RELATIVE.test(getNodeText(tree, inner))) return title;
  }
  return '';
}

/** "2 years ago", not the time of a day. */
const RELATIVE = /^[^:]{0,20}\p{Nd}[^:]{0,20}$/u;
const YEAR = /\p{Nd}{4}/u;
const MAX_DATELINE_NODES = 60;

/** Text of a line without elements for the last change: `<span class="updated">2024-05-04</span> May 3, 2024`. */
function readDateline(tree: Tree, node: number): string {
  const whole = getNodeText(tree, node);
  const end = tree.end[node];
  if (end - node > MAX_DATELINE_NODES) return whole;
  let text = '';
  let isCut = false;
  for (let at = node + 1; at < end; at++) {
    if (tree.tag[at] === TEXT) text += tree.value[at];
    else if (MODIFIED.test(getAttribute(tree, at, 'class') ?? '')) {
      at = tree.end[at] - 1;
      isCut = true;
    } else text += ' ';
  }
  return isCut && YEAR.test(text) ? collapse(text) : whole;
}

function addShown(source: string, shown: string, weight: number, add: Add, node: number): boolean {
  let isDated = false;
  for (const part of splitAtLabels(shown)) {
    const isFirst = part.label === 'published' && ORIGINAL.test(part.text);
    const added = isFirst
      ? add(`${FIRST_PUBLISHED}${source}`, part.text, FIRST_WEIGHT, PAGE, node)
      : add(source, part.text, weight * labelFactor(part), PAGE, node);
    if (added) isDated = true;
  }
  return isDated;
}

const FIRST_WEIGHT = 0.9;

function labelFactor({ label, text }: LabelledText): number {
  if (label === 'modified') return ONLY_MODIFIED;
  if (label === 'published') return 1.3;
  return EVENT.test(text) ? EVENT_FACTOR : 1;
}

function placedFactor(facts: PageFacts, node: number): number {
  return describeFactor(facts, node) * contextFactor(facts, node) * placeFactor(facts, node);
}

const URL_DATE = /(?:^|[/_.-])((?:19|20)\d{2})[/_.-]?(0[1-9]|1[0-2])[/_.-]?(0[1-9]|[12]\d|3[01])(?=$|[/_.-]|\D)/;

const URL_MONTH = /\/((?:19|20)\d{2})[/-](0[1-9]|1[0-2])\//;

/** Month in the address ("2024-05"), as in permalinks of WordPress and Blogger. */
function readUrlMonth(facts: PageFacts): string | null {
  const match = URL_MONTH.exec(facts.url?.pathname.slice(0, 300) ?? '');
  return match === null ? null : `${match[1]}-${match[2]}`;
}

/** "/2024/5/3/" and "/2024/may/03/" */
const URL_SEGMENTS = /\/((?:19|20)\d{2})\/(\d{1,2}|\p{L}{3,12})\/(\d{1,2})(?=\/|$)/u;

function addUrl(facts: PageFacts, add: Add): void {
  const path = facts.url?.pathname.slice(0, 300) ?? '';
  const match = URL_DATE.exec(path) ?? URL_SEGMENTS.exec(path);
  if (match === null) return;
  const [, year, month, day] = match;
  // Words are tried as months.
  add('url', /^\d/.test(month) ? `${year}-${month}-${day}` : `${day} ${month} ${year}`, 0.6);
}
