import type { EngineName } from '@winnow/contract';

export type ChromiumEngineName = Exclude<EngineName, 'http'>;

/** DevTools' names of resource types. */
export type ResourceType = string;

/** When a page counts as ready, and which requests are blocked. */
export interface Readiness {
  readonly event: 'domcontentloaded' | 'load';
  /** Milliseconds without DOM changes; null: changes are ignored. */
  readonly quietMs: number | null;
  /** Types of requests that must end; those older than `patienceMs` are ignored. */
  readonly waitsFor: ReadonlySet<ResourceType>;
  readonly patienceMs: number;
  /** Scrolls through the page to load lazy content. */
  readonly scrolls: boolean;
  readonly blocks: readonly ResourceType[];
  /** Milliseconds after the first document until the page is captured anyway; null: only the deadline counts. */
  readonly capMs: number | null;
}

/** Types that add content to a page. */
const CONTENT: ReadonlySet<ResourceType> = new Set(['Document', 'Script', 'XHR', 'Fetch']);
/** Types that end; without streams and beacons. */
const ALL: ReadonlySet<ResourceType> = new Set([
  ...CONTENT,
  'Stylesheet',
  'Image',
  'Font',
  'TextTrack',
  'Manifest',
  'Prefetch',
  'Other',
]);
const NONE: ReadonlySet<ResourceType> = new Set();

const LOADED: Readiness = {
  event: 'load',
  quietMs: null,
  waitsFor: NONE,
  patienceMs: 0,
  scrolls: false,
  blocks: [],
  capMs: null,
};

/** Readiness by engine, documented in docs/engines.md. */
export const READINESS: Readonly<Record<ChromiumEngineName, Readiness>> = {
  chrome: LOADED,
  chrome_cdp: LOADED,
  vendor_dcl: { ...LOADED, event: 'domcontentloaded' },
  vendor_lite: {
    event: 'domcontentloaded',
    quietMs: 250,
    waitsFor: CONTENT,
    patienceMs: 4000,
    scrolls: false,
    blocks: ['Image', 'Font', 'Media', 'Stylesheet'],
    capMs: 10_000,
  },
  vendor_dom: {
    event: 'domcontentloaded',
    quietMs: 500,
    waitsFor: CONTENT,
    patienceMs: 4000,
    scrolls: false,
    blocks: [],
    capMs: 12_000,
  },
  stable: {
    // One hanging image would delay `load`; network idleness covers it.
    event: 'domcontentloaded',
    quietMs: 1000,
    waitsFor: ALL,
    patienceMs: 4000,
    scrolls: true,
    blocks: [],
    capMs: 15_000,
  },
};
