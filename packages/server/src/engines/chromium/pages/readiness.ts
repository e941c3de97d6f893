import type { EngineName } from '@winnow/contract';

export type ChromiumEngineName = Exclude<EngineName, 'http'>;

/** DevTools' names of resource types. */
export type ResourceType = string;

/** When a page counts as ready, and what is kept from it. */
export interface Readiness {
  /** The event to wait for. */
  readonly event: 'domcontentloaded' | 'load';
  /** Milliseconds in which the DOM must not change; null: it may change. */
  readonly quietMs: number | null;
  /** Requests of these types must be finished; those that hang longer than `patienceMs` are not waited for. */
  readonly waitsFor: ReadonlySet<ResourceType>;
  readonly patienceMs: number;
  /** Scroll through the page, so that lazy content comes. */
  readonly scrolls: boolean;
  /** Types that are never requested. */
  readonly blocks: readonly ResourceType[];
  /** Milliseconds after the first document after which the page is captured as it is; null: only the deadline counts. */
  readonly capMs: number | null;
}

/** What puts content into a page. */
const CONTENT: ReadonlySet<ResourceType> = new Set(['Document', 'Script', 'XHR', 'Fetch']);
/** Everything that ends; streams and beacons do not count. */
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

/** The readiness of each engine name; docs/engines.md shows it. */
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
    // Not `load`: one hanging image would hold it up; the idle network covers it.
    event: 'domcontentloaded',
    quietMs: 1000,
    waitsFor: ALL,
    patienceMs: 4000,
    scrolls: true,
    blocks: [],
    capMs: 15_000,
  },
};
