import type { Protocol } from 'devtools-protocol/types/protocol.js';
import type { EngineName } from '@winnow/contract';

export type ChromiumEngineName = Exclude<EngineName, 'http'>;

export type ResourceType = Protocol.Network.ResourceType;

export interface Readiness {
  readonly event: 'domcontentloaded' | 'load';
  /** Milliseconds without DOM changes; null: changes are ignored. */
  readonly quietMs: number | null;
  /** Requests older than `patienceMs` are ignored. */
  readonly waitsFor: ReadonlySet<ResourceType>;
  readonly patienceMs: number;
  readonly scrolls: boolean;
  /** Goes on waiting while the page is an unrendered app shell, or will open another one. */
  readonly isFilled: boolean;
  readonly blocks: readonly ResourceType[];
  /** Longest wait in milliseconds; null: only the deadline counts. */
  readonly capMs: number | null;
}

const CONTENT: ReadonlySet<ResourceType> = new Set(['Document', 'Script', 'XHR', 'Fetch']);
/** Without streams and beacons, which do not end. */
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
/** What fills a page after its document. */
export const DATA: ReadonlySet<ResourceType> = new Set(['XHR', 'Fetch', 'Script', 'EventSource']);
/** The parser waits for them: for style sheets where a script follows. */
export const BLOCKING: ReadonlySet<ResourceType> = new Set(['Script', 'Stylesheet']);
const NONE: ReadonlySet<ResourceType> = new Set();

const LOADED: Readiness = {
  event: 'load',
  quietMs: null,
  waitsFor: NONE,
  patienceMs: 0,
  scrolls: false,
  isFilled: true,
  blocks: [],
  capMs: null,
};

/** After a click and after an app shell, also for engines that ignore changes. */
export const SETTLED: Readiness = { ...LOADED, quietMs: 500, waitsFor: CONTENT, patienceMs: 4000, capMs: 4000 };

const QUIET: Readiness = {
  // One hanging image would delay `load`.
  event: 'domcontentloaded',
  quietMs: 500,
  waitsFor: CONTENT,
  patienceMs: 4000,
  scrolls: false,
  isFilled: true,
  blocks: [],
  capMs: 12_000,
};

/** Documented in docs/engines.md. */
export const READINESS: Readonly<Record<ChromiumEngineName, Readiness>> = {
  chrome: LOADED,
  chrome_cdp: LOADED,
  vendor_dcl: { ...LOADED, event: 'domcontentloaded', isFilled: false },
  vendor_lite: { ...QUIET, quietMs: 250, blocks: ['Image', 'Font', 'Media', 'Stylesheet'], capMs: 10_000 },
  vendor_dom: QUIET,
  stable: { ...QUIET, quietMs: 1000, waitsFor: ALL, scrolls: true, capMs: 15_000 },
};
