import type { StageDetails } from '@winnow/contract';
import type { CaptureOptions } from './capture-options.ts';

/** Describes options for traces: only the names of secret values. */
export function describeOptions(options: CaptureOptions, proxy?: string): Pick<StageDetails['fetch'], 'options'> {
  const { acceptLanguage, locale, headers, cookies, userAgent, device, waitFor, block, screenshot } = options;
  const { screenshotFormat, mhtml } = options;
  const shown = {
    ...(acceptLanguage === undefined ? {} : { accept_language: acceptLanguage }),
    ...(locale === undefined ? {} : { locale }),
    ...(userAgent === undefined ? {} : { user_agent: userAgent }),
    ...(device === undefined ? {} : { device }),
    ...(waitFor === undefined ? {} : { wait_for: waitFor }),
    ...(block === undefined ? {} : { block: [...block] }),
    ...(screenshot === undefined ? {} : { screenshot }),
    ...(screenshotFormat === undefined ? {} : { screenshot_format: screenshotFormat }),
    ...(mhtml === undefined ? {} : { mhtml }),
    ...(headers === undefined ? {} : { headers: Object.keys(headers) }),
    ...(cookies === undefined ? {} : { cookies: cookies.map(({ name }) => name) }),
    ...(proxy === undefined ? {} : { proxy }),
  };
  return Object.keys(shown).length === 0 ? {} : { options: shown };
}
