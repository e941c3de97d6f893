import { Parser } from 'htmlparser2';
import type { LocationKind } from '../domain/mapping/map-site.ts';

/** Of a location; the protocol allows 2,048 characters. */
const MAX_LOCATION = 8192;

/** A sitemap has three levels. */
const MAX_DEPTH = 16;

/** Characters parsed between checks of `isDone`. */
const STEP = 4096;

/** Kinds of location, by parent element. */
const KINDS: ReadonlyMap<string, LocationKind> = new Map([
  ['url', 'page'],
  ['sitemap', 'sitemap'],
]);

/**
 * Finds the locations of a sitemap incrementally: XML of sitemaps.org, or lines of text. Supports only XML's own
 * entities, so none can expand or read a file.
 */
export class SitemapParser {
  readonly #onLocation: (location: string, kind: LocationKind) => boolean;
  readonly #xml: Parser;
  #isText: boolean | undefined;
  #line = '';
  #kind: LocationKind | undefined;
  #location: string | undefined;
  #depth = 0;
  #isDone = false;

  /** @param onLocation receives each location; returns false to stop */
  constructor(onLocation: (location: string, kind: LocationKind) => boolean) {
    this.#onLocation = onLocation;
    const onopentagname = (name: string): void => this.#open(localName(name));
    const onclosetag = (name: string): void => this.#close(localName(name));
    const ontext = (text: string): void => this.#append(text);
    this.#xml = new Parser({ onopentagname, onclosetag, ontext }, { xmlMode: true, decodeEntities: true });
  }

  /** True once the rest is not needed. */
  get isDone(): boolean {
    return this.#isDone;
  }

  write(text: string): void {
    if (this.#isText === undefined) {
      const start = /[^\s\uFEFF]/.exec(text)?.[0];
      if (start === undefined) return;
      this.#isText = start !== '<';
    }
    for (let at = 0; at < text.length && !this.#isDone; at += STEP) {
      const piece = text.slice(at, at + STEP);
      if (this.#isText) this.#addLines(piece);
      else this.#xml.write(piece);
    }
  }

  end(): void {
    if (this.#isText && !this.#isDone) this.#addLines('\n');
  }

  #open(name: string): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#isDone = true;
    const kind = KINDS.get(name);
    if (kind !== undefined) this.#kind = kind;
    else if (name === 'loc' && this.#kind !== undefined) this.#location = '';
  }

  #close(name: string): void {
    this.#depth -= 1;
    if (KINDS.has(name)) this.#kind = undefined;
    if (name !== 'loc' || this.#location === undefined) return;
    const location = this.#location.trim();
    this.#location = undefined;
    if (this.#kind !== undefined) this.#report(location, this.#kind);
  }

  #append(text: string): void {
    if (this.#location === undefined || this.#location.length > MAX_LOCATION) return;
    this.#location += text;
  }

  #addLines(piece: string): void {
    const lines = (this.#line + piece).split(/\r\n|\r|\n/);
    this.#line = (lines.pop() ?? '').slice(0, MAX_LOCATION + 1);
    for (const line of lines) {
      if (this.#isDone) return;
      this.#report(line.trim(), 'page');
    }
  }

  #report(location: string, kind: LocationKind): void {
    if (this.#isDone || location === '' || location.length > MAX_LOCATION) return;
    if (!this.#onLocation(location, kind)) this.#isDone = true;
  }
}

/** Removes the prefix: `sm:loc` becomes `loc`. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
