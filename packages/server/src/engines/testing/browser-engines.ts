/** Every engine that uses a browser. */
export const BROWSER_ENGINES = ['chrome', 'chrome_cdp', 'vendor_lite', 'vendor_dcl', 'vendor_dom', 'stable'] as const;
