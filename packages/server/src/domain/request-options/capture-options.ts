import type { BlockableResource, Device, EnginePreference } from '@winnow/contract';

/** A cookie of the target's registrable domain. */
export interface CaptureCookie {
  readonly name: string;
  readonly value: string;
  /** Domain that gets the cookie with all names below it; none: the host of the target alone. */
  readonly domain?: string | undefined;
  readonly path: string;
  readonly secure: boolean;
}

/** How one page is captured, beyond the engine and the time limit. Every field may be left out. */
export interface CaptureOptions {
  /** Accept-Language header. Default: of the deployment. */
  readonly acceptLanguage?: string | undefined;
  /** Language tag by which browsers format dates and numbers. Default: the browser's own. */
  readonly locale?: string | undefined;
  /** Headers for the site of the target alone, by lower-case names. Values are secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Values are secret. */
  readonly cookies?: readonly CaptureCookie[] | undefined;
  /** Default: of the deployment and the device. */
  readonly userAgent?: string | undefined;
  /** Default: `desktop`. */
  readonly device?: Device | undefined;
  /** CSS selector of an element that must be there, or milliseconds after the page is ready. Browsers only. */
  readonly waitFor?: string | number | undefined;
  readonly block?: readonly BlockableResource[] | undefined;
}

/** The options of a request for one page. */
export interface PageOptions {
  readonly preference: EnginePreference;
  /** Milliseconds for the whole request. Default: of the deployment. */
  readonly timeoutMs?: number | undefined;
  readonly filterScriptsStyles: boolean;
  /** Name of the upstream proxy. Default: of the project or the deployment. */
  readonly proxy?: string | undefined;
  readonly capture: WantedCapture;
}

/** The capture options of a request, whose cookies have not been checked against their target yet. */
export type WantedCapture = Omit<CaptureOptions, 'cookies'> & {
  readonly cookies?: readonly WantedCookie[] | undefined;
};

export interface WantedCookie {
  readonly name: string;
  readonly value: string;
  readonly domain?: string | undefined;
  readonly path?: string | undefined;
  readonly secure?: boolean | undefined;
}

export const DEFAULT_PAGE_OPTIONS: PageOptions = { preference: 'auto', filterScriptsStyles: false, capture: {} };

/** Returns whether a page is captured as every other request would have it captured. */
export function isOrdinaryCapture(options: CaptureOptions): boolean {
  return Object.values(options).every((value) => value === undefined);
}

/** Returns whether options carry values that only their sender may know. */
export function hasSecrets({ headers = {}, cookies = [] }: Pick<WantedCapture, 'headers' | 'cookies'>): boolean {
  return Object.keys(headers).length > 0 || cookies.length > 0;
}
