import type { CaptureOptions } from './capture-options.ts';

/** Returns what a trace shows of the options of a capture: of what may be secret only the names. */
export function describeOptions(options: CaptureOptions, proxy?: string): Record<string, unknown> {
  const { headers, cookies, ...open } = options;
  const shown = Object.entries({
    ...open,
    headers: headers && Object.keys(headers),
    cookies: cookies?.map(({ name }) => name),
    proxy,
  }).filter(([, value]) => value !== undefined);
  return shown.length === 0 ? {} : { options: Object.fromEntries(shown) };
}
