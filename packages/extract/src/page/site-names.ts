import type { Entity } from './main-entity.ts';
import { dereference, readString } from './main-entity.ts';
import { isObject } from './json-ld.ts';
import { memoize } from '../tree/memoize.ts';
import { collapse } from '../tree/text/node-text.ts';
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
    if (core.length >= 4 && name.includes(core) && name.length <= core.length * 3) return true;
    if (name.length >= 4 && core.startsWith(name) && name.length * 2 >= core.length) return true;
    for (const known of folded) {
      if (known.length >= 4 && name.includes(known) && name.length <= known.length * 2.5) return true;
      if (name.length >= 4 && known.startsWith(name)) return true;
    }
    return isInitials(text, core);
  }
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
