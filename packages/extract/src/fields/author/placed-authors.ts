import { INLINE, TAG, TAG_FLAGS, TEXT } from '../../tree/tags.ts';
import { contextFactor, isQuoted } from './author-weights.ts';
import type { Candidate } from '../shared/candidate.ts';
import { MODIFIED, PUBLISHED } from '../shared/date-labels.ts';
import { collapse, getNodeText } from '../../tree/text/node-text.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import type { PageFacts } from '../../page/page-facts.ts';
import {
  cleanByline,
  cleanName,
  isFullName,
  isGroup,
  looksLikeLabel,
  looksLikePerson,
  refuseName,
  splitNames,
} from '../../page/person-names.ts';

const PROFILE_PATH =
  /\/(?:authors?|people|person|users?|u|profiles?|members?|contributors?|staff|writers?|by|autor(?:en|es)?|auteurs?|redaktion|team|our[_-]people|journalists?|reporters?|columnists?)\/(?:\d{1,12}\/)?[^/?#]{2,60}\/?(?:[?#].*)?$|\/(?:@|~)[^/?#]{2,60}\/?$/i;

export function collectProfiles(facts: PageFacts): Candidate[] {
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

/** On pages of other types, bare names are products, places or sections. */
function mayBeArticle({ pageType }: PageFacts): boolean {
  return pageType === undefined || pageType === 'article' || pageType === 'forum';
}

/** Maximum nodes between a bare name and the title or date. */
const BESIDE_TITLE = 60;
const BESIDE_DATE = 10;
const MAX_DATE_LINE = 80;

/** A name alone beside a date near the title, as in blogs without author markup. */
export function collectBesideDate(facts: PageFacts): Candidate[] {
  const { tree, titleNode } = facts;
  const candidates: Candidate[] = [];
  if (titleNode < 0 || !mayBeArticle(facts)) return candidates;
  const first = Math.max(1, titleNode - 20);
  const last = Math.min(tree.size, tree.end[titleNode] + BESIDE_TITLE);
  const lines = facts.dateTexts.filter((node) => tree.value[node].trim().length <= MAX_DATE_LINE);
  const dates = [...lines, ...facts.times].filter((node) => node >= first - BESIDE_DATE && node < last + BESIDE_DATE);
  const title = getNodeText(tree, titleNode).toLowerCase();
  for (let node = first; node < last; node++) {
    if (tree.tag[node] !== TEXT || (node > titleNode && node < tree.end[titleNode])) continue;
    if (!dates.some((date) => Math.abs(date - node) <= BESIDE_DATE)) continue;
    const text = collapse(tree.value[node].slice(0, 200));
    if (text.length < 5 || text.length > 60 || !text.includes(' ') || DATE_LABEL.test(text)) continue;
    if (isQuoted(tree, node)) continue;
    const name = cleanByline(text);
    if (refuseName(name) !== null || !looksLikePerson(name) || facts.isSiteName(name)) continue;
    if (name.includes(',') || !/^\S{2,}(?: \S+){1,2}$/.test(name) || looksLikeLabel(name)) continue;
    if (title.includes(name.toLowerCase())) continue;
    if (!isAlone(tree, node) || isInSectionLink(tree, node) || hasOnlyCommonWords(tree, name)) continue;
    candidates.push({
      source: 'text:beside-date',
      value: name,
      weight: 0.4 * contextFactor(facts, node),
      family: 'beside',
    });
  }
  return candidates;
}

const MAX_ALONE = 100;
const MAX_AROUND = 20;

/** Whether a text is no part of a paragraph: its block, or the innermost inline element with more text, is short. */
function isAlone(tree: Tree, node: number): boolean {
  const { length } = collapse(tree.value[node]);
  for (let at = tree.parent[node], step = 0; at > 0 && step < MAX_AROUND; at = tree.parent[at], step++) {
    const around = getNodeText(tree, at).length;
    if (around > length || (TAG_FLAGS[tree.tag[at]] & INLINE) === 0) return around <= MAX_ALONE;
  }
  return true;
}

const SECTION_PATH = /\/(?:categor(?:y|ies)|cat|tags?|topics?|sections?|labels?|thema|themen|archives?)\//i;
const SECTION_REL = /\b(?:tag|category)\b/i;

function isInSectionLink(tree: Tree, node: number): boolean {
  for (let at = tree.parent[node], step = 0; at > 0 && step < 3; at = tree.parent[at], step++) {
    if (tree.tag[at] !== TAG.a) continue;
    return (
      SECTION_REL.test(getAttribute(tree, at, 'rel') ?? '') || SECTION_PATH.test(getAttribute(tree, at, 'href') ?? '')
    );
  }
  return false;
}

/** "Wedding Planning": the page has the words in lower case too, unlike names. */
function hasOnlyCommonWords(tree: Tree, name: string): boolean {
  const words = name.toLowerCase().split(' ');
  return words.every((word) => tree.value.some((text) => hasWord(text, word)));
}

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!LETTER.test(text.charAt(at - 1)) && !LETTER.test(text.charAt(at + word.length))) return true;
  return false;
}

const LETTER = /\p{L}/u;

/** "Posted On", "Son Güncelleme" */
const DATE_LABEL = new RegExp(`${MODIFIED.source}|${PUBLISHED.source}`, 'i');

/** Maximum nodes from the title to a paper's authors. */
const UNDER_TITLE = 25;
/** Maximum length of a line of authors. */
const MAX_AUTHORS = 400;

/** Quick filter: separators of names, and characters that cleaning may turn into one. */
const MAY_BE_NAMES = /[;；、،/,·ㆍ&<]| (?:and|und|et|y|og|och|ve|и|και|ו) /iu;

/** Several full names in one line under the title, as in papers. */
export function collectUnderTitle(facts: PageFacts): Candidate[] {
  const { tree, titleNode } = facts;
  if (titleNode < 0 || !mayBeArticle(facts)) return [];
  const first = tree.end[titleNode];
  const stop = Math.min(tree.size, first + UNDER_TITLE);
  for (let node = first; node < stop; node++) {
    if (tree.tag[node] !== TEXT || tree.value[node].length > MAX_AUTHORS) continue;
    const text = collapse(tree.value[node]);
    if (!MAY_BE_NAMES.test(text)) continue;
    const line = cleanByline(text);
    const names = splitNames(line);
    if (names.length < 2 || !names.every(isFullName)) continue;
    return [{ source: 'text:under-title', value: line, weight: 0.7 * contextFactor(facts, node), family: 'beside' }];
  }
  return [];
}

/** Maximum nodes from the title to the first paragraph. */
const BEFORE_TEXT = 300;
/** Maximum nodes from a line of names to the paragraph below. */
const ABOVE_TEXT = 8;
const LEAST_PROSE = 100;

/** Full names alone in a line directly above the first paragraph, as in newspapers without bylines. */
export function collectAboveText(facts: PageFacts): Candidate[] {
  const { tree, titleNode } = facts;
  if (titleNode < 0 || !mayBeArticle(facts)) return [];
  const stop = Math.min(tree.size, tree.end[titleNode] + BEFORE_TEXT);
  let above = -1;
  for (let node = tree.end[titleNode]; node < stop; node++) {
    if (tree.tag[node] !== TAG.p) continue;
    const text = getNodeText(tree, node);
    if (text.length >= LEAST_PROSE) return above < node - ABOVE_TEXT ? [] : readNamesAlone(facts, above);
    if (text !== '') above = node;
  }
  return [];
}

function readNamesAlone(facts: PageFacts, node: number): Candidate[] {
  const { tree } = facts;
  for (let inner = node + 1; inner < tree.end[node]; inner++) if (tree.tag[inner] === TAG.a) return [];
  const line = cleanByline(getNodeText(tree, node));
  if (!splitNames(line).every(isFullName) || facts.isSiteName(line)) return [];
  return [
    { source: 'text:above-text', value: line, weight: 0.55 * contextFactor(facts, node), family: 'beside', node },
  ];
}

/** Nodes from the subject of a message to its sender. */
const UNDER_SUBJECT = 30;
const SENDER = /^(?:from|von|de|da|van)\s*[:：]?$/i;
const SENDER_LINE = /^(?:(?:from|von|de|da|van)\s*)?[:：]([^<>(]{3,70})(?:[<(].*)?$/i;

/** The sender of a message in the archive of a mailing list: before the address, or after "From:". */
export function collectSenders(facts: PageFacts): Candidate[] {
  const { tree, titleNode } = facts;
  if (titleNode < 0 || facts.pageType !== 'forum') return [];
  const stop = Math.min(tree.size, tree.end[titleNode] + UNDER_SUBJECT);
  let before = '';
  for (let node = tree.end[titleNode]; node < stop; node++) {
    const isAddress = tree.tag[node] === TAG.a && getAttribute(tree, node, 'href')?.startsWith('mailto:') === true;
    const text = tree.tag[node] === TEXT ? collapse(tree.value[node].slice(0, 200)) : '';
    if (!isAddress && text === '') continue;
    const line = SENDER_LINE.exec(text)?.[1]
      .trim()
      .replaceAll(/^["']|["']$/g, '');
    const opened = line !== undefined && (/^\p{L}/u.test(text) || SENDER.test(before)) ? line : '';
    const name = cleanName(isAddress ? before : opened);
    if (name !== '' && refuseName(name) === null && (looksLikePerson(name) || opened !== ''))
      return [{ source: 'mail:from', value: name, weight: 0.85, node }];
    if (text !== '') before = text;
  }
  return [];
}

/** A name directly after a small portrait near the title. */
export function collectAvatars(facts: PageFacts): Candidate[] {
  const { tree, titleNode } = facts;
  const candidates: Candidate[] = [];
  if (titleNode < 0) return candidates;
  for (const node of facts.images) {
    if (node < titleNode - BESIDE_TITLE) continue;
    if (node > titleNode + 3 * BESIDE_TITLE || candidates.length >= 5) break;
    const mark = `${getAttribute(tree, node, 'class') ?? ''} ${(getAttribute(tree, node, 'src') ?? '').slice(0, 300)}`;
    if (!AVATAR.test(mark)) continue;
    const name = cleanByline(readTextAfter(facts, node).replace(/ (?:in|on|·|\|).*$/, ''));
    if (refuseName(name) !== null || !looksLikePerson(name) || looksLikeLabel(name) || facts.isSiteName(name)) continue;
    candidates.push({ source: 'avatar', value: name, weight: 0.5 * contextFactor(facts, node), family: 'avatar' });
  }
  return candidates;
}

const AVATAR = /avatar|author|profile-?(?:pic|photo|image)|headshot/i;

function readTextAfter(facts: PageFacts, node: number): string {
  const { tree } = facts;
  const stop = Math.min(tree.size, node + BESIDE_DATE);
  for (let i = node + 1; i < stop; i++) {
    if (tree.tag[i] !== TEXT) continue;
    const text = collapse(tree.value[i].slice(0, 100));
    if (text !== '') return text;
  }
  return '';
}

const MAX_TRIED = 50;

/** The name in a link to the profile that the head states as author. */
export function collectLinked(facts: PageFacts): Candidate[] {
  const stated = facts.meta.get('article:author')?.[0] ?? facts.meta.get('author')?.[0];
  if (stated === undefined || facts.url === null || !/^(?:https?:)?\/{1,2}\S+$/.test(stated) || stated.length > 300)
    return [];
  const profile = URL.parse(stated, facts.url);
  if (profile === null || profile.pathname.length < 2) return [];
  let tried = 0;
  for (const node of facts.anchors) {
    const href = getAttribute(facts.tree, node, 'href');
    if (href === undefined || !href.includes(profile.pathname)) continue;
    if (++tried > MAX_TRIED) break;
    if (URL.parse(href, facts.url)?.href.replace(/\/$/, '') !== profile.href.replace(/\/$/, '')) continue;
    const name = cleanByline(getNodeText(facts.tree, node));
    if (refuseName(name) === null && !looksLikeLabel(name))
      return [{ source: 'link:meta:author', value: name, weight: 0.75, family: 'meta' }];
  }
  return [];
}
