import { toEnginePreference } from '@winnow/contract';
import type { PageOptions as PageOptionsBody } from '@winnow/contract';
import type { PageOptions } from '../../domain/request-options/capture-options.ts';

export function readPageOptions(body: PageOptionsBody | undefined, engineFamily: string): PageOptions {
  const options = body ?? {};
  return {
    preference: toEnginePreference(options.engine_preference ?? 'auto', engineFamily) ?? 'auto',
    timeoutMs: options.timeout_ms,
    filterScriptsStyles: options.filter_scripts_styles ?? false,
    proxy: options.proxy,
    elements: readElements(options),
    capture: {
      acceptLanguage: options.accept_language,
      locale: options.locale,
      headers: options.headers === undefined ? undefined : withLowerNames(options.headers),
      cookies: options.cookies,
      userAgent: options.user_agent,
      device: options.device,
      waitFor: options.wait_for,
      block: options.block,
      screenshot: options.screenshot,
      screenshotFormat: options.screenshot_format,
      mhtml: options.mhtml === true ? true : undefined,
    },
  };
}

function readElements({ include_tags: include = [], exclude_tags: exclude = [] }: PageOptionsBody) {
  return include.length + exclude.length === 0 ? undefined : { include, exclude };
}

function withLowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
