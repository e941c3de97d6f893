import type { EngineName } from '@winnow/contract';
import type { Engine, Fetcher, HostMemory, ProjectEgress } from '../domain/capture/capture-ports.ts';
import type { Logger } from '../domain/shared/ports.ts';
import { checkUrl } from '../egress/policy/check-url.ts';
import type { TrafficLimits } from '../egress/browser-proxy.ts';
import { createAutoEngine } from './auto/auto-engine.ts';
import { createHostMemory } from './auto/host-memory.ts';
import { CdpFleet } from './cdp/cdp-fleet.ts';
import { BROWSER_CANDIDATES } from './chromium/browsers/browser-flags.ts';
import type { BrowserSource, BrowserStats } from './chromium/browsers/browser-source.ts';
import { CaptureSlots, type SlotStats } from './chromium/capture-slots.ts';
import { createChromiumEngine } from './chromium/chromium-engine.ts';
import { LocalBrowsers } from './chromium/browsers/local-browsers.ts';
import type { ChromiumEngineName } from './chromium/pages/readiness.ts';
import { withDocuments, withEmbeddedDocuments, withFrames } from './document-fallback.ts';
import { createHttpEngine, type HttpEngineOptions } from './http/http-engine.ts';

export interface FetcherOptions extends HttpEngineOptions {
  /** Empty: none is started. Default: {@link BROWSER_CANDIDATES}. */
  readonly browserExecutables?: readonly string[];
  readonly browserArgs?: readonly string[];
  /** Default false: browsers are sandboxed, except for root. */
  readonly isSandboxOff?: boolean;
  readonly browserConcurrency: number;
  readonly browserQueue: number;
  /** Default 500. */
  readonly recycleAfterCaptures?: number;
  /** Default 30 minutes. */
  readonly recycleAfterMs?: number;
  /** Excludes renderers. */
  readonly recycleAboveBytes: number;
  readonly browserIdleMs: number;
  /** Heap bytes in external browsers. Default 1 GiB. */
  readonly maxRendererBytes?: number;
  /** Not in external browsers. Default 60000. */
  readonly maxRendererCpuMs?: number;
  /** `ws://…` or `http://host:port`. Empty: a local browser. */
  readonly cdpUrls: readonly string[];
  /** False: only `chrome_cdp` uses `cdpUrls`. */
  readonly cdpForAll: boolean;
  /** Default 127.0.0.1. */
  readonly cdpLaneHost?: string;
  /** Default 127.0.0.1. */
  readonly cdpLaneListenHost?: string;
  /** Trusted by the browsers that this process starts, besides their own (PEM). The egress guard has its own list. */
  readonly authorities?: readonly string[];
  /** Including sub-resources. Default 64 MiB. */
  readonly maxTotalBytes?: number;
  /** Of a browser's capture. Default {@link TRAFFIC_LIMITS}. */
  readonly traffic?: TrafficLimits;
  /** Default: in process. */
  readonly memory?: HostMemory;
  /** Default: silent. */
  readonly logger?: Logger;
}

export interface FetcherCheck {
  readonly engine: EngineName;
  readonly ok: boolean;
  readonly detail: string;
}

export interface EngineFetcher extends Fetcher {
  /** @throws {AppError} `url_not_allowed` */
  checkUrl(url: URL, project?: ProjectEgress): void;
  /** Starts no browser. */
  check(): Promise<FetcherCheck[]>;
  stats(): { readonly slots: SlotStats; readonly local: BrowserStats; readonly cdp: BrowserStats };
  warmUp(): Promise<void>;
  close(): Promise<void>;
}

const MIB = 1_048_576;
const DEFAULTS = {
  browserExecutables: BROWSER_CANDIDATES,
  browserArgs: [],
  recycleAfterCaptures: 500,
  recycleAfterMs: 30 * 60_000,
  maxRendererBytes: 1024 * MIB,
  maxRendererCpuMs: 60_000,
  maxTotalBytes: 64 * MIB,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
} satisfies Partial<FetcherOptions>;

const NO_BROWSERS: BrowserStats = { browsers: 0, active: 0, started: 0, killedRenderers: 0 };

type Settings = FetcherOptions & Required<Pick<FetcherOptions, keyof typeof DEFAULTS>>;

/** Browsers start on demand. */
export function createFetcher(options: FetcherOptions): EngineFetcher {
  const settings: Settings = { ...DEFAULTS, ...options };
  const { egress } = settings;
  const cdp = settings.cdpUrls.length > 0 ? createFleet(settings) : createLocal(settings, true);
  const own = settings.cdpForAll && settings.cdpUrls.length > 0 ? undefined : createLocal(settings, false);
  const local = own ?? cdp;
  const working = listWorkingEngines({
    startsBrowsers: settings.browserExecutables.length > 0,
    cdpUrls: settings.cdpUrls,
    cdpForAll: settings.cdpForAll,
  });
  const slots = new CaptureSlots(settings.browserConcurrency, settings.browserQueue);
  const http = createHttpEngine(settings);
  const withEmbedded = (engine: Engine): Engine =>
    settings.documents === undefined ? engine : withEmbeddedDocuments(engine, http);
  const chromium = (engine: ChromiumEngineName, source: BrowserSource): Engine =>
    withEmbedded(createChromiumEngine({ ...settings, engine, source, slots }));
  const engines: Record<EngineName, Engine> = {
    http: withFrames(withEmbedded(http), settings.maxPageBytes),
    chrome: chromium('chrome', local),
    chrome_cdp: chromium('chrome_cdp', cdp),
    vendor_lite: chromium('vendor_lite', local),
    vendor_dcl: chromium('vendor_dcl', local),
    vendor_dom: chromium('vendor_dom', local),
    stable: chromium('stable', local),
  };
  const hasBrowsers = working.includes('vendor_lite');
  // Browsers read frames as their scripts leave them.
  const ofAuto = hasBrowsers ? { ...engines, http: withEmbedded(http) } : engines;
  const auto = createAutoEngine({ engines: ofAuto, hasBrowsers, memory: settings.memory ?? createHostMemory() });
  const forced = (name: EngineName): Engine => {
    if (name === 'http' || settings.documents === undefined) return engines[name];
    return withDocuments(name, engines[name], http);
  };
  return {
    capture: (preference, request) => (preference === 'auto' ? auto : forced(preference)).capture(request),
    checkUrl: (url, project) => checkUrl(url, egress.guard(project).policy),
    check: () => checkEngines(working, local, cdp),
    stats: () => ({ slots: slots.stats(), local: own?.stats() ?? NO_BROWSERS, cdp: cdp.stats() }),
    warmUp: async () => {
      if (own && settings.browserExecutables.length > 0) (await own.lease()).release();
    },
    close: async () => {
      await Promise.all([own?.close(), cdp.close()]);
    },
  };
}

function createLocal(settings: Settings, overSocket: boolean): BrowserSource {
  const { userAgent, acceptLanguage, browserExecutables: executables, browserArgs: extraArgs } = settings;
  return new LocalBrowsers({
    launch: { executables, userAgent, acceptLanguage, extraArgs, ...pick(settings, 'isSandboxOff', 'authorities') },
    overSocket,
    idleMs: settings.browserIdleMs,
    ...pick(settings, 'recycleAfterCaptures', 'recycleAfterMs', 'recycleAboveBytes'),
    ...pick(settings, 'maxRendererBytes', 'maxRendererCpuMs', 'logger'),
  });
}

function createFleet(settings: Settings): BrowserSource {
  const { cdpUrls: urls, cdpLaneHost, cdpLaneListenHost, logger, maxRendererBytes: maxHeapBytes } = settings;
  return new CdpFleet({
    urls,
    logger,
    maxHeapBytes,
    ...(cdpLaneHost === undefined ? {} : { proxyHost: cdpLaneHost }),
    ...(cdpLaneListenHost === undefined ? {} : { proxyListenHost: cdpLaneListenHost }),
  });
}

async function checkEngines(
  names: readonly EngineName[],
  local: BrowserSource,
  cdp: BrowserSource,
): Promise<FetcherCheck[]> {
  const [localCheck, cdpCheck] = await Promise.all([local.check(), cdp.check()]);
  return names.map((engine) => {
    if (engine === 'http') return { engine, ok: true, detail: 'needs nothing' };
    return { engine, ...(engine === 'chrome_cdp' ? cdpCheck : localCheck) };
  });
}

function pick<T extends object, K extends keyof T>(source: T, ...keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.filter((key) => source[key] !== undefined).map((key) => [key, source[key]])) as Pick<
    T,
    K
  >;
}

interface BrowserOrigins {
  readonly startsBrowsers: boolean;
  readonly cdpUrls: readonly string[];
  readonly cdpForAll: boolean;
}

const OF_CHROMIUM: readonly EngineName[] = ['chrome', 'vendor_lite', 'vendor_dcl', 'vendor_dom', 'stable'];

/** Lists the configured engines; the others answer `engine_unavailable`. */
export function listWorkingEngines({ startsBrowsers, cdpUrls, cdpForAll }: BrowserOrigins): readonly EngineName[] {
  const hasFleet = cdpUrls.length > 0;
  return [
    'http',
    ...(startsBrowsers || hasFleet ? (['chrome_cdp'] as const) : []),
    ...(startsBrowsers || (hasFleet && cdpForAll) ? OF_CHROMIUM : []),
  ];
}
