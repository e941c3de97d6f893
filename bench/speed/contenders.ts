import { parse } from 'parse5';
import { extract } from '@winnow/extract';
import type { Extraction } from '../quality/score-page.ts';
import { joinText } from './join-text.ts';

/** An extractor that is measured. */
export interface Contender {
  readonly name: string;
  /** Loads its modules; throws if they are not installed. */
  readonly load: () => Promise<Runner>;
  /** Whether it runs on a sample only. */
  readonly isSlow?: boolean;
}

export interface Runner {
  /** The timed part: from the HTML string to the contender's own result. */
  readonly run: (html: string, url: string | undefined) => unknown;
  /** Converts that result, untimed; undefined for a contender that extracts nothing. */
  readonly read?: (result: never) => Extraction;
}

/** Replaces an unknown address: several contenders require one. */
const UNKNOWN_URL = 'https://example.org/';

/** The baseline: only parse5's default tree, in the version that the library uses. */
export const BARE_PARSE: Contender = { name: 'parse5, bare parse', load: async () => ({ run: (html) => parse(html) }) };

export const WINNOW: Contender = {
  name: '@winnow/extract',
  load: async () => ({
    run: (html, url) => extract(html, url === undefined ? {} : { url }),
    read: (result: Extraction) => result,
  }),
};

/** Other extractors from npm; `package.json` beside this file pins the versions. */
export const PEERS: readonly Contender[] = [
  { name: 'rs-trafilatura (native)', load: loadTrafilatura },
  { name: 'dom-smoothie-js (wasm)', load: loadSmoothie },
  { name: '@wrtnlabs/web-content-extractor', load: loadWrtn },
  { name: '@mozilla/readability + linkedom', load: loadReadabilityLinkedom },
  { name: '@postlight/parser', load: loadPostlight },
  { name: 'defuddle + linkedom', load: loadDefuddle },
  { name: '@mozilla/readability + jsdom', load: loadReadabilityJsdom, isSlow: true },
];

/** The modules have no types here: they are installed only for this bench. */
// oxlint-disable-next-line typescript/no-explicit-any
type Untyped = any;

async function importPeer(name: string): Promise<Untyped> {
  try {
    return await import(name);
  } catch (cause) {
    throw new Error(`"${name}" cannot be loaded; run "npm ci --prefix bench/speed" first`, { cause });
  }
}

async function loadTrafilatura(): Promise<Runner> {
  const { default: trafilatura } = await importPeer('trafilatura-linux-x64-gnu');
  return {
    run: (html, url) => trafilatura.extract(html, { url: url ?? UNKNOWN_URL }),
    read: (result: Untyped) => ({
      mainText: joinText(result.contentHtml ?? '') || (result.contentText ?? ''),
      title: result.metadata.title ?? null,
      author: result.metadata.author ?? null,
      publishTime: result.metadata.date ?? null,
    }),
  };
}

async function loadSmoothie(): Promise<Runner> {
  const { Readability } = await importPeer('dom-smoothie-js');
  return {
    run: (html, url) => {
      const reader = new Readability(html, url ?? UNKNOWN_URL);
      try {
        return reader.parse();
      } finally {
        reader.free();
      }
    },
    read: readReadability,
  };
}

async function loadWrtn(): Promise<Runner> {
  const { extractContent } = await importPeer('@wrtnlabs/web-content-extractor');
  return {
    run: (html) => extractContent(html),
    read: (result: Untyped) => ({
      mainText: joinText(result.contentHtmls.join('\n')),
      title: result.title ?? null,
      author: null,
      publishTime: null,
    }),
  };
}

async function loadReadabilityLinkedom(): Promise<Runner> {
  const { Readability } = await importPeer('@mozilla/readability');
  const { parseHTML } = await importPeer('linkedom');
  return { run: (html) => new Readability(parseHTML(html).document).parse(), read: readReadability };
}

async function loadReadabilityJsdom(): Promise<Runner> {
  const { Readability } = await importPeer('@mozilla/readability');
  const { JSDOM, VirtualConsole } = await importPeer('jsdom');
  const virtualConsole = new VirtualConsole();
  return {
    run: (html, url) => {
      const { window } = new JSDOM(html, { url: url ?? UNKNOWN_URL, virtualConsole });
      const result = new Readability(window.document).parse();
      window.close();
      return result;
    },
    read: readReadability,
  };
}

async function loadPostlight(): Promise<Runner> {
  const { default: parser } = await importPeer('@postlight/parser');
  return {
    run: (html, url) => parser.parse(url ?? UNKNOWN_URL, { html, fetchAllPages: false, fallback: true }),
    read: (result: Untyped) => ({
      mainText: joinText(result.content ?? ''),
      title: result.title ?? null,
      author: result.author ?? null,
      publishTime: result.date_published ?? null,
    }),
  };
}

async function loadDefuddle(): Promise<Runner> {
  const { Defuddle } = await importPeer('defuddle/node');
  const { parseHTML } = await importPeer('linkedom');
  return {
    // With `useAsync` it would fetch pages of some sites again.
    run: (html, url) => Defuddle(parseHTML(html).document, url ?? UNKNOWN_URL, { useAsync: false }),
    read: (result: Untyped) => ({
      mainText: joinText(result.content ?? ''),
      title: result.title ?? null,
      author: result.author ?? null,
      publishTime: result.published ?? null,
    }),
  };
}

function readReadability(result: Untyped): Extraction {
  return {
    mainText: joinText(result?.content ?? ''),
    title: result?.title ?? null,
    author: result?.byline ?? null,
    publishTime: result?.publishedTime ?? result?.published_time ?? null,
  };
}
