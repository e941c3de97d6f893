import type { EngineName } from '@winnow/contract';

export interface BrowserOrigins {
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
