import type { ElementChoice } from '@winnow/extract/matching';
import type { BlockableResource, Device, EnginePreference, ScreenshotFormat, ScreenshotKind } from '@winnow/contract';

export interface CaptureCookie {
  readonly name: string;
  readonly value: string;
  /** Also for its subdomains; absent: only the target's host. */
  readonly domain?: string | undefined;
  readonly path: string;
  readonly secure: boolean;
}

export interface CaptureOptions {
  /** Default: the deployment's. */
  readonly acceptLanguage?: string | undefined;
  /** Language tag for dates and numbers. Default: the browser's. */
  readonly locale?: string | undefined;
  /** Only for the target's site, by lower-case names. Values are secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Values are secret. */
  readonly cookies?: readonly CaptureCookie[] | undefined;
  /** Default: from the deployment and the device. */
  readonly userAgent?: string | undefined;
  /** Default: `desktop`. */
  readonly device?: Device | undefined;
  /** CSS selector of a required element, or milliseconds after the page is ready. Browsers only. */
  readonly waitFor?: string | number | undefined;
  readonly block?: readonly BlockableResource[] | undefined;
  /** Browsers only. */
  readonly screenshot?: ScreenshotKind | undefined;
  /** Default: `webp`. */
  readonly screenshotFormat?: ScreenshotFormat | undefined;
  /** Browsers only. */
  readonly mhtml?: true | undefined;
}

export interface PageOptions {
  readonly preference: EnginePreference;
  /** For the whole request. Default: the deployment's. */
  readonly timeoutMs?: number | undefined;
  readonly filterScriptsStyles: boolean;
  /** Upstream proxy. Default: the project's or the deployment's. */
  readonly proxy?: string | undefined;
  /** Elements of the page to keep and to remove. Default: all are kept. */
  readonly elements?: ElementChoice | undefined;
  readonly capture: WantedCapture;
}

/** Cookies have not been checked against the target. */
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

/** True if all options have their defaults, so that requests can share the capture. */
export function isOrdinaryCapture(options: CaptureOptions): boolean {
  return Object.values(options).every((value) => value === undefined);
}

export function hasSecrets({ headers = {}, cookies = [] }: Pick<WantedCapture, 'headers' | 'cookies'>): boolean {
  return Object.keys(headers).length > 0 || cookies.length > 0;
}
