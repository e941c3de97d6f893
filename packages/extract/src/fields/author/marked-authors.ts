import { TAG, TEXT, BLOCK, TAG_FLAGS } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { contextFactor, isQuoted, placeFactor, toNameKey } from './author-weights.ts';
import { PAGE, type Candidate } from '../shared/candidate.ts';
import { joinNeighbours, readList } from './co-authors.ts';
import { collapse, cut, getNodeText } from '../../tree/text/node-text.ts';
import type { PageFacts } from '../../page/page-facts.ts';
import {
  cleanByline,
  cleanName,
  isBareOpening,
  isFullName,
  isGroup,
  isLabel,
  looksLikePerson,
  opensByline,
  refuseName,
  splitNames,
} from '../../page/person-names.ts';

const MAX_BYLINE = 140;

export function collectMarked(facts: PageFacts): Candidate[] {
  const { tree } = facts;
  const candidates: Candidate[] = [];
  const lists = joinNeighbours(
    facts,
    facts.bylines,
    (node) => getMark(tree, node),
    (node) => getMarkedName(tree, node),
  );
  // The element around a list has the same names without commas.
  const byKey = new Map(Array.from(lists.values(), (list) => [toNameKey(list), list]));
  for (const node of facts.bylines) {
    if (candidates.length >= 30) break;
    const label = describe(tree, node);
    const isBox = BOX.test(label);
    const text = isBox ? (getFirstText(tree, node)?.replace(ABOUT, '') ?? null) : getMarkedName(tree, node);
    if (text === null) continue;
    const line = cleanByline(text);
    const list = lists.get(node) ?? byKey.get(toNameKey(line));
    const name = list ?? line;
    if (
      list === undefined &&
      (refuseName(name) !== null || isLabel(name) || (isBox && !facts.isDiscussion && !looksLikePerson(name)))
    )
      continue;
    const rel = getAttribute(tree, node, 'rel') === 'author';
    const named = list !== undefined || looksLikePerson(name) || (isGroup(name) && name.split(' ').length <= 4);
    const trust = rel ? 0.75 : named || CARD.test(label) ? 0.68 : facts.isDiscussion ? 0.62 : 0.3;
    const about = ABOUT_AUTHOR.test(label) ? 0.35 : 1;
    const weight = trust * about * contextFactor(facts, node) * placeFactor(facts, node);
    candidates.push({
      source: rel ? 'rel:author' : `class:${describe(tree, node)}`,
      value: name,
      weight,
      family: PAGE,
      node,
    });
  }
  return candidates;
}

/** Names in cards (hCard, h-card) may be accounts of one word. */
const CARD = /(?:^|\s)(?:vcard|fn|h-card|p-author)(?:\s|$)/;

function getMark(tree: Tree, node: number): string | null {
  if (getAttribute(tree, node, 'rel') === 'author') return 'rel=author';
  const label = describe(tree, node);
  return ABOUT_AUTHOR.test(label) ? null : label;
}

const ABOUT_AUTHOR =
  /descr|role|position|job|avatar|social|modal|categor|website|author-?title|authori[sz]|authent|quote|testimonial|customer|dealer/i;

export function collectAttributes(facts: PageFacts): Candidate[] {
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

function getMarkedName(tree: Tree, node: number): string | null {
  const tag = tree.tag[node];
  if (tag === TAG.img || tag === TAG.input || tag === TAG.style || tag === TAG.svg || tag === TAG.form) return null;
  const text = getNodeText(tree, node);
  if (text.length < 2 || text.length > MAX_BYLINE) return null;
  return readNameBeforePosition(tree, node, text) ?? text;
}

const POSITION =
  /^[,|·•–-]? ?(?:\p{L}+ ){0,3}(?:correspondent|reporter|editor|writer|journalist|columnist|contributor|critic|producer|redakteur(?:in)?|korrespondent(?:in)?|journaliste|rédact(?:eur|rice)|periodista|redactora?|corresponsal|giornalista|redattore|jornalista|repórter|redacteur|verslaggever|reporter)(?: \p{L}+){0,3}$/iu;

/** The name in the first element of a byline if a position follows it: "Jane Doe" and "Senior Editor". */
function readNameBeforePosition(tree: Tree, node: number, text: string): string | null {
  for (let inner = node + 1; inner < Math.min(tree.end[node], node + MAX_BOX_NODES); inner++) {
    if (tree.tag[inner] === TEXT) continue;
    const name = getNodeText(tree, inner);
    if (name === '' || name === text) continue;
    return text.startsWith(name) && isFullName(name) && POSITION.test(text.slice(name.length).trim()) ? name : null;
  }
  return null;
}

const BOX =
  /post-?(?:left|profile|user)|poster-?info|user-?(?:info|details)|author-?(?:bio|box|card|info|meta|profile|section|description)|about-?author/i;

/** Headings of boxes: "About Jane Doe". */
const ABOUT = /^(?:about|meet|über|à propos de|sobre|acerca de|over|om|o autorze) (?=\p{Lu}\p{Ll}+ )/iu;

function getFirstText(tree: Tree, node: number): string | null {
  const stop = Math.min(tree.end[node], node + MAX_BOX_NODES);
  for (let i = node + 1; i < stop; i++) {
    const text = tree.tag[i] === TEXT ? collapse(tree.value[i].slice(0, MAX_BYLINE)) : '';
    if (text !== '') return text;
  }
  return null;
}

const MAX_BOX_NODES = 30;

function describe(tree: Tree, node: number): string {
  const name = getAttribute(tree, node, 'class') ?? getAttribute(tree, node, 'id') ?? '';
  return name.trim().slice(0, 60);
}

/** Lines that start with "By": the name is the rest of the line, or the next element. */
export function collectOpenings(facts: PageFacts): Candidate[] {
  const { tree } = facts;
  const candidates: Candidate[] = [];
  for (const node of facts.bylineTexts) {
    if (candidates.length >= 20) break;
    const line = collapse(tree.value[node]).replace(BRACKETED, '$1');
    if (!opensByline(line) || isInHeading(facts, node)) continue;
    const bare = isBareOpening(line);
    const text = bare ? getNextText(tree, node) : line;
    const name = cleanByline(text);
    const people = splitNames(name, facts.htmlLang);
    if (
      name.length < (bare ? 3 : 2) ||
      (bare ? people : [name]).some((part) => refuseName(part) !== null) ||
      people.every(isLabel) ||
      !people.every((part) => looksLikePerson(part) || (bare && (facts.isDiscussion || isGroup(part))))
    )
      continue;
    const alone = isQuoted(tree, node) ? 0.1 : opensBlock(tree, node) ? 1 : 0.2;
    const dated = !bare && /\p{Nd}{4}/u.test(line) && line.length <= 100;
    const shown = isUnderTitle(facts, node) && people.every((part) => isFullName(part)) ? UNDER_TITLE : 0;
    const base = Math.max(bare || dated ? 0.72 : 0.62, shown);
    const weight = base * contextFactor(facts, node) * placeFactor(facts, node) * alone;
    const family = STARTER.test(line) ? 'starter' : PAGE;
    candidates.push({ source: `text:${cut(line, 40)}`, value: name, weight, family, node });
  }
  return candidates;
}

/** A whole line in brackets: "(责编：王小明)". */
const BRACKETED = /^[([（【]([^([（【)\]）】]{3,})[)\]）】]$/;

/** Weight of "By Jane Doe" directly under an article's title: above accounts and sites named in the head. */
const UNDER_TITLE = 0.9;
const UNDER_TITLE_NODES = 60;

function isUnderTitle({ tree, titleNode, pageType }: PageFacts, node: number): boolean {
  if (titleNode < 0 || (pageType !== undefined && pageType !== 'article')) return false;
  const after = node - tree.end[titleNode];
  return after >= 0 && after <= UNDER_TITLE_NODES;
}

/** Whether a text is in an h1 or the title, where "By the Sea" is no byline. */
function isInHeading({ tree, h1s, titleNode }: PageFacts, node: number): boolean {
  const holds = (heading: number): boolean => heading < node && node < tree.end[heading];
  return (titleNode >= 0 && holds(titleNode)) || h1s.some(holds);
}

const STARTER = /^(?:thread|topic) starter|^original poster/i;

/** Whether a text starts its block, or follows only a short label or date: "by" inside a sentence does not. */
function opensBlock(tree: Tree, node: number): boolean {
  let block = tree.parent[node];
  while (block > 0 && (TAG_FLAGS[tree.tag[block]] & BLOCK) === 0) block = tree.parent[block];
  let before = 0;
  for (let i = node - 1; i > block && i > node - 40; i--) {
    if (tree.tag[i] === TEXT) before += tree.value[i].trim().length;
    if (before > 60) return false;
  }
  return true;
}

function getNextText(tree: Tree, node: number): string {
  const stop = Math.min(tree.size, node + 14);
  for (let i = node + 1; i < stop; i++) {
    if (tree.tag[i] !== TEXT) continue;
    const text = collapse(tree.value[i]);
    if (/\p{L}/u.test(text)) return text.length <= MAX_BYLINE ? readList(tree, i) : '';
  }
  return '';
}
