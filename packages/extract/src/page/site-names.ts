import type { Entity } from './main-entity.ts';
import { dereference, readString } from './main-entity.ts';
import { isObject } from './json-ld.ts';
import { memoize } from '../tree/memoize.ts';
import { TAG } from '../tree/tags.ts';
import { collapse, getNodeText } from '../tree/text/node-text.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import { isHome } from './title-heading.ts';
import type { Signals } from './signals.ts';

const NAME_META = [
  'og:site_name',
  'application-name',
  'apple-mobile-web-app-title',
  'twitter:app:name:iphone',
  'publisher',
  'dc.publisher',
  'copyright',
  'al:ios:app_name',
];
const SITE_TYPES =
  /^(?:WebSite|Organization|NewsMediaOrganization|Corporation|LocalBusiness|Brand|Periodical|EducationalOrganization|OnlineStore)$/;

const PLAIN = /^[\u0020-\u007e\u2010-\u2027]*$/;

/** Keeps letters and digits: "The New-York Times" equals "thenewyorktimes". */
export function foldName(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase().replace(/[^a-z0-9]+/g, '');
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Labels of links to a front page, which some front pages have as their title. */
export const FRONT_PAGE: RegExp =
  /^(?:home ?page|home|index|main page|start|startseite|accueil|inicio|início|pagina iniziale|strona główna|hlavní stránka|anasayfa|ana sayfa|главная|ホーム|トップページ|首页|首頁)$/iu;

/** The page's names for its site, most reliable first. */
export function listSiteNames(signals: Signals, entities: readonly Entity[]): string[] {
  const names = new Set<string>();
  for (const key of NAME_META) add(signals.meta.get(key)?.[0]);
  for (const object of signals.linkedData.objects.slice(0, 300)) {
    if (object.path === '' && object.types.some((type) => SITE_TYPES.test(type))) {
      add(readString(object.properties['name']));
      add(readString(object.properties['alternateName']));
    }
  }
  for (const entity of entities) {
    const publisher = dereference(entity.properties['publisher'], signals.linkedData);
    add(isObject(publisher) ? readString(publisher['name']) : readString(publisher));
  }
  return [...names].slice(0, 20);

  function add(name: string | null | undefined): void {
    const clean = collapse(name ?? '');
    if (clean.length >= 2 && clean.length <= 80) names.add(clean);
  }
}

/** Logos come early. */
const MAX_LINKS = 60;
const SEPARATOR = /\s[|»«·•:—–-]|[|»«·•:—–-]\s/;
const MAX_NAME_NODES = 12;
const LEAST_NAME = 3;

/**
 * The first or last part of the document title that is also the text of a link to the front page, of the site or of the
 * blog that the page lies in.
 */
export function findLogoName(
  { tree, anchors, h1s }: Pick<Signals, 'anchors' | 'h1s'> & { readonly tree: Tree },
  documentTitle: string,
  url: URL | null,
): string | null {
  if (!SEPARATOR.test(documentTitle)) return null;
  for (const node of anchors.slice(0, MAX_LINKS)) {
    const path = readOwnPath(getAttribute(tree, node, 'href') ?? '', url);
    if (path === null || tree.end[node] - node > MAX_NAME_NODES) continue;
    const leadsUp = url === null ? h1s.some((h1) => node > h1 && node < tree.end[h1]) : isAbove(path, url.pathname);
    // A bookmark leads to the page itself.
    if (!(isHome(path) || leadsUp) || getAttribute(tree, node, 'rel') === 'bookmark') continue;
    const name = getNodeText(tree, node) || readAlternative(tree, node);
    if (name.length < LEAST_NAME || FRONT_PAGE.test(name)) continue;
    if (removeName(documentTitle, name) !== documentTitle) return name;
  }
  return null;
}

const OWN_PATH = /^(?:(?:https?:)?\/\/(?:www\.)?([^/?#:]+)(?::\d+)?)?(\/[^?#]{0,200})?$/i;

/** The path of an absolute address on the page's host; of a page without address, at most one segment. */
function readOwnPath(href: string, url: URL | null): string | null {
  if (href === '') return null;
  const match = OWN_PATH.exec(href);
  if (match === null) return null;
  const [, host, path = '/'] = match;
  if (url === null) return /^\/[^/]*\/?$/.test(path) ? path : null;
  return host === undefined || host.toLowerCase() === url.hostname.replace(/^www\./, '') ? path : null;
}

/** The later pages of a list lie below its first one, whose title they share. */
const LATER_PAGE = /\/page\/?\d+\/?$/;

function isAbove(path: string, page: string): boolean {
  const folder = path.endsWith('/') ? path : `${path}/`;
  return page.length > folder.length && page.startsWith(folder) && !LATER_PAGE.test(page);
}

function readAlternative(tree: Tree, node: number): string {
  for (let at = node + 1; at < tree.end[node]; at++)
    if (tree.tag[at] === TAG.img) return collapse(getAttribute(tree, at, 'alt') ?? '');
  return '';
}

const AFTER_NAME = /^\s*[|»«·•:—–-]+\s+(?=\S)/;
const BEFORE_NAME = /(?<=\S)\s+[|»«·•:—–-]+\s*$/;

/** Cuts a name and its separator from the start or end of a title; any case. */
export function removeName(title: string, name: string): string {
  const [whole, part] = [title.toLowerCase(), name.toLowerCase()];
  if (whole.startsWith(part)) {
    const rest = title.slice(name.length);
    if (AFTER_NAME.test(rest)) return rest.replace(AFTER_NAME, '');
  }
  if (!whole.endsWith(part)) return title;
  const rest = title.slice(0, title.length - name.length);
  return BEFORE_NAME.test(rest) ? rest.replace(BEFORE_NAME, '') : title;
}

const GENERIC_WORDS =
  /\b(?:the|a|official|site|website|web|home|homepage|welcome|to|blog|news|magazine|online|store|shop|docs?|documentation|support|help|forums?|community|inc|llc|ltd|gmbh|com|org|net)\b/gi;

/** Tests whether a text is only a name of the site; `createSiteNameTest` allows more. */
export function createBareSiteNameTest(names: readonly string[], host: string): (text: string) => boolean {
  const bare = host.replace(/^www\./, '');
  const known = new Set([...names, bare, readCore(bare)].map(foldName).filter((name) => name.length >= 2));
  return (text) => known.has(foldName(text)) || known.has(foldName(text.replace(GENERIC_WORDS, '')));
}

/** The label of a host that names the site: `nytimes` of `www.nytimes.com`. */
function readCore(host: string): string {
  const labels = host.split('.').slice(0, -1);
  return labels.filter((label) => label.length > 3).at(-1) ?? labels.at(-1) ?? '';
}

const MAX_ANSWERS = 10_000;

/** Tests whether a text names the site: a known name or the host's, with at most a few more words. */
export function createSiteNameTest(names: readonly string[], host: string): (text: string) => boolean {
  const folded = new Set(names.map(foldName).filter((name) => name.length >= 2));
  const core = foldName(readCore(host.replace(/^www\./, '')));
  const full = foldName(host.replace(/^www\./, ''));
  return memoize(isName, MAX_ANSWERS);

  function isName(text: string): boolean {
    const name = foldName(text);
    if (name.length < 2) return false;
    if (folded.has(name) || name === full || name === core) return true;
    if (core.length >= 4 && name.length <= core.length * 3 && name.includes(core) && holdsWords(text, core))
      return true;
    if (name.length >= 4 && core.startsWith(name) && name.length * 2 >= core.length) return true;
    for (const known of folded) {
      if (known.length >= 4 && name.length <= known.length * 2.5 && name.includes(known) && holdsWords(text, known))
        return true;
      if (name.length >= 4 && known.startsWith(name)) return true;
    }
    return isInitials(text, core);
  }
}

/** Whether a name is one or more whole words of a text: "Ada Miller" does not name the site of a mill. */
function holdsWords(text: string, name: string): boolean {
  const words = text.split(/(?:['’]s)?[\s.]+/).filter((word) => word !== '');
  return words.length < 2 || words.some((_, from) => startsWithWords(words.slice(from), name));
}

function startsWithWords(words: readonly string[], name: string): boolean {
  let joined = '';
  for (const word of words) {
    joined += foldName(word);
    if (joined.length >= name.length) return joined === name;
  }
  return false;
}

/** "The New York Times" for nytimes, "Better Homes & Gardens" for bhg. */
function isInitials(text: string, core: string): boolean {
  if (core.length < 2) return false;
  const words: string[] = [];
  for (const part of text.split(/[\s&,.-]+/)) {
    const word = foldName(part);
    if (word === '') continue;
    // Nearly all texts end here: only "the", "of" and "and" may come before the first initial.
    if (words.length === 0 && word[0] !== core[0] && !'toa'.includes(word[0])) return false;
    words.push(word);
  }
  if (words.length < 2 || words.length > 8) return false;
  const initials = words.map((word) => word[0]).join('');
  if (initials === core || initials.replace(/^t/, '') === core) return true;
  let rest = core;
  for (const word of words) {
    if (rest.startsWith(word)) rest = rest.slice(word.length);
    else if (word.length > 0 && rest.startsWith(word[0])) rest = rest.slice(1);
    else if (word !== 'the' && word !== 'of' && word !== 'and') return false;
  }
  return rest === '' && core.length >= 3;
}
