import { pipeline, Readable } from 'node:stream';
import zlib from 'node:zlib';
import { Parser } from 'htmlparser2';
import { readPieces } from '../domain/shared/byte-collector.ts';
import type { LocationKind, SitemapLimits, SitemapReader } from '../domain/mapping/map-site.ts';
import { AppError } from '../domain/shared/errors.ts';
import type { Egress, EgressGuard } from '../egress/egress.ts';
import { mapHttpError } from '../egress/dialing/map-error.ts';
import { requestFile } from './request-file.ts';
import { DECODERS } from './robots.ts';

interface SitemapOptions {
  readonly egress: Pick<Egress, 'guard'>;
  readonly userAgent: string;
}

/** For one file. */
const TIMEOUT_MS = 10_000;
/** RFC 9309, 2.5. */
const MAX_ROBOTS_BYTES = 512 * 1024;
const MAX_DECLARED = 100;

/** Sitemaps named `.gz` come without `Content-Encoding`. */
const GZIP_MAGIC = [0x1f, 0x8b];

interface Exchange {
  readonly guard: EgressGuard;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

/** Reads sitemaps and their addresses in robots.txt, through the egress guard. */
export class Sitemaps implements SitemapReader {
  readonly #options: SitemapOptions;

  constructor(options: SitemapOptions) {
    this.#options = options;
  }

  async declared(url: URL, limits: SitemapLimits): Promise<string[]> {
    const found: string[] = [];
    let line = '';
    const maxBytes = Math.min(limits.maxBytes, MAX_ROBOTS_BYTES);
    try {
      await this.#read(new URL('/robots.txt', url), { ...limits, maxBytes }, (text) => {
        const lines = (line + text).split(/\r\n|\r|\n/);
        line = lines.pop() ?? '';
        for (const declared of lines.flatMap(readDeclaration)) found.push(declared);
        return found.length < MAX_DECLARED;
      });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
    return [...found, ...readDeclaration(line)].slice(0, MAX_DECLARED);
  }

  async read(
    url: URL,
    limits: SitemapLimits,
    onLocation: (location: string, kind: LocationKind) => boolean,
  ): Promise<number> {
    const parser = new SitemapParser(onLocation);
    const bytes = await this.#read(url, limits, (text) => {
      parser.write(text);
      return !parser.isDone;
    });
    parser.end();
    return bytes;
  }

  /** Streams text; false from `onText` stops. All failures are AppErrors. */
  async #read(url: URL, limits: SitemapLimits, onText: (text: string) => boolean): Promise<number> {
    const guard = this.#options.egress.guard(limits.project);
    const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const body = await this.#open(url, { guard, signal, maxBytes: limits.maxBytes });
      return await readText(readPieces(body, limits.maxBytes), onText);
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (signal.aborted) throw new AppError('fetch_timeout', `${url.href}: no answer in time`, { cause: error });
      if (isCodingFault(error))
        throw new AppError('unsupported_content', `${url.href}: cannot be decoded`, { cause: error });
      throw mapHttpError(error, url);
    }
  }

  async #open(given: URL, { maxBytes, ...exchange }: Exchange): Promise<Readable> {
    const { url, statusCode, coding, body } = await requestFile(given, {
      ...exchange,
      headers: {
        'user-agent': this.#options.userAgent,
        accept: 'application/xml,text/xml,text/plain,*/*;q=0.5',
        'accept-encoding': 'gzip',
      },
      refuse: (fault, { href }) => new AppError('egress_denied', `${href}: ${fault}`),
    });
    if (statusCode >= 200 && statusCode < 300) return decodeBody(body, coding, maxBytes);
    throw new AppError('http_status_not_ok', `${url.href}: status ${statusCode}`, { upstreamStatusCode: statusCode });
  }
}

/** Parses `Sitemap: URL`, which belongs to no group of robots.txt. */
function readDeclaration(line: string): string[] {
  const [name = '', ...rest] = line.split(':');
  const address = rest.join(':').trim();
  return name.trim().toLowerCase() === 'sitemap' && URL.canParse(address) ? [address] : [];
}

/** @param maxBytes also of the compressed file: a decoder may read without end and write nothing */
async function decodeBody(body: Readable, coding: string, maxBytes: number): Promise<Readable> {
  const decoder = DECODERS.get(coding)?.();
  if (decoder === undefined && coding !== '' && coding !== 'identity') {
    body.destroy();
    throw new AppError('unsupported_content', `Content-Encoding: ${coding.slice(0, 100)} is not supported`);
  }
  const received = Readable.from(readPieces(body, maxBytes), { objectMode: false });
  return unpackFile(decoder === undefined ? received : chain(received, decoder));
}

/** Decompresses a file that is compressed regardless of its headers, for example `sitemap.xml.gz`. */
async function unpackFile(body: Readable): Promise<Readable> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const first = await chunks.next();
  const rest = Readable.from(resume(first, chunks), { objectMode: false });
  const start = first.done ? undefined : first.value;
  return start?.[0] === GZIP_MAGIC[0] && start?.[1] === GZIP_MAGIC[1] ? chain(rest, zlib.createGunzip()) : rest;
}

async function* resume(first: IteratorResult<Buffer>, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    for (let next = first; !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function chain(body: Readable, decoder: NodeJS.ReadWriteStream): Readable {
  return pipeline(body, decoder, () => undefined) as unknown as Readable;
}

async function readText(pieces: AsyncIterable<Buffer>, onText: (text: string) => boolean): Promise<number> {
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (!onText(decoder.decode(piece, { stream: true }))) break;
  }
  return bytes;
}

function isCodingFault(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  return code.startsWith('Z_') || code.startsWith('ERR__ERROR_FORMAT');
}

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
