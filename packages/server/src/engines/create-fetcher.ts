import type {
  CaptureJudge,
  EgressRules,
  Engine,
  Fetcher,
  HostMemory,
  ProjectEgress,
} from '../domain/capture/capture-ports.ts';
import type { Logger } from '../domain/shared/ports.ts';
import { checkUrl } from '../egress/policy/check-url.ts';
import { NO_RULES } from '../egress/policy/egress-policy.ts';
import { createEgress } from '../egress/egress.ts';
import type { UpstreamOptions } from '../egress/dialing/upstream-routes.ts';
import { createAutoEngine } from './auto/auto-engine.ts';
import { createHostMemory } from './auto/memory-in-process.ts';
import { createShellJudge } from './auto/shell-judge.ts';
import { createCdpFleet } from './cdp/cdp-fleet.ts';
import { BROWSER_CANDIDATES } from './chromium/browsers/browser-flags.ts';
import type { BrowserSource, BrowserStats } from './chromium/browsers/browser-source.ts';
import { createCaptureSlots } from './chromium/capture-slots.ts';
import type { SlotStats } from './chromium/capture-slots.ts';
import { createChromiumEngine } from './chromium/chromium-engine.ts';
import { createLocalBrowsers } from './chromium/browsers/local-browsers.ts';
import type { ChromiumEngineName } from './chromium/pages/readiness.ts';
import { createHttpEngine } from './http/http-engine.ts';
import { listWorkingEngines } from './working-engines.ts';
import type { EngineName } from '@winnow/contract';

/** Options of the engines; all are optional. */
export interface FetcherOptions {
  /** Chromium executables to try, in order; empty: none is started. Default: {@link BROWSER_CANDIDATES}. */
  readonly browserExecutables?: readonly string[];
  /** Additional Chromium flags. Default: none. */
  readonly browserArgs?: readonly string[];
  /** Concurrent captures in browsers. Default 3. */
  readonly browserConcurrency?: number;
  /** Maximum queue of captures. Default 100. */
  readonly browserQueue?: number;
  /** Captures until a browser is replaced. Default 500. */
  readonly recycleAfterCaptures?: number;
  /** Milliseconds until a browser is replaced. Default 30 minutes. */
  readonly recycleAfterMs?: number;
  /** Bytes of a browser's processes, without its pages, above which it is replaced. Default 512 MiB. */
  readonly recycleAboveBytes?: number;
  /** Idle time until a browser is ended, in milliseconds. Default 60000. */
  readonly browserIdleMs?: number;
  /** Resident bytes above which a page is ended; heap bytes in external browsers. Default 1 GiB. */
  readonly maxRendererBytes?: number;
  /** CPU milliseconds above which a page is ended; not in external browsers. Default 60000. */
  readonly maxRendererCpuMs?: number;
  /** External browsers for `chrome_cdp` (`ws://…` or `http://host:port`). Default: a local one. */
  readonly cdpUrls?: readonly string[];
  /** All Chromium engines use `cdpUrls`. Default: `chrome_cdp` only. */
  readonly cdpForAll?: boolean;
  /** Host under which `cdpUrls` on other machines reach this process. Default 127.0.0.1. */
  readonly cdpLaneHost?: string;
  /** Address on which browser proxies listen for `cdpUrls`. Default 127.0.0.1. */
  readonly cdpLaneListenHost?: string;
  /** Maximum decoded page in bytes. Default 10 MiB. */
  readonly maxPageBytes?: number;
  /** Maximum received bytes of a rendered page with sub-resources. Default 64 MiB. */
  readonly maxTotalBytes?: number;
  /** Maximum redirects. Default 10. */
  readonly maxRedirects?: number;
  readonly userAgent?: string;
  /** Default `en-US,en;q=0.9`. */
  readonly acceptLanguage?: string;
  /** Egress rules. Default: public addresses only. */
  readonly egress?: EgressRules;
  /** Name servers, `address` or `address:port`. Default: the system's resolver. */
  readonly dnsServers?: readonly string[];
  /** Upstream HTTP proxies, after the address policy. Default: none. */
  readonly upstream?: UpstreamOptions;
  /** Additional trusted certificates (PEM) of the `http` engine. Default: none. */
  readonly extraCa?: readonly string[];
  /** Judge of `auto`. Default: {@link createShellJudge}. */
  readonly judge?: CaptureJudge;
  /** Memory of `auto`. Default: in process. */
  readonly memory?: HostMemory;
  /** Default: silent. */
  readonly logger?: Logger;
}

export interface FetcherCheck {
  readonly engine: EngineName;
  readonly ok: boolean;
  readonly detail: string;
}

export interface FetcherStats {
  readonly slots: SlotStats;
  readonly local: BrowserStats;
  readonly cdp: BrowserStats;
}

export interface EngineFetcher extends Fetcher {
  /**
   * Checks a URL under the rules of the deployment and a project.
   * @throws {AppError} `url_not_allowed`
   */
  checkUrl(url: URL, project?: ProjectEgress): void;
  /** Checks each configured engine for readiness reports, without starting a browser. */
  check(): Promise<FetcherCheck[]>;
  stats(): FetcherStats;
  /** Starts the local browser. */
  warmUp(): Promise<void>;
  /** Ends browsers and connections; running captures fail. */
  close(): Promise<void>;
}

/** User-Agent in the form of browsers, with the service's name. */
export const DEFAULT_USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Winnow/0.1';

const MIB = 1_048_576;
const DEFAULTS = {
  browserExecutables: BROWSER_CANDIDATES,
  browserArgs: [],
  browserConcurrency: 3,
  browserQueue: 100,
  recycleAfterCaptures: 500,
  recycleAfterMs: 30 * 60_000,
  recycleAboveBytes: 512 * MIB,
  browserIdleMs: 60_000,
  maxRendererBytes: 1024 * MIB,
  maxRendererCpuMs: 60_000,
  cdpUrls: [],
  maxPageBytes: 10 * MIB,
  maxTotalBytes: 64 * MIB,
  maxRedirects: 10,
  userAgent: DEFAULT_USER_AGENT,
  acceptLanguage: 'en-US,en;q=0.9',
  egress: NO_RULES,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
} satisfies FetcherOptions;

const NO_BROWSERS: BrowserStats = { browsers: 0, active: 0, started: 0, killedRenderers: 0 };

type Settings = FetcherOptions & Required<Pick<FetcherOptions, keyof typeof DEFAULTS>>;

/**
 * Creates all engines; browsers start on demand.
 * @throws {TypeError} naming an invalid egress rule
 */
export function createFetcher(options: FetcherOptions = {}): EngineFetcher {
  const settings: Settings = { ...DEFAULTS, ...options };
  const egress = createEgress({
    rules: settings.egress,
    ...pick(settings, 'dnsServers', 'upstream', 'extraCa'),
  });
  const cdp = settings.cdpUrls.length > 0 ? createFleet(settings) : createLocal(settings, true);
  const own = settings.cdpForAll === true && settings.cdpUrls.length > 0 ? undefined : createLocal(settings, false);
  const local = own ?? cdp;
  const working = listWorkingEngines({
    startsBrowsers: settings.browserExecutables.length > 0,
    cdpUrls: settings.cdpUrls,
    cdpForAll: settings.cdpForAll === true,
  });
  const slots = createCaptureSlots(settings.browserConcurrency, settings.browserQueue);
  const chromium = (engine: ChromiumEngineName, source: BrowserSource): Engine =>
    createChromiumEngine({ ...settings, engine, egress, source, slots });
  const engines: Record<EngineName, Engine> = {
    http: createHttpEngine({ ...settings, egress }),
    chrome: chromium('chrome', local),
    chrome_cdp: chromium('chrome_cdp', cdp),
    vendor_lite: chromium('vendor_lite', local),
    vendor_dcl: chromium('vendor_dcl', local),
    vendor_dom: chromium('vendor_dom', local),
    stable: chromium('stable', local),
  };
  const auto = createAutoEngine({
    engines,
    judge: settings.judge ?? createShellJudge(),
    memory: settings.memory ?? createHostMemory(),
  });
  return {
    capture: (preference, request) => (preference === 'auto' ? auto : engines[preference]).capture(request),
    checkUrl: (url, project) => checkUrl(url, egress.guard(project).policy),
    check: () => checkEngines(working, local, cdp),
    stats: () => ({ slots: slots.stats(), local: own?.stats() ?? NO_BROWSERS, cdp: cdp.stats() }),
    warmUp: async () => {
      if (own && settings.browserExecutables.length > 0) (await own.lease()).release();
    },
    close: async () => {
      await Promise.all([own?.close(), cdp.close()]);
      await egress.close();
    },
  };
}

function createLocal(settings: Settings, overSocket: boolean): BrowserSource {
  const { userAgent, acceptLanguage, browserExecutables: executables, browserArgs: extraArgs } = settings;
  return createLocalBrowsers({
    launch: { executables, userAgent, acceptLanguage, extraArgs },
    overSocket,
    idleMs: settings.browserIdleMs,
    ...pick(settings, 'recycleAfterCaptures', 'recycleAfterMs', 'recycleAboveBytes'),
    ...pick(settings, 'maxRendererBytes', 'maxRendererCpuMs', 'logger'),
  });
}

function createFleet(settings: Settings): BrowserSource {
  const { cdpUrls: urls, cdpLaneHost, cdpLaneListenHost, logger, maxRendererBytes: maxHeapBytes } = settings;
  return createCdpFleet({
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

/** Picks the given fields that are defined. */
function pick<T extends object, K extends keyof T>(source: T, ...keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.filter((key) => source[key] !== undefined).map((key) => [key, source[key]])) as Pick<
    T,
    K
  >;
}
