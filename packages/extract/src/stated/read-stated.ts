import { flattenLinkedData, isObject, type LinkedData } from '../page/json-ld.ts';
import { dereference, type Entity, listEntities, readString } from '../page/main-entity.ts';
import { collapse, cut } from '../tree/text/node-text.ts';
import { parseDate } from '../fields/date/parse-date.ts';
import type { Signals } from '../page/signals.ts';
import { listSiteNames } from '../page/site-names.ts';
import type { UrlResolver } from '../tree/url-resolver.ts';
import { detach } from '../tree/detach.ts';
import { TAG } from '../tree/tags.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import { boundData } from './bound-data.ts';
import { readMicrodata } from './read-microdata.ts';
import type { StatedData } from '../types/stated-data.ts';
import { readProduct } from './read-product.ts';

const MAX_TEXT = 500;
const MAX_KEYWORDS = 100;
const MAX_ENTITIES = 20;

/** Reads metadata, JSON-LD and microdata in linear time. */
export function readStated(tree: Tree, signals: Signals, urls: UrlResolver, language: string | null): StatedData {
  const microdata = flattenLinkedData(readMicrodata(tree, urls));
  const page = new StatedPage(signals, microdata, urls);
  const linked = boundData(signals.linkedData.documents);
  const items = boundData(microdata.documents);
  return {
    canonical: findCanonical(tree, urls) ?? page.readUrl(page.readMeta(['og:url'])),
    site_name: page.readSiteName(),
    image: page.readImage(),
    modified_time: page.readModifiedTime(language),
    keywords: page.readKeywords(),
    section: page.readMeta(['article:section', 'og:article:section', 'section']) ?? page.readProperty('articleSection'),
    is_accessible_for_free: readAccess(page),
    product: readProduct([signals.linkedData, microdata], signals.meta),
    json_ld: linked.objects,
    microdata: items.objects,
    truncated: linked.truncated || items.truncated,
  };
}

/** The publisher's statement about free access, or null. */
export function readAccessForFree(tree: Tree, signals: Signals, urls: UrlResolver): boolean | null {
  const hasMicrodata =
    signals.meta.has('isaccessibleforfree') ||
    signals.properties.some(({ names }) => names.includes('isAccessibleForFree'));
  const microdata = flattenLinkedData(hasMicrodata ? readMicrodata(tree, urls) : []);
  return readAccess(new StatedPage(signals, microdata, urls));
}

function readAccess(page: StatedPage): boolean | null {
  const stated = page.readProperty('isAccessibleForFree') ?? page.readProperty('isAccessibleForfree');
  if (stated !== null) {
    const word = stated.slice(stated.lastIndexOf('/') + 1).toLowerCase();
    if (word === 'true' || word === 'yes') return true;
    if (word === 'false' || word === 'no') return false;
  }
  const tier = page.readMeta(['article:content_tier'])?.toLowerCase();
  if (tier === 'free') return true;
  return tier === 'locked' ? false : null;
}

class StatedPage {
  readonly #signals: Signals;
  readonly #microdata: LinkedData;
  readonly #urls: UrlResolver;
  readonly #entities: readonly Entity[];
  readonly #linkedEntities: readonly Entity[];

  constructor(signals: Signals, microdata: LinkedData, urls: UrlResolver) {
    this.#signals = signals;
    this.#microdata = microdata;
    this.#urls = urls;
    this.#linkedEntities = listEntities(signals.linkedData);
    this.#entities = [
      ...this.#linkedEntities.slice(0, MAX_ENTITIES),
      ...listEntities(microdata).slice(0, MAX_ENTITIES),
    ];
  }

  readMeta(names: readonly string[]): string | null {
    for (const name of names)
      for (const value of this.#signals.meta.get(name) ?? []) {
        const text = clean(value);
        if (text !== null) return text;
      }
    return null;
  }

  readProperty(name: string): string | null {
    for (const { properties } of this.#entities) {
      const value = properties[name];
      const text = typeof value === 'boolean' ? String(value) : clean(readString(value));
      if (text !== null) return text;
    }
    return null;
  }

  readUrl(text: string | null): string | null {
    const url = text === null ? null : this.#urls.resolve(text);
    return url === null ? null : detach(url);
  }

  readSiteName(): string | null {
    const named = this.readMeta(['og:site_name', 'application-name']);
    return named ?? clean(listSiteNames(this.#signals, this.#linkedEntities)[0]);
  }

  readImage(): string | null {
    const meta = ['og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image', 'twitter:image:src'];
    for (const name of meta) {
      const url = this.readUrl(this.readMeta([name]));
      if (url !== null) return url;
    }
    for (const { properties } of this.#entities) {
      const [image] = [properties['image']].flat();
      const full = dereference(dereference(image, this.#signals.linkedData), this.#microdata);
      const url = this.readUrl(clean(readString(isObject(full) ? (full['url'] ?? full['contentUrl']) : full)));
      if (url !== null) return url;
    }
    return null;
  }

  readModifiedTime(language: string | null): string | null {
    const stated = [
      this.readMeta(['article:modified_time', 'og:article:modified_time']),
      this.readProperty('dateModified'),
      this.readMeta(['og:updated_time', 'datemodified', 'dcterms.modified', 'dc.date.modified', 'last-modified']),
    ];
    for (const text of stated) {
      const time = text === null ? null : parseDate(text, { language });
      if (time !== null) return time.value;
    }
    return null;
  }

  readKeywords(): string[] {
    const { meta } = this.#signals;
    const lists = [
      ...['keywords', 'news_keywords', 'article:tag', 'sailthru.tags', 'parsely-tags'].map(
        (name) => meta.get(name) ?? [],
      ),
      ...this.#entities.map(({ properties }) => readStrings(properties['keywords'])),
    ];
    // Later sources mostly repeat the first.
    const [stated = []] = lists.filter((list) => list.some((text) => text.trim() !== ''));
    const words = stated.flatMap((text) => cut(text, MAX_TEXT * 20).split(/[,;、，؛،]/));
    return [...new Set(words.flatMap((word) => clean(word) ?? []))].slice(0, MAX_KEYWORDS);
  }
}

function readStrings(value: unknown): string[] {
  return [value].flat().flatMap((item) => readString(item) ?? []);
}

function findCanonical(tree: Tree, urls: UrlResolver): string | null {
  for (let node = 1; node < tree.size; node++) {
    if (tree.tag[node] !== TAG.link) continue;
    const rel = getAttribute(tree, node, 'rel')?.toLowerCase().split(/\s+/);
    if (rel?.includes('canonical') !== true) continue;
    const url = urls.resolve(getAttribute(tree, node, 'href') ?? '');
    if (url !== null) return detach(url);
  }
  return null;
}

function clean(text: string | null | undefined): string | null {
  const value = collapse(cut(text ?? '', MAX_TEXT));
  return value === '' ? null : detach(value);
}
